package blob

import (
	"context"
	"errors"
	"io"
	"strings"

	"gocloud.dev/blob"
)

// bucket is a bucket of gocloud.dev: memory, S3, Google Cloud Storage or Azure.
type bucket struct{ b *blob.Bucket }

func needKey(l location) error {
	if l.key == "" || strings.HasSuffix(l.key, "/") {
		return invalidf("names no file: write %s://%s/key", l.scheme, l.bucket)
	}
	return nil
}

func (b bucket) read(ctx context.Context, l location) (io.ReadCloser, Info, error) {
	if err := needKey(l); err != nil {
		return nil, Info{}, err
	}
	r, err := b.b.NewReader(ctx, l.key, nil)
	if err != nil {
		return nil, Info{}, err
	}
	return r, Info{Size: r.Size(), ModTime: r.ModTime(), ContentType: r.ContentType()}, nil
}

// write uses Upload: the writer of azureblob panics when an upload fails.
func (b bucket) write(ctx context.Context, l location, r io.Reader, o WriteOptions) error {
	if err := needKey(l); err != nil {
		return err
	}
	if o.ContentType == "" {
		o.ContentType = "application/octet-stream"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	source := &abortingReader{r: r, cancel: cancel}
	err := b.b.Upload(ctx, l.key, source, &blob.WriterOptions{ContentType: o.ContentType, IfNotExist: o.IfNotExist})
	if source.err != nil {
		return source.err
	}
	return err
}

// abortingReader ends the upload's context when its source fails: without that,
// gocloud.dev would keep what came before the failure as the whole object.
type abortingReader struct {
	r      io.Reader
	cancel context.CancelFunc
	err    error
}

// Read implements io.Reader.
func (a *abortingReader) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
		a.cancel()
	}
	return n, err
}

func (b bucket) stat(ctx context.Context, l location) (Info, error) {
	if err := needKey(l); err != nil {
		return Info{}, err
	}
	a, err := b.b.Attributes(ctx, l.key)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: a.Size, ModTime: a.ModTime, ETag: a.ETag, ContentType: a.ContentType}, nil
}

func (b bucket) remove(ctx context.Context, l location) error {
	if err := needKey(l); err != nil {
		return err
	}
	return b.b.Delete(ctx, l.key)
}

// list reads the bucket in its own order, which is the order of keys, and stops
// one entry after the limit.
func (b bucket) list(ctx context.Context, l location, o ListOptions) (Listing, error) {
	dir := l.key
	if dir != "" && !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	opts := &blob.ListOptions{Prefix: dir + o.Prefix}
	if !o.Recursive {
		opts.Delimiter = "/"
	}
	var found []Info
	for it := b.b.List(opts); o.Limit == 0 || len(found) <= o.Limit; {
		obj, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Listing{}, err
		}
		if obj.Key == dir { // the empty object that stands for a directory
			continue
		}
		found = append(found, Info{Path: l.uri(obj.Key), Size: obj.Size, ModTime: obj.ModTime, IsDir: obj.IsDir})
	}
	return clip(found, o.Limit), nil
}

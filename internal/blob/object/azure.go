package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	gocloud "gocloud.dev/blob"
)

// azure is a blob of Azure. Its marks are ETags. A put is one request.
type azure struct {
	*gocloud.Bucket
	answered
	client *blockblob.Client
	kind   string
}

func openAzure(b *gocloud.Bucket, u *url.URL, kind string) Object {
	var c *container.Client
	b.As(&c)
	return &azure{Bucket: b, client: c.NewBlockBlobClient(keyOf(u)), kind: kind}
}

// once has a request sent once: see amazon.Put.
func once(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
}

// Get implements Object.
func (a *azure) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	var o azblob.DownloadStreamOptions
	if known != "" {
		tag := azcore.ETag(known)
		o.AccessConditions = &azblob.AccessConditions{
			ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfNoneMatch: &tag}}
	}
	var answer *http.Response
	out, err := a.client.DownloadStream(policy.WithCaptureResponse(once(ctx), &answer), &o)
	if answer != nil {
		a.note(answer.Header)
	}
	if err != nil {
		return "", azureError(ctx, err)
	}
	defer out.Body.Close() //nolint:errcheck // only read from
	switch {
	case answer != nil && answer.StatusCode == http.StatusNotModified: // that is no error for the client
		return known, ErrSame
	case out.ETag == nil:
		return needMark("")
	}
	if _, err := io.Copy(w, out.Body); err != nil {
		return "", azureError(ctx, err)
	}
	return needMark(string(*out.ETag))
}

// Put implements Object.
func (a *azure) Put(ctx context.Context, content Content, size int64, known Mark) (Mark, error) {
	conditions := &azblob.ModifiedAccessConditions{}
	if known == "" {
		none := azcore.ETagAny
		conditions.IfNoneMatch = &none
	} else {
		tag := azcore.ETag(known)
		conditions.IfMatch = &tag
	}
	out, err := a.client.Upload(once(ctx), streaming.NopCloser(io.NewSectionReader(content, 0, size)), &blockblob.UploadOptions{
		HTTPHeaders:      &azblob.HTTPHeaders{BlobContentType: &a.kind},
		AccessConditions: &azblob.AccessConditions{ModifiedAccessConditions: conditions},
	})
	if err != nil {
		return "", azureError(ctx, err)
	}
	if out.ETag == nil {
		return needMark("")
	}
	return needMark(string(*out.ETag))
}

func azureError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *azcore.ResponseError // its text is the whole answer
	if !errors.As(err, &failed) {
		return oneLine(err)
	}
	if failed.ErrorCode == "ContainerNotFound" {
		return errors.New("there is no such container")
	}
	if s := status(failed.StatusCode); s != nil {
		return s
	}
	return fmt.Errorf("the server answers %d (%s)", failed.StatusCode, failed.ErrorCode)
}

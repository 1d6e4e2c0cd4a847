package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// amazon is an object of S3, or of what speaks its protocol. Its marks are
// ETags. A put is one request: its ETag covers the whole content.
type amazon struct {
	client      *s3.Client
	http        *http.Client
	bucket, key string
}

func openS3(ctx context.Context, u *url.URL) (Object, error) {
	q := u.Query()
	anonymous, err := flag(q, "anonymous")
	pathStyle, err2 := flag(q, "use_path_style")
	pathStyle2, err3 := flag(q, "s3ForcePathStyle")
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	var opts []func(*config.LoadOptions) error
	if q.Has("region") {
		opts = append(opts, config.WithRegion(q.Get("region")))
	}
	if q.Has("profile") {
		opts = append(opts, config.WithSharedConfigProfile(q.Get("profile")))
	}
	if anonymous {
		opts = append(opts, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	c, err := config.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	client := newClient()
	if own, ok := c.HTTPClient.(*awshttp.BuildableClient); ok { // it knows AWS_CA_BUNDLE
		client.Transport = own.GetTransport()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s := s3.NewFromConfig(c, func(o *s3.Options) {
		o.HTTPClient = client
		o.UsePathStyle = pathStyle || pathStyle2
		if q.Has("endpoint") {
			o.BaseEndpoint = aws.String(q.Get("endpoint"))
		}
	})
	return &amazon{client: s, http: client, bucket: u.Host, key: strings.TrimPrefix(u.Path, "/")}, nil
}

// Get implements Object.
func (a *amazon) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	in := &s3.GetObjectInput{Bucket: &a.bucket, Key: &a.key}
	if known != "" {
		in.IfNoneMatch = aws.String(string(known))
	}
	out, err := a.client.GetObject(ctx, in)
	if err != nil {
		return "", s3Error(ctx, err)
	}
	defer out.Body.Close() //nolint:errcheck // only read from
	mark, err := needMark(aws.ToString(out.ETag))
	if err == nil {
		_, err = io.Copy(w, out.Body)
	}
	return mark, s3Error(ctx, err)
}

// Put implements Object. It is tried once: a second attempt would meet the
// content of a first one whose answer was lost.
func (a *amazon) Put(ctx context.Context, content Content, size int64, known Mark) (Mark, error) {
	in := &s3.PutObjectInput{
		Bucket: &a.bucket, Key: &a.key, Body: io.NewSectionReader(content, 0, size), ContentLength: &size,
		ContentType: aws.String("application/vnd.sqlite3"),
	}
	if known == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = aws.String(string(known))
	}
	out, err := a.client.PutObject(ctx, in, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
	if err != nil {
		err = s3Error(ctx, err)
		if errors.Is(err, ErrMissing) && known != "" {
			err = ErrChanged // it was deleted
		}
		return "", err
	}
	return needMark(aws.ToString(out.ETag))
}

func s3Error(ctx context.Context, err error) error {
	var answer interface {
		error
		HTTPStatusCode() int
	}
	var code interface {
		error
		ErrorCode() string
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &code) && code.ErrorCode() == "NoSuchBucket":
		return errors.New("there is no such bucket")
	case errors.As(err, &answer):
		if s := status(answer.HTTPStatusCode()); s != nil {
			return s
		}
	}
	return oneLine(err)
}

// needMark refuses a server that tells no mark: without it nothing is safe.
func needMark(text string) (Mark, error) {
	if text == "" {
		return "", errors.New("the server tells no mark of the content (ETag or generation)")
	}
	return Mark(text), nil
}

// oneLine returns an error without its line breaks.
func oneLine(err error) error {
	if text := err.Error(); strings.Contains(text, "\n") {
		return errors.New(strings.Join(strings.Fields(text), " "))
	}
	return err
}

// Close implements Object.
func (a *amazon) Close() error {
	a.http.CloseIdleConnections()
	return nil
}

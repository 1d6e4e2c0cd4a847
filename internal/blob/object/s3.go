package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	gocloud "gocloud.dev/blob"
)

// amazon is an object of S3, or of what speaks its protocol. Its marks are
// ETags. A put is one request: its ETag covers the whole content.
type amazon struct {
	*gocloud.Bucket
	answered
	client          *s3.Client
	name, key, kind string
}

func openS3(b *gocloud.Bucket, u *url.URL, kind string) Object {
	a := &amazon{Bucket: b, name: u.Host, key: keyOf(u), kind: kind}
	b.As(&a.client)
	return a
}

// Get implements Object.
func (a *amazon) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	in := &s3.GetObjectInput{Bucket: &a.name, Key: &a.key}
	if known != "" {
		in.IfNoneMatch = aws.String(string(known))
	}
	out, err := a.client.GetObject(ctx, in)
	if err != nil {
		var answer *awshttp.ResponseError // also that the object is the known one
		if errors.As(err, &answer) && answer.Response != nil {
			a.note(answer.Response.Header)
		}
		return "", s3Error(ctx, err)
	}
	defer out.Body.Close() //nolint:errcheck // only read from
	if t, ok := middleware.GetServerTime(out.ResultMetadata); ok {
		a.noteTime(t)
	}
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
		Bucket: &a.name, Key: &a.key, Body: io.NewSectionReader(content, 0, size), ContentLength: &size,
		ContentType: &a.kind,
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
	case strings.Contains(err.Error(), "get credentials"): // a status within is that of who should have had some
		return fmt.Errorf("%w: no credentials are found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE", ErrDenied)
	case strings.Contains(err.Error(), "Invalid region"):
		return fmt.Errorf("%w: the region is missing: set AWS_REGION, or region= in the URL", ErrConfig)
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

package blob

import (
	"context"
	"net/url"
	"os"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcp"
	"google.golang.org/api/option"
)

// openBucket makes the client of a bucket. It does not go through the registry
// of gocloud.dev: that one keeps the first environment it saw for ever, and
// prints a warning about missing Google credentials to standard output.
func openBucket(ctx context.Context, l location) (*blob.Bucket, error) {
	u := &url.URL{Scheme: l.scheme, Host: l.bucket, RawQuery: l.params}
	switch l.scheme {
	case "mem":
		return memblob.OpenBucket(nil), nil
	case "s3":
		return (&s3blob.URLOpener{}).OpenBucketURL(ctx, u)
	case "azblob":
		return openAzure(ctx, u)
	default:
		return openGoogle(ctx, l)
	}
}

func openAzure(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	opener := &azureblob.URLOpener{
		MakeClient:        azureblob.NewDefaultClient,
		ServiceURLOptions: *azureblob.NewDefaultServiceURLOptions(),
	}
	if opener.ServiceURLOptions.SASToken != "" && (u.Query().Has("domain") || u.Query().Has("protocol")) {
		return nil, invalidf("with AZURE_STORAGE_SAS_TOKEN set, the URI cannot send it to another server: " +
			"set AZURE_STORAGE_DOMAIN and AZURE_STORAGE_PROTOCOL instead")
	}
	return opener.OpenBucketURL(ctx, u)
}

// openGoogle uses the default credentials of Google's tools, none where the URI
// says anonymous=true, and STORAGE_EMULATOR_HOST where it is set.
func openGoogle(ctx context.Context, l location) (*blob.Bucket, error) {
	q, err := url.ParseQuery(l.params)
	if err != nil {
		return nil, err
	}
	opts := &gcsblob.Options{}
	endpoint := q.Get("endpoint")
	if endpoint != "" {
		opts.ClientOptions = append(opts.ClientOptions, option.WithEndpoint(endpoint))
	}
	if endpoint != "" || os.Getenv("STORAGE_EMULATOR_HOST") != "" {
		// The other way to read needs host names that emulators do not have.
		opts.ClientOptions = append(opts.ClientOptions, storage.WithJSONReads())
	}
	if domain := q.Get("universe_domain"); domain != "" {
		opts.ClientOptions = append(opts.ClientOptions, option.WithUniverseDomain(domain))
	}
	client, err := googleClient(ctx, q)
	if err != nil {
		return nil, err
	}
	return gcsblob.OpenBucket(ctx, client, l.bucket, opts)
}

func googleClient(ctx context.Context, q url.Values) (*gcp.HTTPClient, error) {
	switch q.Get("anonymous") {
	case "true", "1":
		return gcp.NewAnonymousHTTPClient(gcp.DefaultTransport()), nil
	case "", "false", "0":
	default:
		return nil, invalidf("anonymous is true or false")
	}
	if os.Getenv("STORAGE_EMULATOR_HOST") != "" {
		return gcp.NewAnonymousHTTPClient(gcp.DefaultTransport()), nil
	}
	creds, err := gcp.DefaultCredentials(ctx)
	if err != nil {
		return nil, &kindError{ErrDenied, err}
	}
	return gcp.NewHTTPClient(gcp.DefaultTransport(), creds.TokenSource)
}

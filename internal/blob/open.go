package blob

import (
	"context"
	"net/url"
	"os"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"
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

// openAzure lets the URI name another server only where requests are signed with
// a key: tokens would be sent there.
func openAzure(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	account, key := os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_KEY")
	if key != "" && account == "" {
		return nil, invalidf("AZURE_STORAGE_KEY is set without AZURE_STORAGE_ACCOUNT, the account that it is for")
	}
	opener := &azureblob.URLOpener{
		MakeClient:        azureblob.NewDefaultClient,
		ServiceURLOptions: *azureblob.NewDefaultServiceURLOptions(),
	}
	q := u.Query()
	if (opener.ServiceURLOptions.SASToken != "" || key == "") && (q.Has("domain") || q.Has("protocol")) {
		return nil, invalidf("a URI can name another server only with AZURE_STORAGE_KEY and no AZURE_STORAGE_SAS_TOKEN, " +
			"or it would be sent your token: set AZURE_STORAGE_DOMAIN and AZURE_STORAGE_PROTOCOL instead")
	}
	return opener.OpenBucketURL(ctx, u)
}

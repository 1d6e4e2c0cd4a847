package blob

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"
)

// OpenBucket makes the client of the bucket in u, as Storage does, for what gets
// more out of it than Storage offers. It takes the scheme, the host, and the
// parameters of u, and asks the server nothing.
func OpenBucket(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	l := location{scheme: u.Scheme, bucket: u.Host, params: u.RawQuery}
	if l.scheme == "az" {
		l.scheme = "azblob"
	}
	err := checkParams(l.scheme, l.params)
	if err != nil {
		return nil, fail("open", u.String(), err)
	}
	b, err := openBucket(context.WithoutCancel(ctx), l) // clients outlive the call
	return b, fail("open", u.String(), err)
}

// openBucket makes the client of a bucket. It does not go through the registry
// of gocloud.dev: that one keeps the first environment it saw for ever, and
// prints a warning about missing Google credentials to standard output.
func openBucket(ctx context.Context, l location) (*blob.Bucket, error) {
	u := &url.URL{Scheme: l.scheme, Host: l.bucket, RawQuery: l.params}
	switch l.scheme {
	case "mem":
		return memblob.OpenBucket(nil), nil
	case "s3":
		b, err := (&s3blob.URLOpener{}).OpenBucketURL(ctx, u)
		if err != nil { // it asks no server, but reads the user's files
			return nil, &kindError{ErrInvalid, err}
		}
		return b, nil
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
	account = cmp.Or(q.Get("storage_account"), opener.ServiceURLOptions.AccountName)
	domain := cmp.Or(q.Get("domain"), opener.ServiceURLOptions.StorageDomain)
	switch {
	case account == "":
		return nil, invalidf("no account: set AZURE_STORAGE_ACCOUNT or storage_account=")
	case strings.ContainsAny(account+domain, "/@?#"):
		return nil, invalidf("the account or the domain is none")
	}
	if (opener.ServiceURLOptions.SASToken != "" || key == "") && (q.Has("domain") || q.Has("protocol")) {
		return nil, invalidf("a URI can name another server only with AZURE_STORAGE_KEY and no AZURE_STORAGE_SAS_TOKEN, " +
			"or it would be sent your token: set AZURE_STORAGE_DOMAIN and AZURE_STORAGE_PROTOCOL instead")
	}
	return opener.OpenBucketURL(ctx, u)
}

package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
)

// azure is a blob of Azure. Its marks are ETags. A put is one request.
type azure struct {
	client *blockblob.Client
	http   *http.Client
}

// azureEnv is what the environment says.
type azureEnv struct{ account, key, token, domain, protocol string }

// openAzure lets the URL name another server only where requests are signed
// with a key: tokens would be sent there.
func openAzure(_ context.Context, u *url.URL) (Object, error) {
	env := azureEnv{
		account: os.Getenv("AZURE_STORAGE_ACCOUNT"), key: os.Getenv("AZURE_STORAGE_KEY"),
		token: os.Getenv("AZURE_STORAGE_SAS_TOKEN"), domain: os.Getenv("AZURE_STORAGE_DOMAIN"),
		protocol: os.Getenv("AZURE_STORAGE_PROTOCOL"),
	}
	q := u.Query()
	switch {
	case env.key != "" && env.account == "":
		return nil, fmt.Errorf("%w: AZURE_STORAGE_KEY is set without AZURE_STORAGE_ACCOUNT, "+
			"the account that it is for", ErrConfig)
	case (env.token != "" || env.key == "") && (q.Has("domain") || q.Has("protocol")):
		return nil, fmt.Errorf("%w: it can name another server only with AZURE_STORAGE_KEY and no "+
			"AZURE_STORAGE_SAS_TOKEN, or that would be sent your token: set AZURE_STORAGE_DOMAIN and "+
			"AZURE_STORAGE_PROTOCOL instead", ErrConfig)
	}
	address, err := env.address(u)
	if err != nil {
		return nil, err
	}
	a := &azure{http: newClient()}
	a.client, err = env.client(address, a.http)
	if err != nil {
		return nil, fmt.Errorf("%w: the credentials for Azure: %w", ErrDenied, oneLine(err))
	}
	return a, nil
}

// address returns the URL of the blob, without a token.
func (e *azureEnv) address(u *url.URL) (string, error) {
	q := u.Query()
	account := cmp.Or(q.Get("storage_account"), e.account)
	domain := cmp.Or(q.Get("domain"), e.domain, "blob.core.windows.net")
	protocol := cmp.Or(q.Get("protocol"), e.protocol, "https")
	switch {
	case account == "":
		return "", fmt.Errorf("%w: no account: set AZURE_STORAGE_ACCOUNT or storage_account=", ErrConfig)
	case strings.ContainsAny(account+domain, "/@?#"):
		return "", fmt.Errorf("%w: the account or the domain is none", ErrConfig)
	case protocol != "http" && protocol != "https":
		return "", fmt.Errorf("%w: the protocol is http or https", ErrConfig)
	}
	server := protocol + "://" + account + "." + domain
	if strings.HasPrefix(domain, "127.0.0.1") || strings.HasPrefix(domain, "localhost") { // an emulator
		server = protocol + "://" + domain + "/" + account
	}
	return server + "/" + url.PathEscape(u.Host) + "/" + url.PathEscape(strings.TrimPrefix(u.Path, "/")), nil
}

func (e *azureEnv) client(address string, c *http.Client) (*blockblob.Client, error) {
	core := policy.ClientOptions{
		Transport: c,
		Retry:     policy.RetryOptions{MaxRetries: -1}, // see amazon.Put
	}
	o := &blockblob.ClientOptions{ClientOptions: core}
	switch {
	case e.token != "":
		return blockblob.NewClientWithNoCredential(address+"?"+e.token, o)
	case e.key != "":
		cred, err := azblob.NewSharedKeyCredential(e.account, e.key)
		if err != nil {
			return nil, err
		}
		return blockblob.NewClientWithSharedKeyCredential(address, cred, o)
	}
	cred, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: core})
	if err != nil {
		return nil, err
	}
	return blockblob.NewClient(address, cred, o)
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
	out, err := a.client.DownloadStream(policy.WithCaptureResponse(ctx, &answer), &o)
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
	kind := "application/vnd.sqlite3"
	out, err := a.client.Upload(ctx, streaming.NopCloser(io.NewSectionReader(content, 0, size)), &blockblob.UploadOptions{
		HTTPHeaders:      &azblob.HTTPHeaders{BlobContentType: &kind},
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

// Close implements Object.
func (a *azure) Close() error {
	a.http.CloseIdleConnections()
	return nil
}

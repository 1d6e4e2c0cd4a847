package blob

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"gocloud.dev/gcerrors"
	"golang.org/x/oauth2"
)

// cloudKind sorts an error of gocloud.dev. Who is refused is told by the status:
// the drivers of gocloud.dev know only some of the clouds' names for it.
func cloudKind(err error) error {
	switch httpStatus(err) {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrDenied
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return ErrNotFound
	case gcerrors.AlreadyExists, gcerrors.FailedPrecondition:
		return ErrConflict
	case gcerrors.PermissionDenied:
		return ErrDenied
	case gcerrors.Unimplemented:
		return ErrUnsupported
	case gcerrors.InvalidArgument:
		return ErrInvalid
	}
	var noToken *oauth2.RetrieveError
	if errors.As(err, &noToken) || strings.Contains(err.Error(), "credential") {
		return ErrDenied // the SDKs have no type in common for this
	}
	return ErrUnavailable
}

// httpStatus returns the status that a cloud answered with, or 0.
func httpStatus(err error) int {
	var azure *azcore.ResponseError
	var other interface { // Amazon, and our driver for Google
		error
		HTTPStatusCode() int
	}
	switch {
	case errors.As(err, &azure):
		return azure.StatusCode
	case errors.As(err, &other):
		return other.HTTPStatusCode()
	}
	return 0
}

// causeText returns the text of an error that other code made, in one line,
// without the key that gocloud.dev repeats and with every URL in it redacted.
func causeText(err error) string {
	text := err.Error()
	var azure *azcore.ResponseError
	if errors.As(err, &azure) && azure.RawResponse != nil { // its text is the whole answer
		text = azure.RawResponse.Status + " (" + azure.ErrorCode + ")"
	}
	text = regexp.MustCompile(`^blob (?:\(key "(?:[^"\\]|\\.)*"\) )?\(code=\w+\): `).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(strings.TrimSpace(text), "; ")
	return regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+`).ReplaceAllStringFunc(text, Redact)
}

package firestoreltm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tea-agents/tea/ltm/driver"
)

const credentialsHint = "name a key file in GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; " +
	"on Google's own machines the service account is used"

// slack is how much earlier than a context the server may see its deadline.
const slack = 20 * time.Millisecond

// overtaken tells whether a commit did nothing as somebody else was faster.
func overtaken(err error) bool {
	switch status.Code(err) {
	case codes.Aborted, codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound:
		return true
	default:
		return false
	}
}

// kind returns the kind of error that a driver returns, nil where it has none.
func (c *config) kind(err error) error {
	if _, ok := status.FromError(err); !ok {
		return nil
	}
	switch status.Code(err) {
	case codes.NotFound:
		return fmt.Errorf("%w: there is no database %s in the project %s", driver.ErrConfig, c.database, c.project)
	case codes.FailedPrecondition:
		return fmt.Errorf("%w: the database %s is not one of Firestore in Native mode", driver.ErrConfig, c.database)
	case codes.Unauthenticated:
		return fmt.Errorf("%w: Google does not take the credentials; %s", driver.ErrConfig, credentialsHint)
	case codes.PermissionDenied:
		return fmt.Errorf("%w: the credentials need the role roles/datastore.user in the project %s, and the project the Firestore API",
			driver.ErrConfig, c.project)
	case codes.InvalidArgument, codes.Unimplemented, codes.OutOfRange:
		return nil
	case codes.DataLoss:
		return driver.ErrCorrupt
	default: // also a quota that is used up: it comes again
		return driver.ErrUnavailable
	}
}

// refused tells that the credentials may read, but not write.
func refused(err error) error {
	if status.Code(err) == codes.PermissionDenied {
		return fmt.Errorf("%w: the credentials lack the role roles/datastore.user: %w", driver.ErrReadOnly, errors.New(status.Convert(err).Message()))
	}
	return err
}

// fail returns err as one of the kinds that a driver returns. ctx is the
// caller's.
func (s *Store) fail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.life.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if late(err) {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < slack {
			<-ctx.Done() // the server has noticed first
			return ctx.Err()
		}
		return fmt.Errorf("%w: no answer within %v: %v", driver.ErrUnavailable, s.timeout, answer{err}) //nolint:errorlint // whose deadline it was does not matter
	}
	if k := s.kind(err); k != nil {
		return fmt.Errorf("%w: %w", k, answer{err})
	}
	return answer{err}
}

// answer is an error of gRPC in the server's words, or those of the network, without
// its own around them.
type answer struct{ error }

func (e answer) Error() string {
	const quoted = `desc = "`
	text := status.Convert(e.error).Message()
	if i := strings.LastIndex(text, quoted); i >= 0 && strings.HasSuffix(text, `"`) {
		text = text[i+len(quoted) : len(text)-1]
	}
	return text
}

func (e answer) Unwrap() error { return e.error }

// late tells that a request had no answer in time.
func late(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded
}

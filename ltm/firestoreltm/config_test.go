package firestoreltm

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tea-agents/tea/ltm/driver"
)

func TestParse(t *testing.T) {
	t.Setenv(envEmulator, "localhost:1")
	for raw, want := range map[string]config{
		"firestore://my-project/memory":                     {"my-project", "(default)", "memory", "localhost:1", 10 * time.Second},
		"firestore://p/a%20b/?database=eu-1&timeout=2s":     {"p", "eu-1", "a b", "localhost:1", 2 * time.Second},
		"firestore://example.com/m?emulator=127.0.0.1:8080": {"example.com", "(default)", "m", "127.0.0.1:8080", 10 * time.Second},
		"firestore://p/m?emulator=[::1]:8080":               {"p", "(default)", "m", "[::1]:8080", 10 * time.Second},
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parse(u); err != nil || got != want {
			t.Errorf("%s is %+v, %v; want %+v", raw, got, err, want)
		}
	}
}

// Everything wrong with a URL is told at once, and never a credential.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for raw, wants := range map[string][]string{
		"firestore://":                        {"the project or the collection is missing"},
		"firestore://project":                 {"the project or the collection is missing"},
		"firestore:project/collection":        {"the project or the collection is missing"},
		"firestore://user:secret@p/m":         {"no user and password", "GOOGLE_APPLICATION_CREDENTIALS"},
		"firestore://p_q/m":                   {`the project is "p_q"`},
		"firestore://p/a/b":                   {`the collection is "a/b"`},
		"firestore://p/..":                    {`the collection is ".."`},
		"firestore://p/__mine__":              {`the collection is "__mine__"`},
		"firestore://p/m?database=a/b":        {`database is "a/b"`},
		"firestore://p/m?emulator=there":      {`emulator (or FIRESTORE_EMULATOR_HOST) is "there"`},
		"firestore://p/m?timeout=soon":        {`timeout is "soon"`},
		"firestore://u:secret@p?timeout=2h#x": {"no user", "missing", "timeout", "after #"},
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Opener(u)
		if !errors.Is(err, driver.ErrConfig) {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %q does not tell %q, or tells a secret", raw, err, want)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	c := &config{project: "p", database: "d"}
	for code, want := range map[codes.Code]struct {
		kind error
		says string
	}{
		codes.NotFound:           {driver.ErrConfig, "no database d in the project p"},
		codes.FailedPrecondition: {driver.ErrConfig, "Native mode"},
		codes.Unauthenticated:    {driver.ErrConfig, "GOOGLE_APPLICATION_CREDENTIALS"},
		codes.PermissionDenied:   {driver.ErrConfig, "roles/datastore.user in the project p"},
		codes.Unavailable:        {driver.ErrUnavailable, "unavailable"},
		codes.ResourceExhausted:  {driver.ErrUnavailable, "unavailable"},
		codes.Internal:           {driver.ErrUnavailable, "unavailable"},
		codes.Aborted:            {driver.ErrUnavailable, "unavailable"},
		codes.DataLoss:           {driver.ErrCorrupt, "corrupt"},
	} {
		if got := c.kind(status.Error(code, "so it is")); !errors.Is(got, want.kind) || !strings.Contains(got.Error(), want.says) {
			t.Errorf("%v is %v, want %v with %q", code, got, want.kind, want.says)
		}
	}
	for _, err := range []error{status.Error(codes.InvalidArgument, "ours"), driver.ErrConflict} {
		if got := c.kind(err); got != nil {
			t.Errorf("%v is %v", err, got)
		}
	}
	if err := refused(status.Error(codes.PermissionDenied, "no")); !errors.Is(err, driver.ErrReadOnly) || c.kind(err) != nil {
		t.Errorf("a write that is not permitted is %v", err)
	}
}

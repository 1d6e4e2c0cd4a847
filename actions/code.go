package actions

import "net/http"

// Code says of which sort an error is. The set is closed.
//
//	code                exit  HTTP  retryable
//	invalid_input          1   400  no
//	not_found              1   404  no
//	denied                 1   403  no
//	conflict               1   409  yes
//	too_large              1   413  no
//	unsupported            1   501  no
//	unavailable            1   503  yes
//	timeout                1   504  yes
//	failed                 1   500  no
//	credential_missing     4   401  no
//	replay_miss            6   424  no
//	internal              70   500  no
//	canceled             130   499  no
//
// A run that ends at its own time limit exits with 124; that is the engine's
// to say.
type Code string

// The codes.
const (
	CodeInvalidInput      Code = "invalid_input"      // the caller's input cannot be used
	CodeNotFound          Code = "not_found"          // what was named does not exist
	CodeDenied            Code = "denied"             // it exists, but not for this caller
	CodeConflict          Code = "conflict"           // somebody else changed it meanwhile
	CodeTooLarge          Code = "too_large"          // over a limit of size or number
	CodeUnsupported       Code = "unsupported"        // this build, store or server cannot do it
	CodeUnavailable       Code = "unavailable"        // a service or store does not answer
	CodeTimeout           Code = "timeout"            // it took longer than it was given
	CodeFailed            Code = "failed"             // it was tried and did not work
	CodeCredentialMissing Code = "credential_missing" //nolint:gosec // a secret that is needed is not there; this names the lack of one
	CodeReplayMiss        Code = "replay_miss"        // the recording has no such call
	CodeInternal          Code = "internal"           // a fault of ours
	CodeCanceled          Code = "canceled"           // somebody stopped it
)

// class is what follows from a code.
type class struct {
	code         Code
	exit, status int
	retryable    bool
}

//nolint:gochecknoglobals // a constant table
var classes = [...]class{
	{CodeInvalidInput, 1, http.StatusBadRequest, false},
	{CodeNotFound, 1, http.StatusNotFound, false},
	{CodeDenied, 1, http.StatusForbidden, false},
	{CodeConflict, 1, http.StatusConflict, true},
	{CodeTooLarge, 1, http.StatusRequestEntityTooLarge, false},
	{CodeUnsupported, 1, http.StatusNotImplemented, false},
	{CodeUnavailable, 1, http.StatusServiceUnavailable, true},
	{CodeTimeout, 1, http.StatusGatewayTimeout, true},
	{CodeFailed, 1, http.StatusInternalServerError, false},
	{CodeCredentialMissing, 4, http.StatusUnauthorized, false},
	{CodeReplayMiss, 6, http.StatusFailedDependency, false},
	{CodeInternal, 70, http.StatusInternalServerError, false},
	{CodeCanceled, 130, 499, false},
}

// Codes returns all codes, in the order of the table.
func Codes() []Code {
	codes := make([]Code, len(classes))
	for i, c := range classes {
		codes[i] = c.code
	}
	return codes
}

// class returns what follows from c; an unknown code counts as internal.
func (c Code) class() class {
	for _, known := range classes {
		if known.code == c {
			return known
		}
	}
	return CodeInternal.class()
}

// ExitCode is the status with which a command ends that fails for this reason.
func (c Code) ExitCode() int { return c.class().exit }

// HTTPStatus is the status of a response that fails for this reason.
func (c Code) HTTPStatus() int { return c.class().status }

// Retryable tells whether trying again may help.
func (c Code) Retryable() bool { return c.class().retryable }

// Fatal tells whether the error ends the run, whatever a node says about errors.
func (c Code) Fatal() bool { return c == CodeReplayMiss || c == CodeCanceled }

package tests

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
)

// TestFirestore runs the story of agents whose memory is in Firestore.
func TestFirestore(t *testing.T) {
	t.Parallel()
	addr := firestoreserver.Start(t)
	testscript.Run(t, testscript.Params{
		Files:               []string{"stores/firestore.txtar"},
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			serve(t, e)
			e.Setenv("FIRESTORE_EMULATOR_HOST", addr)
			return setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"calls": calls},
	})
}

package tests

import (
	"os/exec"
	"testing"

	"github.com/tea-agents/tea/internal/llm/llmtest"
)

// TestProofReplayNeedsNoNetwork replays where there is no network at all, not
// even a loopback, and no key.
func TestProofReplayNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(unshare, "-rn", "true").Run()
	}
	if err != nil {
		t.Skip("unshare -rn does not work here, so there is no namespace without a network: ", err)
	}
	model := llmtest.New(t)
	model.Script(fiveAnswers()...)
	p := newPlace(t, "OPENAI_BASE_URL="+model.Base("openai"), "OPENAI_API_KEY=sk-of-the-proofs")
	p.write(t, "agent.yaml", text(t, "testdata/proof_five_calls.yaml"))
	recorded := p.tea(t, "run", "agent.yaml", "--record")
	if recorded.status != 0 {
		t.Fatal(recorded.stderr)
	}
	p.env = newPlace(t).env // neither address nor key
	within := func(args ...string) said {
		cmd := p.command(args...)
		cmd.Args = append([]string{unshare, "-rn"}, cmd.Args...)
		cmd.Path = unshare
		return finish(t, cmd)
	}
	if live := within("run", "agent.yaml"); live.status == 0 {
		t.Error("there is a network in there")
	}
	got := within("run", "agent.yaml", "--replay")
	if got.status != 0 || got.stdout != recorded.stdout {
		t.Errorf("status %d: %s\n%s\nwant\n%s", got.status, got.stderr, got.stdout, recorded.stdout)
	}
}

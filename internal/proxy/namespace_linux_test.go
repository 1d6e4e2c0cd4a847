package proxy_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// cassetteOfNamespace is how the test hands its cassette to itself in the
// namespace.
const cassetteOfNamespace = "TEA_TEST_NAMESPACE_CASSETTE"

// A replay works where there is no network but the loopback interface.
func TestReplayWithoutNetwork(t *testing.T) {
	t.Parallel()
	if path := os.Getenv(cassetteOfNamespace); path != "" {
		replayAlone(t, path)
		return
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-rn", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare -rn does not work here: %v %s", err, out)
	}
	up, path := upstream(t), file(t)
	p := record(t, path, up.URL)
	ask(t, client(t, nil), "POST", p.url("/openai/v1/chat/completions"), `{"model":"m"}`)
	p.finish(t)
	c := exec.CommandContext(t.Context(), "unshare", "-rn", os.Args[0], "-test.run=^TestReplayWithoutNetwork$", "-test.v")
	c.Env = append(os.Environ(), cassetteOfNamespace+"="+path)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestReplayWithoutNetwork") {
		t.Errorf("in the namespace: %v\n%s", err, out)
	}
}

func replayAlone(t *testing.T, path string) {
	t.Helper()
	loopbackUp(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", "192.0.2.1:443"); err == nil {
		c.Close()
		t.Fatal("there is a network")
	}
	p := replay(t, path)
	status, body := ask(t, client(t, nil), "POST", p.url("/openai/v1/chat/completions"), `{"model":"m"}`)
	if status != 200 || !strings.Contains(body, "/v1/chat/completions") {
		t.Errorf("%d %s", status, body)
	}
}

// loopbackUp brings up the loopback interface, as ip link set lo up does.
func loopbackUp(t *testing.T) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		rest  [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); failed != 0 {
		t.Fatalf("the loopback interface does not come up: %v", failed)
	}
}

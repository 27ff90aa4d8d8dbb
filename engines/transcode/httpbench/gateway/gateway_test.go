package gateway_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/transcode/httpbench/gateway"
)

var errNotYet = errors.New("not yet")

func start(t *testing.T, words ...string) (*gateway.Gateway, string) {
	t.Helper()
	runtime.LockOSThread() // it dies with the thread
	dir := t.TempDir()
	g, err := gateway.Start(gateway.Plan{
		Words: words, Dir: dir, Upstream: "127.0.0.1:9", Descriptor: "/d", Services: "a.B", CPU: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g, dir
}

func TestProcessorTimeAndChildren(t *testing.T) {
	const busy = `while [ $i -lt 100000 ]; do i=$((i+1)); done`
	g, dir := start(t, "sh", "-c", fmt.Sprintf(`i=0; (%s; echo >"@DIR@/done"; sleep 60) & echo $! >"@DIR@/child"; wait`, busy))
	stopped := false
	defer func() {
		if !stopped {
			g.Stop()
		}
	}()
	if err := g.Wait(func() error {
		_, err := os.Stat(filepath.Join(dir, "done"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	cpu, err := g.CPU()
	if err != nil || cpu < time.Millisecond {
		t.Errorf("processor time of a busy child: %v %v", cpu, err)
	}
	if peak, err := g.PeakMemory(); err != nil || peak < 2*100<<10 {
		t.Errorf("two shells have %d bytes resident: %v", peak, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Sscan(string(text), &child); err != nil {
		t.Fatal(err)
	}
	g.Stop()
	stopped = true
	for range 100 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return // gone, or a zombie that its new parent has not looked after yet
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(child, syscall.SIGKILL)
	t.Error("the child outlived Stop")
}

func TestAGatewayThatEndsIsTold(t *testing.T) {
	g, _ := start(t, "sh", "-c", "echo no descriptor in @DESCRIPTOR@ for @SERVICES@; exit 3")
	defer g.Stop()
	err := g.Wait(func() error { return errNotYet })
	if err == nil || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.Contains(err.Error(), "no descriptor in /d for a.B") {
		t.Error(err)
	}
}

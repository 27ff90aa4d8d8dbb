package acp

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain turns the process into the one that is killed, when TestKill asks for it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ACP_TEST_KILL"); dir != "" {
		killChild(dir, os.Getenv("ACP_TEST_SYNC"))
	}
	os.Exit(m.Run())
}

var syncNames = map[string]Sync{"none": SyncNone, "batch": SyncBatch, "each": SyncEach}

// killChild registers pairs of documents until it is killed, and prints a line when one is
// acknowledged.
func killChild(dir, sync string) {
	e := must(Open(Options{Path: dir, Sync: syncNames[sync]}))
	list := e.Policies()
	if len(list) == 0 {
		must(e.AddPolicy(alice, usersPolicy))
		list = e.Policies()
	}
	id, start := list[0].ID, must(e.Snapshot(list[0].ID)).Revision()
	for i := start; ; i++ {
		must(e.RegisterDocs(alice, id, "users", []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}))
		fmt.Println(i + 1)
	}
}

// TestKill kills a process that registers, again and again: everything acknowledged is there, and
// nothing by half.
func TestKill(t *testing.T) {
	kills := 3
	if long {
		kills = 50
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for name := range syncNames {
		dir := t.TempDir()
		for range kills {
			acked := killOnce(t, dir, name, time.Duration(rng.IntN(30_000))*time.Microsecond)
			if acked == 0 {
				t.Fatal("nothing was acknowledged")
			}
			e := must(Open(Options{Path: dir}))
			if list := e.Policies(); len(list) == 1 {
				id := list[0].ID
				done := must(e.Snapshot(id)).Revision()
				if done < acked {
					t.Errorf("%s: %d pairs of %d acknowledged ones are there", name, done, acked)
				}
				for i := range done + 2 {
					for _, letter := range "ab" {
						if got := must(e.IsDocRegistered(id, "users", fmt.Sprint(string(letter), i))); got != (i < done) {
							t.Errorf("%s: %c%d is registered: %t, of %d pairs", name, letter, i, got, done)
						}
					}
				}
			} else {
				t.Errorf("%s: %d policies, %d pairs acknowledged", name, len(list), acked)
			}
			if err := e.log.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// killOnce starts a process, kills it a while after its first line, and returns the last pair that it acknowledged.
func killOnce(t *testing.T, dir, sync string, after time.Duration) (acked uint64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "ACP_TEST_KILL="+dir, "ACP_TEST_SYNC="+sync)
	var problems strings.Builder
	child.Stderr = &problems
	out := must(child.StdoutPipe())
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it is under way
	time.AfterFunc(after, func() { _ = child.Process.Kill() })
	for more := true; more; more = lines.Scan() {
		_, _ = fmt.Sscan(lines.Text(), &acked) // the last line may be cut off
	}
	_ = child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed: %v: %s", child.ProcessState, problems.String())
	}
	return acked
}

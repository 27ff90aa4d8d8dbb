package pool

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/rewardpool/core"
)

// killChild draws until it is killed, and writes a line before and after each
// operation. It runs in a process of its own.
func killChild(dir, mode string) {
	d, err := ParseDurability(mode)
	if err == nil {
		err = killOperations(dir, d)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func killConfig(d Durability) Config {
	cfg := testConfig(nil, d)
	cfg.FS, cfg.background = nil, nil
	for i := range cfg.Items {
		cfg.Items[i].Quantity = 1 << 40
	}
	return cfg
}

func killOperations(dir string, d Durability) error {
	p, _, err := Open(dir, killConfig(d))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for {
		op := rng.IntN(60)
		n := 1 + rng.IntN(3000)
		switch op {
		case 0:
			fmt.Println("begin other")
			err = p.Snapshot()
			fmt.Println("done")
		case 1:
			fmt.Println("begin other")
			err = p.Rotate()
			fmt.Println("done")
		case 2, 3, 4, 5:
			id := requestID(p.Stats().LSN + 1)
			fmt.Printf("begin request %x\n", id)
			item, replayed, rerr := p.DrawID(id)
			if replayed {
				return errors.New("a new request was replayed")
			}
			err = rerr
			fmt.Println("done", item)
		default:
			if op%2 == 0 {
				n = 1
			}
			dst := make([]uint32, n)
			fmt.Println("begin draws", n)
			_, err = p.DrawN(dst)
			fmt.Println("done", dst[0], dst[n-1])
		}
		if err != nil {
			return err
		}
	}
}

// After kill -9, the pool is in the state after the last acknowledged
// operation, or after the one under way. The parent follows the operations on
// a state of its own, which draws the same items.
func TestKill(t *testing.T) {
	kills := 5
	if long {
		kills = 150
	}
	for _, d := range []Durability{Mmap, File, Group, Each} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir() + "/pool"
			cfg := killConfig(d)
			state, err := core.New(core.Config{Items: cfg.Items, Seed: *cfg.Seed})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(d), 5))
			operations := 0
			// On a slow machine lives are too short for an operation: then they grow.
			for kill := 0; kill < kills || operations == 0; kill++ {
				life := time.Duration(10+rng.IntN(60)) * time.Millisecond << (kill / kills)
				before, after, n := followChild(t, dir, d, state, life)
				operations += n
				p, report, err := Open(dir, cfg)
				if err != nil {
					t.Fatalf("kill %d: %v", kill, err)
				}
				hash, err := p.StateHash()
				if err != nil {
					t.Fatal(err)
				}
				switch hash {
				case before.Hash():
					state = before
				case after.Hash():
					state = after
				default:
					t.Fatalf("kill %d, after %d operations: the state is neither of the two expected; %+v", kill, operations, report)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Verify(dir); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// followChild runs the child for the time, kills it, and returns the state
// after its last acknowledged operation and the one after the operation begun.
func followChild(t *testing.T, dir string, d Durability, state *core.State, life time.Duration) (before, after *core.State, operations int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "RPOOL_KILL_DIR="+dir, "RPOOL_KILL_MODE="+d.String())
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(life, func() { child.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	before, after = state, state
	var dst []uint32
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "begin") {
			after, dst = perform(t, before, line)
			continue
		}
		want := "done"
		if len(dst) == 1 && cap(dst) == 1 {
			want = fmt.Sprintln("done", dst[0])
		} else if len(dst) > 0 {
			want = fmt.Sprintln("done", dst[0], dst[len(dst)-1])
		}
		if line != strings.TrimSuffix(want, "\n") {
			t.Fatalf("the child was answered %q, expected %q", line, want)
		}
		before = after
		operations++
	}
	child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Fatalf("the child ended by itself: %v", child.ProcessState)
	}
	return before, after, operations
}

// perform does the operation of a line on a copy of the state. A request
// returns a slice of capacity 1.
func perform(t *testing.T, state *core.State, line string) (*core.State, []uint32) {
	t.Helper()
	b, err := state.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	next, err := core.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	var raw []byte
	if _, err := fmt.Sscanf(line, "begin draws %d", &n); err == nil {
		dst := make([]uint32, n, n+1)
		next.DrawN(dst)
		return next, dst
	}
	if _, err := fmt.Sscanf(line, "begin request %x", &raw); err == nil {
		dst := make([]uint32, 1)
		next.DrawN(dst)
		next.RememberRequest(core.RequestID(raw), dst[0])
		return next, dst
	}
	return next, nil
}

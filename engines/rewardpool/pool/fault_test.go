package pool

import (
	"errors"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
)

// The k-th call fails, for every k: the pool is poisoned, acknowledges nothing
// any more, and what it acknowledged is there when it is opened again.
func TestFaultAtEveryCall(t *testing.T) {
	for _, d := range Durabilities {
		t.Run(d.String(), func(t *testing.T) {
			var calls []vfs.Call
			whole, _, err := runScript(t, d, 0, func(_ *run, c vfs.Call) error { calls = append(calls, c); return nil })
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range calls {
				if c.Op == "store" {
					continue
				}
				faultAt(t, d, whole, i+1, syscall.EIO)
				if c.Op == "write" || c.Op == "allocate" {
					faultAt(t, d, whole, i+1, syscall.ENOSPC)
				}
				if c.Op == "write" {
					faultAt(t, d, whole, i+1, io.ErrShortWrite)
				}
			}
		})
	}
}

func faultAt(t *testing.T, d Durability, whole *run, k int, fault error) {
	t.Helper()
	call := 0
	r, mem, err := runScript(t, d, 0, func(*run, vfs.Call) error {
		if call++; call == k {
			return fault
		}
		return nil
	})
	if err == nil {
		err = r.p.Rotate() // meets the failure of the segment prepared for it
	}
	if !errors.Is(err, fault) {
		t.Fatalf("call %d, %v: the script ended with %v", k, fault, err)
	}
	if r.p != nil && !errors.Is(r.p.dead, ErrClosed) {
		refuses(t, r.p, k)
		if err := r.p.Close(); !errors.Is(err, ErrPoisoned) {
			t.Fatalf("call %d, %v: Close answers %v", k, fault, err)
		}
	}
	mem.Before = nil
	rng := rand.New(rand.NewPCG(uint64(k), 3))
	keeps := []vfs.Keep{vfs.KeepAll, vfs.Keeps[1+k%4]}
	if long {
		keeps = vfs.Keeps
	}
	for _, keep := range keeps {
		acked := mustSurvive(d, keep, r)
		if _, err := consistent(mem.Crash(keep, rng), testConfig(mem, d), whole.history, acked); err != nil {
			t.Fatalf("call %d, %v, keep %v: %v", k, fault, keep, err)
		}
	}
}

// refuses requires that a poisoned pool answers nothing but its poison.
func refuses(t *testing.T, p *Pool, k int) {
	t.Helper()
	_, draw := p.Draw()
	_, drawN := p.DrawN(make([]uint32, 3))
	_, wait := p.Submit(make([]uint32, 3)).Wait()
	_, _, drawID := p.DrawID(requestID(1))
	_, items := p.Items()
	_, hash := p.StateHash()
	answers := []error{draw, drawN, wait, drawID, items, hash, p.Sync(), p.Snapshot(), p.Rotate(), p.Retire("gold")}
	for i, err := range answers {
		if !errors.Is(err, ErrPoisoned) {
			t.Fatalf("call %d failed, and answer %d is %v", k, i, err)
		}
	}
}

// Open fails cleanly when any call of it fails, reads included, and leaves the
// pool as it was.
func TestFaultInsideOpen(t *testing.T) {
	for _, d := range Durabilities {
		r, mem, err := runScript(t, d, 4, func(*run, vfs.Call) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		left := mem.Crash(vfs.KeepAll, nil)
		for k := 1; ; k++ {
			fresh := left.Crash(vfs.KeepAll, nil)
			calls := 0
			fresh.Before = func(vfs.Call) error {
				if calls++; calls == k {
					return syscall.EIO
				}
				return nil
			}
			p, _, err := Open(testDir, testConfig(fresh, d))
			if err == nil && calls < k {
				p.Close()
				break
			}
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("%v: call %d failed and Open answers %v", d, k, err)
			}
			fresh.Before = nil
			if _, err := consistent(fresh, testConfig(fresh, d), r.history, mustSurvive(d, vfs.KeepAll, r)); err != nil {
				t.Fatalf("%v: after a failure of call %d: %v", d, k, err)
			}
		}
	}
}

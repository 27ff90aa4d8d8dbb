package leaflog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"assay/smt/format"
	"assay/smt/model"
	"assay/smt/trie"
)

const childDir = "LEAFLOG_KILL_DIR"

var killConfig = trie.Config{Format: format.Format{Sum: format.SumCount}}

// killedCommit is the change of commit n, the same in both processes.
func killedCommit(n uint64, put func(key, value []byte, weight uint64) error) error {
	rng := rand.New(rand.NewPCG(n, 11))
	for range 1 + rng.IntN(60) {
		if err := put(fmt.Append(nil, rng.IntN(500)), fmt.Append(nil, n), n); err != nil {
			return err
		}
	}
	return nil
}

// TestKilledChild is the process that is killed: it commits and prints the
// number of each commit that returned.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("runs inside of TestKill")
	}
	s, err := Open(dir, killConfig, Options{CheckpointBytes: 20 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for n := s.disk.log.commit + 1; ; n++ {
		if err := killedCommit(n, s.Update); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		os.Stdout.Write(binary.BigEndian.AppendUint64([]byte("ack "), n))
	}
}

// A process is killed at random moments, again and again on one directory:
// every commit that it reported is there, and at most one more.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	m := model.New(killConfig.Format)
	known := uint64(0)
	rng := rand.New(rand.NewPCG(12, 12))
	for round := range 6 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
		child.Env = append(os.Environ(), childDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(100+rng.IntN(100))*time.Millisecond, func() { child.Process.Kill() })
		printed, _ := io.ReadAll(out)
		child.Wait()
		acked := known
		for len(printed) >= 12 && string(printed[:4]) == "ack " {
			acked = binary.BigEndian.Uint64(printed[4:])
			printed = printed[12:]
		}
		s, err := Open(dir, killConfig, Options{})
		if err != nil {
			t.Fatalf("round %d, %d commits acknowledged: %v", round, acked, err)
		}
		got := s.disk.log.commit
		if got != acked && got != acked+1 {
			t.Fatalf("round %d: %d commits, %d acknowledged", round, got, acked)
		}
		for ; known < got; known++ {
			if err := killedCommit(known+1, m.Update); err != nil {
				t.Fatal(err)
			}
		}
		if root := s.Root(); !bytes.Equal(root, m.Root()) {
			t.Fatalf("round %d: root %x after commit %d, expected %x", round, root, got, m.Root())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d commits", known)
}

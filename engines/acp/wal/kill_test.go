package wal

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"assay/gocommon/vfs"
)

const (
	killDir  = "ACP_WAL_KILL_DIR"
	killMode = "ACP_WAL_KILL_MODE"
)

// TestKilledChild is the process that is killed: it appends, saves now and then, and prints the number
// of each record of which Wait returned.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("runs inside of TestKill")
	}
	mode, _ := strconv.Atoi(os.Getenv(killMode))
	var h history
	l, _, err := Open(vfs.OS{}, dir, Options{Sync: Sync(mode), SegmentBytes: 64 << 10}, h.handler())
	must(t, err)
	for {
		must(t, add(l, 1))
		n := l.Seq()
		os.Stdout.Write(binary.BigEndian.AppendUint64(nil, n))
		if n%500 == 0 {
			must(t, save(l))
		}
	}
}

// A process is killed at random moments, again and again on one directory: every record that it
// reported is there, and at most one more.
func TestKill(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, mode := range modes {
		dir := t.TempDir()
		acked := uint64(0)
		// On a slow machine lives are too short for a record: then they grow.
		for round := 0; round < 4 || acked == 0; round++ {
			child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
			child.Env = append(os.Environ(), killDir+"="+dir, killMode+"="+strconv.Itoa(int(mode)))
			out, err := child.StdoutPipe()
			must(t, err)
			must(t, child.Start())
			life := time.Duration(100+rng.IntN(100)) * time.Millisecond << (round / 4)
			time.AfterFunc(life, func() { child.Process.Kill() })
			printed, _ := io.ReadAll(out)
			child.Wait()
			if n := len(printed) / 8; n > 0 {
				acked = binary.BigEndian.Uint64(printed[8*n-8:])
			}
			for again := range 2 {
				var h history
				l, r, err := Open(vfs.OS{}, dir, Options{Sync: mode}, h.handler())
				if err != nil {
					t.Fatalf("mode %d, round %d, %d records acknowledged: %v", mode, round, acked, err)
				}
				if uint64(h) < acked || uint64(h) > acked+1 || again == 1 && r.CutBytes != 0 {
					t.Fatalf("mode %d, round %d: %d records, %d acknowledged; %+v", mode, round, h, acked, r)
				}
				acked = uint64(h)
				must(t, l.Close())
			}
		}
	}
}

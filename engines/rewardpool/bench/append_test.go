package bench

import (
	"testing"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/bench/appendtest"
)

// appendEngine drives our log with the common append workload: a frame for each record. With sync
// none, a batch is written when the call returns and survives the end of the process.
var appendEngine = appendtest.Engine{Open: openLog, Read: readLog}

var logIdentity = wal.Identity{UUID: wal.UUID{1}}

// defaultSegmentBytes is the segment size of a pool that is not told another.
const defaultSegmentBytes = 64 << 20

type appendLog struct {
	*wal.Log
	sync bool
}

func openLog(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	if err := wal.Create(vfs.OS{}, dir, logIdentity); err != nil {
		return nil, err
	}
	log, err := wal.Open(wal.Options{
		FS:           vfs.OS{},
		Dir:          dir,
		Identity:     logIdentity,
		SegmentBytes: defaultSegmentBytes,
	}, wal.End{}, 0)
	if err != nil {
		return nil, err
	}
	return appendLog{log, sync == appendtest.SyncCommit}, nil
}

func (l appendLog) Append(records [][]byte) error {
	for _, record := range records {
		if err := l.Reserve(len(record)); err != nil {
			return err
		}
		copy(l.Payload(len(record)), record)
		l.Log.Append(1, 0, 1, len(record))
	}
	return l.Commit(l.sync)
}

func (l appendLog) Syncs() int { return int(l.Log.Syncs()) }

func readLog(dir string, visit func([]byte) error) error {
	_, err := wal.Scan(vfs.OS{}, dir, logIdentity, 0, func(f *wal.Frame) error {
		return visit(f.Payload[:appendtest.RecordSize]) // without its padding
	})
	return err
}

func TestAppend(t *testing.T) { appendtest.Verify(t, appendEngine) }

func BenchmarkAppend(b *testing.B) { appendtest.Benchmark(b, appendEngine) }

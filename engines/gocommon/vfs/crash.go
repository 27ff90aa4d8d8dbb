package vfs

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

// Keep says what a crash leaves of the data that was not synced.
type Keep uint8

const (
	KeepAll     Keep = iota // everything: what kill -9 leaves
	KeepNone                // nothing: the strictest power loss
	KeepSectors             // a random subset of the dirty sectors
	KeepTorn                // as KeepSectors, and one kept sector is cut in the middle
	KeepGarbage             // as KeepSectors, and some lost sectors hold random bytes
)

// Keeps lists all of them.
var Keeps = []Keep{KeepAll, KeepNone, KeepSectors, KeepTorn, KeepGarbage}

// String returns the name used in test output.
func (k Keep) String() string {
	return [...]string{"all", "none", "sectors", "torn", "garbage"}[k]
}

const sectorBytes = 512

// Crash returns what a reboot would find: the synced state and, by keep, a part
// of what was not synced. Directory changes are kept as a prefix of their order
// (all, none, or a random one), as a journaling file system does. Locks are
// gone. The original is not changed.
func (m *Mem) Crash(keep Keep, rng *rand.Rand) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := NewMem()
	nodes := map[*inode]*inode{}
	for _, dirName := range slices.Sorted(maps.Keys(m.dirs)) {
		d := m.dirs[dirName]
		entries := maps.Clone(d.synced)
		for _, c := range d.pending[:keptChanges(len(d.pending), keep, rng)] {
			set(entries, c)
		}
		nd := &memDir{entries: map[string]*inode{}, synced: map[string]*inode{}}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			node := entries[name]
			if nodes[node] == nil {
				data := node.crash(keep, rng)
				nodes[node] = &inode{data: data, synced: slices.Clone(data)}
			}
			nd.entries[name], nd.synced[name] = nodes[node], nodes[node]
		}
		out.dirs[dirName] = nd
	}
	return out
}

func keptChanges(n int, keep Keep, rng *rand.Rand) int {
	switch keep {
	case KeepAll:
		return n
	case KeepNone:
		return 0
	}
	return rng.IntN(n + 1)
}

func (node *inode) crash(keep Keep, rng *rand.Rand) []byte {
	switch keep {
	case KeepAll:
		return slices.Clone(node.data)
	case KeepNone:
		return slices.Clone(node.synced)
	}
	size := len(node.synced)
	if rng.IntN(2) == 0 {
		size = len(node.data)
	}
	out := make([]byte, size)
	copy(out, node.synced)
	tear := keep == KeepTorn
	for at := 0; at < size && at < len(node.data); at += sectorBytes {
		end := min(at+sectorBytes, size, len(node.data))
		fresh := node.data[at:end]
		if bytes.Equal(fresh, out[at:end]) {
			continue
		}
		switch kept := rng.IntN(2) == 0; {
		case kept && tear:
			copy(out[at:end], fresh[:rng.IntN(len(fresh))])
			tear = false
		case kept:
			copy(out[at:end], fresh)
		case keep == KeepGarbage && rng.IntN(2) == 0:
			scribble(out[at:end], fresh, rng)
		}
	}
	return out
}

// scribble puts random bytes where old and fresh differ. Bytes that the write
// did not change stay: a sector holds its old or its new contents elsewhere.
func scribble(old, fresh []byte, rng *rand.Rand) {
	for i := range old {
		if old[i] != fresh[i] {
			old[i] = byte(rng.Uint32())
		}
	}
}

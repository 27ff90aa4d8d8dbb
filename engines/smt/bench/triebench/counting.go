package triebench

import "hash"

// CountingHash counts the digests of nodes that a hash makes. Nodes are longer than 64 bytes, the
// keys and values of the benchmarks are not.
type CountingHash struct {
	hash.Hash
	Nodes uint64
}

func (h *CountingHash) Write(p []byte) (int, error) {
	if len(p) > 64 {
		h.Nodes++
	}
	return h.Hash.Write(p)
}

// Package format is the byte format of the sparse Merkle trie and of the sparse
// Merkle sum trie: paths, node preimages and digests. It is pure: no state, no
// I/O. FORMAT.md, beside the module, describes the same in prose.
//
// Digests are compatible with the published library (v0.14 with SumCount, its
// v0.8 to v0.10 with Sum8).
package format

// Package trie is a sparse Merkle trie, or sparse Merkle sum trie, in memory.
// The bytes it hashes are those of package format, so roots and proofs are those
// of the published library.
//
// # Memory
//
// Leaves and branches lie in arenas outside of the Go heap (arena.go): arrays of
// entries without pointers, which never move. A leaf is path and leaf value, 64
// bytes (sum trie 80). A branch is its children, depth and birth, 16 bytes, and
// in a second column the digests of both children, 64 bytes (sum trie 96). Only
// inner nodes with two children that are not empty are branches, n-1 for n
// leaves: a chain is in no memory, its digests are computed when they are needed.
// So a key takes 148 bytes, in a sum trie 196, and its share of the directory
// another 8 to 16.
//
// # Changing
//
// A batch is hashed, many keys a call, and sorted by path (sorter.go). Every item
// is located, 16 walks side by side so that their cache misses overlap, then a
// recursion merges the items into the branches (merge.go); where all of them only
// give leaves new values, the workers share that (overwrite.go). An empty trie is
// built from the sorted items by all workers (build.go); a bulk load hashes its keys
// as they come and never holds them all (bulkload.go). All this only marks digests
// as stale. Root collects what is stale, by subtrees that the workers share, and
// hashes depth by depth from the deepest, 64 messages a call (rehash.go, hasher.go). The
// number of node hashes is the least there can be: 2.443 a key for a bulk fill;
// for updates of 1M keys 22.2 each one by one, 12.4 in batches of 1000, 9.05 of
// 10,000.
//
// # Reading
//
// A walk takes the bit at each branch's depth and compares the path at the leaf
// only. In the newest state a directory leads past most of the levels
// (directory.go), 21 bits at 1M keys: one or two branches are left, and a get takes
// 30% less processor time than with a directory of 15 bits. Gets and proofs of a
// batch go 16 side by side, with what each reads next prefetched: half the time for
// gets, less than half for proofs.
//
// Frozen versions share structure with the newest state, see versions.go:
// snapshots, kept roots and rollback are the same thing. What no frozen version
// sees is changed in place, so a trie without them pays nothing.
package trie

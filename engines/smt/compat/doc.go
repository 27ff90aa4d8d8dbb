// Package compat has the names and the behaviour of the published library
// pokt-network/smt (v0.14) over package trie, so that a program can change its
// import, and both can read the other's proofs and node stores.
//
// What differs, on purpose:
//
//   - The defects that panic, or accept or refuse wrongly, are not here; package
//     proof lists them in its tests.
//   - Hashers must be SHA-256 or SHA-512 of key and value, the key itself as path,
//     or no value hasher. Any other makes every call fail with ErrHasher.
//   - Import reads the whole store at the first use, and checks it. A store that
//     is damaged fails with ErrStore.
//   - Commit writes first and deletes orphans afterwards. What it stores is
//     canonical: a fresh trie of the same contents stores the same. After an Import
//     of a store that is not, and after a Commit that failed, it writes all nodes.
//   - Calls that fail with ErrHasher or ErrStore give nil as Root.
//
// Like the library's, a trie is for one goroutine at a time.
package compat

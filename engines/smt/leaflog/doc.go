// Package leaflog makes a sparse Merkle trie durable. A directory holds the
// leaves only: a sorted checkpoint of all of them and a log of the commits made
// since. The nodes are hashed again when the directory is opened, so a commit
// writes about 65 bytes a changed key (81 with sum and count) and syncs once.
//
// # Guarantees
//
// When Commit returns, the commit survives the end of the process and a loss of
// power. When a write or a sync fails, also one of a checkpoint, the store is
// unusable from the next commit on, and opening the directory again yields the
// root of the last commit that returned or of the one that failed.
//
// Only what was never acknowledged is cut off the end of the log; damage to
// anything else is a *CorruptError. Two cases cannot be told from a torn write:
// after a loss of power, damage to the very last commit of the log, and at any
// time a log cut off behind an earlier commit. Who keeps the root that Commit
// returned can compare.
//
// # Files
//
// Numbers in names are 16 lower-case hexadecimal digits; integers are
// little-endian; crc is CRC-32C. Commits are counted from 1.
//
//	leaves-<n>.ckpt   the leaves after n commits; the newest counts
//	log-<n>.log       the commits n+1, n+2, ...; all from that of the newest checkpoint on count
//	<name>.tmp        unfinished, removed by Open
//
// A checkpoint is a header and one group of blocks, numbered n. A log is a
// header and for every commit a group of blocks followed by a mark; the rest of
// the file is zeros. The first log, log-0, has no checkpoint. A log ends where
// the next one begins.
//
// Header, 36 bytes:
//
//	 0  8  magic "SMTCKPT\n" or "SMTLOG\n\x00"
//	 8  8  identity of the store, random, not zero
//	16  8  n, as in the name
//	24  4  hash, path hasher, value hasher, sum (one byte each, as in format.Format)
//	28  2  version, 1
//	30  2  zero
//	32  4  crc of the bytes before
//
// Block, 40 bytes and the payload:
//
//	 0  8  identity of the store
//	 8  8  number of the commit
//	16  4  index of the block in its group, from 0
//	20  4  kind: 1 part, 2 last, 3 mark
//	24  4  records in the payload
//	28  4  bytes of payload
//	32  4  crc of the payload
//	36  4  crc of the bytes before
//	40     payload: records; in a last block then the root
//
// A block is ended when its records reach 1 MiB. A mark has no payload and index
// 0. It is written when the sync of its commit has returned, and made durable by
// the next commit: it proves that the commit was durable.
//
// The log ends where the blocks of the next commit do not verify. It is corrupt
// when, anywhere behind, a block header verifies that is the mark of that commit
// or belongs to a later commit, for those are written after its sync only.
//
// Record: the path, a uvarint, and the leaf value (value hash or raw value, then
// sum and count). The uvarint is 0 for a deletion, without leaf value, and else
// the length of the leaf value plus 1. A group has each path once, ascending; a
// checkpoint has no deletions.
package leaflog

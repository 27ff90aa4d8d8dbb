// Package sha256x hashes many short messages with SHA-256 (FIPS 180-4): the
// nodes of a trie, two blocks of 64 bytes each, and its keys and values, mostly
// one block. The digests are those of crypto/sha256; only the speed differs.
//
// # Implementations
//
// Std calls crypto/sha256 for each message. It has a high fixed cost a call,
// and hashes the blocks one after the other.
//
// SHANI, on amd64 with SHA and AVX, hashes four messages in one loop. Messages
// are at most two blocks (119 bytes); longer ones go to Std. Two things make
// it fast:
//
//   - SHA256RNDS2 takes four cycles and a block needs 32 of them, each waiting
//     for the last: 128 cycles for a message alone. But one can start each
//     cycle, so four independent messages take no longer than one.
//   - The second block of a 65-byte message (leaf and inner node of a trie
//     without sums) holds one byte of it. Its message schedule comes from a
//     table of 256 schedules, 64 KiB, made at the first New.
//
// # Speed
//
// Nanoseconds a message, one core of an AMD EPYC (Zen 3, 3.2 GHz), least of
// many runs, in the caches. "Kernel" is the assembly alone; the others are the
// methods, with 64 messages a call and with one.
//
//	message                        1 block (32 B)   65 B   113 B
//	Std, SumFixed                      103          161     153
//	kernel, 1 message                   35           71      71   (65 B without the table)
//	registers only, 2 interleaved       20           40      40   (tried, not kept)
//	kernel, 4 interleaved               20           31      37
//	SHANI, SumFixed, 64 messages        27           37      46
//	SHANI, SumFixed, 1 message          91          128     134
//	SHANI, Sum                          57           98      98
//
// The floor of a block is 32 starts of SHA256RNDS2, 10 ns. A scheduled block
// takes 11 ns. A plain one takes 17 to 20 ns: the schedule (SHA256MSG1,
// SHA256MSG2) and the rounds share the vector units, which alone allow 3.3
// cycles for four rounds with schedule, 15 ns a block. The table was expected
// to save 9 ns a message (20 to 11) and saves 6. With one or two messages a
// call the cost of preparing a batch shows, about 40 ns a call: give many.
//
// There is no kernel of AVX-512 with 16 lanes. A round with its schedule is some 25
// operations, 17 without; Zen 4 does two of 512 bits a cycle: 12.6 and 8.5 cycles a
// round, so 16 and 11 ns a block at 3.2 GHz. With 2 ns to bring the message into
// lanes that is 29 ns for 65 bytes, against 31: not worth a second kernel.
package sha256x

// Package seed defines the flag -seed of the benchmarks, from which all their randomness comes.
package seed

import (
	"encoding/binary"
	"flag"
)

var number = flag.Uint64("seed", 0, "seed of all random numbers of the benchmarks")

// Number returns the seed as it was given.
func Number() uint64 { return *number }

// Bytes returns the seed in little-endian order, filled up with zeros.
func Bytes() (seed [32]byte) {
	binary.LittleEndian.PutUint64(seed[:], *number)
	return seed
}

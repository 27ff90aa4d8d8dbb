package appendtest

import (
	"encoding/binary"
	"math/rand/v2"

	"assay/gocommon/seed"
)

// RecordSize is the length of every record in bytes.
const RecordSize = 32

// makeRecords returns n records end to end: an 8-byte number, counted from 0, and 24 random bytes.
// They follow from the flag -seed.
func makeRecords(n int) []byte {
	records := make([]byte, n*RecordSize)
	random := rand.NewChaCha8(seed.Bytes())
	_, _ = random.Read(records) // never fails
	for i := range n {
		binary.LittleEndian.PutUint64(records[i*RecordSize:], uint64(i))
	}
	return records
}

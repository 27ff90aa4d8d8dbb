package pool

import (
	"encoding/binary"
	"errors"
	"fmt"

	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// Frame types of a pool's log; a lone draw is a wal.TypeLone frame. FORMAT.md
// has the payloads.
const (
	typeDraws    byte = 1 // column of items; flags = bytes an item
	typeRequest  byte = 2 // one draw: request id, item
	typeUpdate   byte = 3
	typeAdd      byte = 4
	typeRetire   byte = 5
	typeSnapshot byte = 6 // a snapshot was published
)

// The fields of an update that are present.
const (
	updateQuantity = 1 << iota
	updateDelta
	updateWeight
)

const (
	requestBytes  = 16 + 4
	snapshotBytes = 8 + 32
)

var errPayload = errors.New("payload does not fit its type")

// itemWidth returns the bytes of an item in a column, from the catalog's size.
func itemWidth(items int) int {
	switch {
	case items <= 1<<8:
		return 1
	case items <= 1<<16:
		return 2
	case items <= 1<<24:
		return 3
	}
	return 4
}

// putColumn writes items in width bytes each.
func putColumn(b []byte, items []uint32, width int) {
	switch width {
	case 1:
		for len(items) >= 8 && len(b) >= 8 {
			word := uint64(items[0]) | uint64(items[1])<<8 | uint64(items[2])<<16 | uint64(items[3])<<24 |
				uint64(items[4])<<32 | uint64(items[5])<<40 | uint64(items[6])<<48 | uint64(items[7])<<56
			binary.LittleEndian.PutUint64(b, word)
			items, b = items[8:], b[8:]
		}
		for i, item := range items {
			b[i] = byte(item)
		}
	case 2:
		for i, item := range items {
			binary.LittleEndian.PutUint16(b[2*i:], uint16(item))
		}
	case 3:
		for i, item := range items {
			b[3*i], b[3*i+1], b[3*i+2] = byte(item), byte(item>>8), byte(item>>16)
		}
	default:
		for i, item := range items {
			binary.LittleEndian.PutUint32(b[4*i:], item)
		}
	}
}

// readColumn appends the items of a DRAWS frame to dst.
func readColumn(dst []uint32, f *wal.Frame) ([]uint32, error) {
	width, n := int(f.Flags), int(f.Events)
	if width < 1 || width > 4 || n < 1 || n > MaxDraws || wal.PaddedPayload(width*n) != len(f.Payload) {
		return dst, errPayload
	}
	b := f.Payload
	switch width {
	case 1:
		for _, v := range b[:n] {
			dst = append(dst, uint32(v))
		}
	case 2:
		for ; n > 0; n, b = n-1, b[2:] {
			dst = append(dst, uint32(binary.LittleEndian.Uint16(b)))
		}
	case 3:
		for ; n > 0; n, b = n-1, b[3:] {
			dst = append(dst, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16)
		}
	default:
		for ; n > 0; n, b = n-1, b[4:] {
			dst = append(dst, binary.LittleEndian.Uint32(b))
		}
	}
	return dst, nil
}

func putRequest(b []byte, id core.RequestID, item uint32) {
	copy(b, id[:])
	binary.LittleEndian.PutUint32(b[16:], item)
}

func readRequest(f *wal.Frame) (id core.RequestID, item uint32, err error) {
	if f.Events != 1 || len(f.Payload) != wal.PaddedPayload(requestBytes) {
		return id, 0, errPayload
	}
	return core.RequestID(f.Payload), binary.LittleEndian.Uint32(f.Payload[16:]), nil
}

func appendUpdate(b []byte, id string, u core.Update) []byte {
	var fields byte
	var quantity, weight uint64
	if u.Quantity != nil {
		fields, quantity = fields|updateQuantity, uint64(*u.Quantity)
	}
	if u.Delta != nil {
		fields, quantity = fields|updateDelta, uint64(*u.Delta)
	}
	if u.Weight != nil {
		fields, weight = fields|updateWeight, *u.Weight
	}
	b = append(b, fields)
	b = binary.LittleEndian.AppendUint64(b, quantity)
	b = binary.LittleEndian.AppendUint64(b, weight)
	return appendID(b, id)
}

func readUpdate(f *wal.Frame) (id string, u core.Update, err error) {
	const fixed = 1 + 8 + 8
	if f.Events != 1 || len(f.Payload) < fixed {
		return "", u, errPayload
	}
	fields := f.Payload[0]
	quantity := int64(binary.LittleEndian.Uint64(f.Payload[1:]))
	weight := binary.LittleEndian.Uint64(f.Payload[9:])
	if fields&updateQuantity != 0 {
		u.Quantity = &quantity
	}
	if fields&updateDelta != 0 {
		u.Delta = &quantity
	}
	if fields&updateWeight != 0 {
		u.Weight = &weight
	}
	id, err = readID(f.Payload, fixed)
	return id, u, err
}

func appendAdd(b []byte, it core.Item) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(it.Quantity))
	b = binary.LittleEndian.AppendUint64(b, it.Weight)
	return appendID(b, it.ID)
}

func readAdd(f *wal.Frame) (it core.Item, err error) {
	const fixed = 8 + 8
	if f.Events != 1 || len(f.Payload) < fixed {
		return it, errPayload
	}
	it.Quantity = int64(binary.LittleEndian.Uint64(f.Payload))
	it.Weight = binary.LittleEndian.Uint64(f.Payload[8:])
	it.ID, err = readID(f.Payload, fixed)
	return it, err
}

func readRetire(f *wal.Frame) (string, error) {
	if f.Events != 1 {
		return "", errPayload
	}
	return readID(f.Payload, 0)
}

// appendID adds the length and the bytes of an id; core bounds it to 255.
func appendID(b []byte, id string) []byte { return append(append(b, byte(len(id))), id...) }

// readID reads the id that is the last field of a payload.
func readID(payload []byte, at int) (string, error) {
	if len(payload) <= at {
		return "", errPayload
	}
	end := at + 1 + int(payload[at])
	if len(payload) != wal.PaddedPayload(end) {
		return "", errPayload
	}
	return string(payload[at+1 : end]), nil
}

func appendSnapshotMark(b []byte, lsn uint64, hash [32]byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, lsn), hash[:]...)
}

func readSnapshotMark(f *wal.Frame) (lsn uint64, hash [32]byte, err error) {
	if f.Events != 1 || len(f.Payload) != wal.PaddedPayload(snapshotBytes) {
		return 0, hash, errPayload
	}
	return binary.LittleEndian.Uint64(f.Payload), [32]byte(f.Payload[8:]), nil
}

// badFrame is damage that passed the checksum; Scan fills in the place.
func badFrame(f *wal.Frame, err error) error {
	return &wal.CorruptError{LSN: f.LSN, Why: fmt.Sprintf("frame of type %d: %v", f.Type, err)}
}

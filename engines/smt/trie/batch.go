package trie

// Batch is a sequence of puts and deletes in flat buffers. Its zero value is
// empty. It copies what it is given. Not safe for concurrent use.
type Batch struct {
	data []byte // keys and values, one after the other
	ops  []op
}

type op struct {
	offset     int // of the key in data; the value follows
	key, value int // lengths; a delete has value isDelete
	weight     uint64
}

const isDelete = -1

// Put adds "key gets value and weight"; without a sum the weight is ignored.
func (b *Batch) Put(key, value []byte, weight uint64) {
	b.ops = append(b.ops, op{len(b.data), len(key), len(value), weight})
	b.data = append(append(b.data, key...), value...)
}

// Delete adds "key goes".
func (b *Batch) Delete(key []byte) {
	b.ops = append(b.ops, op{len(b.data), len(key), isDelete, 0})
	b.data = append(b.data, key...)
}

// Len is the number of operations.
func (b *Batch) Len() int { return len(b.ops) }

// Reset empties the batch and keeps its buffers.
func (b *Batch) Reset() { b.data, b.ops = b.data[:0], b.ops[:0] }

func (b *Batch) used() int { return cap(b.data) + cap(b.ops)*opSize }

func (b *Batch) key(i int) []byte {
	o := &b.ops[i]
	return b.data[o.offset:][:o.key]
}

func (b *Batch) value(i int) []byte {
	o := &b.ops[i]
	return b.data[o.offset+o.key:][:o.value]
}

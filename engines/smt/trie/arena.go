package trie

import (
	"math/bits"
	"unsafe"
)

// arena is an array of entries that never move: chunk c holds the entries
// first<<c-first and on, first<<c of them. An entry has two columns, each
// contiguous within a chunk, so that a walk does not load what it does not read.
// The first 4 bytes of column a link the freed entries. Entry 0 is reserved.
//
// One goroutine allocates; others may read entries they learnt of before.
type arena struct {
	shift   int // log2(first)
	strides [2]uintptr
	chunks  [2][maxChunks]unsafe.Pointer
	mem     [][]byte
	next    uint32 // first entry never used
	free    uint32 // head of the freed entries, 0 if none
	live    int
}

const (
	maxChunks  = 32
	firstBytes = 16 << 10 // of the first chunk, so that small tries stay small
)

func (a *arena) init(strideA, strideB int) {
	*a = arena{strides: [2]uintptr{uintptr(strideA), uintptr(strideB)}, next: 1}
	a.shift = max(0, bits.Len(uint(firstBytes/max(strideA, strideB)))-1)
}

func (a *arena) place(i uint32) (chunk int, offset uintptr) {
	j := uint64(i) + 1<<a.shift
	chunk = bits.Len64(j) - 1 - a.shift
	return chunk & (maxChunks - 1), uintptr(j - 1<<(chunk+a.shift))
}

// a is column a of entry i, b column b.
func (a *arena) a(i uint32) unsafe.Pointer {
	c, offset := a.place(i)
	return unsafe.Add(a.chunks[0][c], offset*a.strides[0])
}

func (a *arena) b(i uint32) unsafe.Pointer {
	c, offset := a.place(i)
	return unsafe.Add(a.chunks[1][c], offset*a.strides[1])
}

// alloc gives an entry; a reused one holds what it held.
func (a *arena) alloc() uint32 {
	if i := a.free; i != 0 {
		a.free = *(*uint32)(a.a(i))
		a.live++
		return i
	}
	return a.allocRun(1)
}

// allocRun gives n entries that follow each other, all of them zero.
func (a *arena) allocRun(n int) uint32 {
	i := a.next
	a.next += uint32(n)
	a.live += n
	last, _ := a.place(a.next - 1)
	for c := len(a.mem) / 2; c <= last; c++ {
		for col, stride := range a.strides {
			mem := mapMemory(max(1, int(stride)<<(a.shift+c)))
			a.mem = append(a.mem, mem)
			a.chunks[col][c] = start(mem)
		}
	}
	return i
}

func (a *arena) release(i uint32) {
	*(*uint32)(a.a(i)) = a.free
	a.free = i
	a.live--
}

// used is the bytes of all entries that were ever allocated.
func (a *arena) used() int { return int(a.next) * int(a.strides[0]+a.strides[1]) }

// room is how many entries can still be allocated.
func (a *arena) room() int { return maxEntries - a.live }

// maxEntries is what a ref can name.
const maxEntries = 1<<31 - 1

func (a *arena) unmap() {
	for _, mem := range a.mem {
		unmapMemory(mem)
	}
	a.init(int(a.strides[0]), int(a.strides[1]))
}

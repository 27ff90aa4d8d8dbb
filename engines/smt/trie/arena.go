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
	first   uint64 // a power of 2
	shift   uint   // log2(first)
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
	a.shift = uint(bits.Len(uint(firstBytes/max(strideA, strideB))|1) - 1)
	a.first = 1 << a.shift
}

// place is on every step of a walk; the masks spare it tests.
func (a *arena) place(i uint32) (chunk uint, offset uintptr) {
	j := uint64(i) + a.first
	top := uint(bits.Len64(j)-1) & 63
	return (top - a.shift) & (maxChunks - 1), uintptr(j ^ 1<<top)
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

// both are the columns of entry i.
func (a *arena) both(i uint32) (colA, colB unsafe.Pointer) {
	c, offset := a.place(i)
	return unsafe.Add(a.chunks[0][c], offset*a.strides[0]), unsafe.Add(a.chunks[1][c], offset*a.strides[1])
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

// allocRun gives n entries that follow each other, with any content.
func (a *arena) allocRun(n int) uint32 {
	i := a.next
	a.next += uint32(n)
	a.live += n
	last, _ := a.place(a.next - 1)
	for c := uint(len(a.mem) / 2); c <= last; c++ {
		for col, stride := range a.strides {
			mem := mapMemory(max(1, int(stride)<<(a.shift+c)))
			a.mem = append(a.mem, mem)
			a.chunks[col][c] = start(mem)
		}
	}
	return i
}

// rest is how many entries from i on are contiguous.
func (a *arena) rest(i uint32) int {
	c, offset := a.place(i)
	return 1<<(a.shift+c) - int(offset)
}

// cut gives the newest entries back, from i on.
func (a *arena) cut(i uint32) {
	a.live -= int(a.next - i)
	a.next = i
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

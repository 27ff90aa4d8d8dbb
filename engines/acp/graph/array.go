package graph

import "sync/atomic"

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
)

// array grows without moving its elements, so that readers keep using them while the writer adds
// more. Element 0 is there from the start and means "none" to those who refer to elements. T has no
// pointers, so the garbage collector looks into none of it.
type array[T any] struct {
	chunks atomic.Pointer[[]*[chunkSize]T]
	length uint32 // the writer's
}

func (a *array[T]) init() {
	a.length = 1
	a.chunks.Store(&[]*[chunkSize]T{new([chunkSize]T)})
}

// at returns an element that the caller knows to be there.
func (a *array[T]) at(i uint32) *T {
	return &(*a.chunks.Load())[i>>chunkBits][i&(chunkSize-1)]
}

// find returns an element, or nil where the array was never grown so far.
func (a *array[T]) find(i uint32) *T {
	chunks := *a.chunks.Load()
	if int(i>>chunkBits) >= len(chunks) {
		return nil
	}
	return &chunks[i>>chunkBits][i&(chunkSize-1)]
}

// grow adds zero elements up to length n.
func (a *array[T]) grow(n uint32) {
	if n <= a.length {
		return
	}
	a.length = n
	old := *a.chunks.Load()
	need := int((n-1)>>chunkBits) + 1
	if need <= len(old) {
		return
	}
	chunks := append(make([]*[chunkSize]T, 0, need), old...)
	for len(chunks) < need {
		chunks = append(chunks, new([chunkSize]T))
	}
	a.chunks.Store(&chunks)
}

// add makes room for one more element and returns its number.
func (a *array[T]) add() uint32 {
	a.grow(a.length + 1)
	return a.length - 1
}

// sparse is an array of which few elements are used, by one goroutine; the others take no memory.
type sparse[T any] struct{ chunks []*[chunkSize]T }

func (a *sparse[T]) at(i uint32) *T {
	for int(i>>chunkBits) >= len(a.chunks) {
		a.chunks = append(a.chunks, nil)
	}
	chunk := &a.chunks[i>>chunkBits]
	if *chunk == nil {
		*chunk = new([chunkSize]T)
	}
	return &(*chunk)[i&(chunkSize-1)]
}

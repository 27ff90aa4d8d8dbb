//go:build !linux || race

package trie

import "unsafe"

// On the Go heap the race detector watches the memory, and any system has it.

func mapMemory(size int) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}

func unmapMemory([]byte) {}

func start(mem []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(mem)) }

//go:build linux && !race

package trie

import (
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

// mapMemory returns size zeroed bytes outside of the Go heap, on huge pages
// where there are any and size is worth it. Untouched pages take no memory.
func mapMemory(size int) []byte {
	room := size
	if size >= hugePage {
		room += hugePage // so that the first whole huge page can be the start
	}
	mem, err := syscall.Mmap(-1, 0, room, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		panic("trie: out of memory: " + err.Error()) // as the Go heap does
	}
	if size >= hugePage {
		_ = syscall.Madvise(mem, syscall.MADV_HUGEPAGE) // only speed is lost without
	}
	return mem
}

func unmapMemory(mem []byte) { _ = syscall.Munmap(mem) }

// start is the place in mem from where it is used.
func start(mem []byte) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(mem))
	if len(mem) <= hugePage {
		return p
	}
	return unsafe.Add(p, -uintptr(p)&(hugePage-1))
}

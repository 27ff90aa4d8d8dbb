package channeltext

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// ErrLogFull means that a mapped log has no room for the next lines.
var ErrLogFull = errors.New("the log is full")

// madvPopulateWrite makes all pages of a mapping present and writable (Linux 5.14).
const madvPopulateWrite = 23

// store takes the lines of the log.
type store interface {
	write(lines []byte) error
	sync() error
	close() error
}

type fileStore struct{ file *os.File }

func openFile(path string) (store, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return fileStore{file}, nil
}

func (s fileStore) write(lines []byte) error {
	_, err := s.file.Write(lines)
	return err
}

func (s fileStore) sync() error  { return s.file.Sync() }
func (s fileStore) close() error { return s.file.Close() }

// mapStore is a file of fixed size in a shared mapping.
type mapStore struct {
	file    *os.File
	mapping []byte
	used    int
	synced  int // of used, at the last sync
}

// openMap makes a log of size zero bytes on disk and maps it, all pages present and clean.
func openMap(path string, size int) (store, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	mapping, err := mapZeros(file, size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mapping a log of %d bytes: %w", size, err), file.Close())
	}
	return &mapStore{file: file, mapping: mapping}, nil
}

func mapZeros(file *os.File, size int) ([]byte, error) {
	zeros := make([]byte, 1<<20)
	for left := size; left > 0; left -= len(zeros) {
		if _, err := file.Write(zeros[:min(left, len(zeros))]); err != nil {
			return nil, err
		}
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	mapping, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	// An older kernel answers EINVAL; the pages then fault in one by one.
	if err := syscall.Madvise(mapping, madvPopulateWrite); err != nil && err != syscall.EINVAL {
		return nil, errors.Join(os.NewSyscallError("madvise", err), syscall.Munmap(mapping))
	}
	// Populating made every page dirty again.
	if err := msync(mapping); err != nil {
		return nil, errors.Join(err, syscall.Munmap(mapping))
	}
	return mapping, nil
}

func (s *mapStore) write(lines []byte) error {
	if len(lines) > len(s.mapping)-s.used {
		return ErrLogFull
	}
	s.used += copy(s.mapping[s.used:], lines)
	return nil
}

// sync writes out the pages that took lines since the last sync.
func (s *mapStore) sync() error {
	if err := msync(s.dirty()); err != nil {
		return err
	}
	s.synced = s.used
	return nil
}

// dirty returns the lines since the last sync, from the beginning of their first page.
func (s *mapStore) dirty() []byte {
	return s.mapping[s.synced&^(os.Getpagesize()-1) : s.used]
}

// msync needs memory that begins at a page.
func msync(memory []byte) error {
	if len(memory) == 0 {
		return nil
	}
	_, _, errno := syscall.Syscall(syscall.SYS_MSYNC,
		uintptr(unsafe.Pointer(&memory[0])), uintptr(len(memory)), syscall.MS_SYNC)
	if errno != 0 {
		return os.NewSyscallError("msync", errno)
	}
	return nil
}

// close cuts the file to what was written.
func (s *mapStore) close() error {
	return errors.Join(syscall.Munmap(s.mapping), s.file.Truncate(int64(s.used)), s.file.Close())
}

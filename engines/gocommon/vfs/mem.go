package vfs

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"
)

// Call names one file-system call that Mem is about to make.
type Call struct {
	Op   string // "create", "open", "read", "write", "datasync", "allocate", "map", ...
	Name string // path of the file or directory
}

// Mutates reports whether the call can change what a crash leaves behind.
func (c Call) Mutates() bool {
	switch c.Op {
	case "open", "read", "readdir", "lock", "map":
		return false
	}
	return true
}

// Mem is an in-memory file system for tests. It is strict: data that was not
// synced and directory entries whose directory was not synced may be lost in
// a Crash. It is safe for concurrent use, except that stores through a mapping
// are not ordered with Crash.
type Mem struct {
	mu    sync.Mutex
	dirs  map[string]*memDir
	locks map[string]int // -1 exclusive, n > 0 readers

	// Before runs ahead of every call, without locks held. An error makes the
	// call fail with it; io.ErrShortWrite makes a write stop half-way.
	Before func(Call) error
}

// memDir keeps the entries as synced and the changes made since, in order.
type memDir struct {
	entries map[string]*inode
	synced  map[string]*inode
	pending []dirChange
}

// dirChange sets the named entries (nil removes one); a rename is one change.
type dirChange map[string]*inode

type inode struct {
	data   []byte // as the running process sees it
	synced []byte // as the disk holds it
	dirty  []span // what the next sync writes
	mapped bool   // stores through a mapping are not seen, so a sync writes all
}

// span is a range of bytes.
type span struct{ from, to int64 }

// NewMem returns an empty file system.
func NewMem() *Mem {
	return &Mem{dirs: map[string]*memDir{}, locks: map[string]int{}}
}

func (m *Mem) before(op, name string) error {
	if m.Before == nil {
		return nil
	}
	if err := m.Before(Call{Op: op, Name: name}); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (d *memDir) apply(c dirChange) {
	set(d.entries, c)
	d.pending = append(d.pending, c)
}

func set(entries map[string]*inode, c dirChange) {
	for name, node := range c {
		if node == nil {
			delete(entries, name)
		} else {
			entries[name] = node
		}
	}
}

func (m *Mem) dir(name string) (*memDir, error) {
	if d, ok := m.dirs[path.Clean(name)]; ok {
		return d, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m *Mem) lookup(name string) (*memDir, *inode, error) {
	d, err := m.dir(path.Dir(name))
	if err != nil {
		return nil, nil, err
	}
	node, ok := d.entries[path.Base(name)]
	if !ok {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return d, node, nil
}

// MkdirAll creates a directory that survives a crash at once: the engine's
// promises begin inside of it.
func (m *Mem) MkdirAll(dir string) error {
	if err := m.before("mkdir", dir); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir = path.Clean(dir)
	if m.dirs[dir] == nil {
		m.dirs[dir] = &memDir{entries: map[string]*inode{}, synced: map[string]*inode{}}
	}
	return nil
}

func (m *Mem) Create(name string) (File, error) {
	if err := m.before("create", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.dir(path.Dir(name))
	if err != nil {
		return nil, err
	}
	node := &inode{}
	d.apply(dirChange{path.Base(name): node})
	return &memFile{fs: m, name: name, node: node, writable: true}, nil
}

func (m *Mem) Open(name string, write bool) (File, error) {
	if err := m.before("open", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, node, err := m.lookup(name)
	if err != nil {
		return nil, err
	}
	return &memFile{fs: m, name: name, node: node, writable: write}, nil
}

func (m *Mem) Rename(oldName, newName string) error {
	if err := m.before("rename", newName); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, node, err := m.lookup(oldName)
	if err != nil {
		return err
	}
	d.apply(dirChange{path.Base(oldName): nil, path.Base(newName): node})
	return nil
}

func (m *Mem) Remove(name string) error {
	if err := m.before("remove", name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, _, err := m.lookup(name)
	if err != nil {
		return err
	}
	d.apply(dirChange{path.Base(name): nil})
	return nil
}

func (m *Mem) ReadDir(dir string) ([]string, error) {
	if err := m.before("readdir", dir); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.dir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range d.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (m *Mem) SyncDir(dir string) error {
	if err := m.before("syncdir", dir); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.dir(dir)
	if err != nil {
		return err
	}
	for _, c := range d.pending {
		set(d.synced, c)
	}
	d.pending = nil
	return nil
}

func (m *Mem) Lock(dir string, exclusive bool) (io.Closer, error) {
	if err := m.before("lock", dir); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir = path.Clean(dir)
	if _, err := m.dir(dir); err != nil {
		return nil, err
	}
	held := m.locks[dir]
	if held < 0 || exclusive && held > 0 {
		return nil, &fs.PathError{Op: "lock", Path: dir, Err: ErrLocked}
	}
	if exclusive {
		m.locks[dir] = -1
	} else {
		m.locks[dir]++
	}
	return &memLock{fs: m, dir: dir, exclusive: exclusive}, nil
}

type memLock struct {
	fs        *Mem
	dir       string
	exclusive bool
}

func (l *memLock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.exclusive {
		l.fs.locks[l.dir] = 0
	} else {
		l.fs.locks[l.dir]--
	}
	return nil
}

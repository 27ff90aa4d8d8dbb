package compat

import "bytes"

// MapStore holds nodes: preimages by digest. The library's stores are MapStores.
type MapStore interface {
	Get(key []byte) ([]byte, error)
	Set(key, value []byte) error
	Delete(key []byte) error
	Len() (int, error)
	ClearAll() error
}

// SimpleMap is a MapStore in memory.
type SimpleMap struct{ m map[string][]byte }

// NewSimpleMap returns an empty SimpleMap.
func NewSimpleMap() MapStore { return NewSimpleMapWithMap(map[string][]byte{}) }

// NewSimpleMapWithMap returns a SimpleMap that uses m.
func NewSimpleMapWithMap(m map[string][]byte) MapStore { return &SimpleMap{m} }

// Get fails with ErrKVStoreKeyNotFound or ErrKVStoreEmptyKey.
func (s *SimpleMap) Get(key []byte) ([]byte, error) {
	if len(key) == 0 {
		return nil, ErrKVStoreEmptyKey
	}
	value, ok := s.m[string(key)]
	if !ok {
		return nil, ErrKVStoreKeyNotFound
	}
	return value, nil
}

// Set stores a copy of value. An empty key fails with ErrKVStoreEmptyKey.
func (s *SimpleMap) Set(key, value []byte) error {
	if len(key) == 0 {
		return ErrKVStoreEmptyKey
	}
	s.m[string(key)] = bytes.Clone(value)
	return nil
}

// Delete fails with ErrKVStoreKeyNotFound or ErrKVStoreEmptyKey.
func (s *SimpleMap) Delete(key []byte) error {
	if _, err := s.Get(key); err != nil {
		return err
	}
	delete(s.m, string(key))
	return nil
}

// Len is the number of nodes.
func (s *SimpleMap) Len() (int, error) { return len(s.m), nil }

// ClearAll removes all nodes.
func (s *SimpleMap) ClearAll() error {
	clear(s.m)
	return nil
}

package trie

import "unsafe"

// prefetch starts to bring two cache lines in, which may be the same. Unlike
// loads, which hold up what comes after them, any number can be under way.
//
//go:noescape
func prefetch(p, q unsafe.Pointer)

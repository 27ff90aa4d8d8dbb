//go:build !amd64

package trie

import "unsafe"

func prefetch(p, q unsafe.Pointer) {}

package format

import "errors"

// Errors; test with errors.Is. The text says what was found and expected.
var (
	// ErrFormat means that a Format has an unknown hash, hasher or sum.
	ErrFormat = errors.New("unknown format")
	// ErrKeyLength means that a key is not a path, under IdentityKey.
	ErrKeyLength = errors.New("wrong key length")
	// ErrNode means that bytes are not a node preimage.
	ErrNode = errors.New("not a node")
)

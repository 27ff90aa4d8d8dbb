//go:build !race

package spicedb_test

const bytesPerByte = 64

//go:build race

package spicedb_test

const bytesPerByte = 128 // the race detector doubles what is allocated

// Package vectors reads the test vectors of testdata and makes the input they
// were made from. It is for tests only: what cannot be read ends the test.
package vectors

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"assay/smt/format"
	"assay/smt/testdata"
)

// Hex is bytes written in hexadecimal; null is nil.
type Hex []byte

// UnmarshalJSON reads a string of hexadecimal digits, or null.
func (h *Hex) UnmarshalJSON(data []byte) error {
	var s *string
	if err := json.Unmarshal(data, &s); err != nil || s == nil {
		*h = nil
		return err
	}
	b, err := hex.DecodeString(*s)
	if b == nil {
		b = []byte{}
	}
	*h = b
	return err
}

// bytesOf is list without the name of its type.
func bytesOf(list []Hex) [][]byte {
	out := make([][]byte, len(list))
	for i, h := range list {
		out[i] = h
	}
	return out
}

// load reads a file of testdata, one JSON value a line.
func load[T any](tb testing.TB, name string) []T {
	tb.Helper()
	data, err := testdata.Files.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	var r io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
	var out []T
	for d := json.NewDecoder(bufio.NewReader(r)); ; {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return out
		} else if err != nil {
			tb.Fatalf("%s, line %d: %v", name, len(out)+1, err)
		}
		out = append(out, v)
	}
}

func formatOf(kind, hasher, pathHasher, valueHasher string) format.Format {
	var f format.Format
	switch kind {
	case "smst":
		f.Sum = format.SumCount
	case "smst_sum8":
		f.Sum = format.Sum8
	}
	if hasher == "sha512" {
		f.Hash = format.SHA512
	}
	if pathHasher == "identity32" {
		f.PathHasher = format.IdentityKey
	}
	if valueHasher == "none" {
		f.ValueHasher = format.RawValue
	}
	return f
}

// MaxKeys bounds the cases that a test takes: 12000 keys, or the number in the
// environment variable SMT_VECTOR_KEYS. All cases together need 1000000 and some
// minutes.
func MaxKeys(tb testing.TB) int {
	tb.Helper()
	s := os.Getenv("SMT_VECTOR_KEYS")
	if s == "" {
		return 12000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		tb.Fatalf("SMT_VECTOR_KEYS: %v", err)
	}
	return n
}

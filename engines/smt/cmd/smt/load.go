package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"assay/smt/trie"
)

// maxLine bounds a line of a file of leaves. A bulk load holds 8,192 of them at a time: 512 MiB.
const maxLine = 64 << 10

func runLoad(c *call) (err error) {
	c.dirFlag()
	path := c.flags.String("leaves", "", "file with a leaf a line, KEY<tab>VALUE and, with --sum, <tab>WEIGHT; - is the standard input (required)")
	if err := c.parse("dir", "leaves"); err != nil {
		return err
	}
	in := c.stdin
	if *path != "-" {
		file, err := os.Open(*path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	store, err := c.make()
	if err != nil {
		return err
	}
	defer closeStore(store, &err)
	if n := store.Count(); n > 0 {
		return usageError(fmt.Sprintf("%s holds %d keys: expected an empty or a new directory", c.dir, n))
	}
	leaves := newLeaves(*path, in, c.sum)
	if err := store.BulkLoad(0, leaves.next); err != nil {
		return loadError(err)
	}
	// Nothing is on disk before the commit.
	if n := store.Count(); n != leaves.line {
		return usageError(fmt.Sprintf("%s: %d lines of %d keys: expected each key once", *path, leaves.line, n))
	}
	root, err := store.Commit()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%x\n", root)
	return err
}

// loadError is the error of a bulk load; an operation that the trie refuses is wrong input.
func loadError(err error) error {
	var refused *trie.OpError
	if errors.As(err, &refused) {
		return usageError(fmt.Sprintf("line %d: %v", refused.Index+1, refused.Err))
	}
	return err
}

// leaves reads a file of leaves.
type leaves struct {
	path  string
	lines *bufio.Scanner
	sum   bool
	line  uint64
}

func newLeaves(path string, in io.Reader, sum bool) *leaves {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	return &leaves{path: path, lines: lines, sum: sum}
}

// next gives the leaf of the next line, valid until the next call, and io.EOF after the last.
func (l *leaves) next() (key, value []byte, weight uint64, err error) {
	if !l.lines.Scan() {
		switch err := l.lines.Err(); {
		case err == nil:
			return nil, nil, 0, io.EOF
		case errors.Is(err, bufio.ErrTooLong):
			l.line++
			return nil, nil, 0, l.wrong("at most %d bytes", maxLine)
		default:
			return nil, nil, 0, fmt.Errorf("%s: %w", l.path, err)
		}
	}
	l.line++
	key, value, found := bytes.Cut(l.lines.Bytes(), []byte("\t"))
	if !found {
		return nil, nil, 0, l.wrong("KEY<tab>VALUE")
	}
	if !l.sum {
		if bytes.Contains(value, []byte("\t")) {
			return nil, nil, 0, l.wrong("KEY<tab>VALUE, a weight with --sum only")
		}
		return key, value, 0, nil
	}
	value, text, _ := bytes.Cut(value, []byte("\t"))
	if weight, err = strconv.ParseUint(string(text), 10, 64); err != nil {
		return nil, nil, 0, l.wrong("KEY<tab>VALUE<tab>WEIGHT, the weight from 0 to 2^64-1")
	}
	return key, value, weight, nil
}

func (l *leaves) wrong(expected string, values ...any) error {
	return usageError(fmt.Sprintf("%s, line %d: expected %s", l.path, l.line, fmt.Sprintf(expected, values...)))
}

func runRoot(c *call) (err error) {
	c.dirFlag()
	if err := c.parse("dir"); err != nil {
		return err
	}
	store, err := c.open()
	if err != nil {
		return err
	}
	defer closeStore(store, &err)
	_, err = fmt.Fprintf(c.stdout, "%x\n", store.Root())
	return err
}

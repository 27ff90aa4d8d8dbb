package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"assay/smt/format"
	"assay/smt/leaflog"
	"assay/smt/trie"
)

// call is one verb with its flags.
type call struct {
	verb   verb
	flags  *flag.FlagSet
	args   []string
	stdin  io.Reader
	stdout io.Writer
	sum    bool
	dir    string
	key    string
}

func newCall(v verb, args []string, stdin io.Reader, stdout io.Writer) *call {
	c := &call{verb: v, args: args, stdin: stdin, stdout: stdout}
	c.flags = flag.NewFlagSet("smt "+v.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.sum, "sum", false, "a sum trie: each leaf has a weight")
	return c
}

// dirFlag defines --dir.
func (c *call) dirFlag() { c.flags.StringVar(&c.dir, "dir", "", "directory of the trie (required)") }

// keyFlag defines --key.
func (c *call) keyFlag() { c.flags.StringVar(&c.key, "key", "", "the key (required)") }

// parse parses the flags, of which the named ones are required. An argument that is no flag is an error.
func (c *call) parse(required ...string) error {
	if err := c.flags.Parse(c.args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(c.stdout, "%s: %s\n", c.flags.Name(), c.verb.summary)
		c.flags.SetOutput(c.stdout)
		c.flags.PrintDefaults()
		return err
	} else if err != nil {
		return usageError(err.Error())
	}
	if c.flags.NArg() > 0 {
		return usageError(fmt.Sprintf("unexpected argument %q", c.flags.Arg(0)))
	}
	for _, name := range required {
		if !c.given(name) {
			return usageError("--" + name + " is missing")
		}
	}
	return nil
}

// given tells whether a flag stands on the command line.
func (c *call) given(name string) bool {
	found := false
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func (c *call) format() format.Format {
	if c.sum {
		return format.Format{Sum: format.SumCount}
	}
	return format.Format{}
}

// open opens the trie in --dir, which must be there.
func (c *call) open() (*leaflog.Store, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, usageError(c.dir + " is empty: expected a trie, which `smt load` makes")
	}
	return c.make()
}

// make opens the trie in --dir, or makes an empty one.
func (c *call) make() (*leaflog.Store, error) {
	return leaflog.Open(c.dir, trie.Config{Format: c.format()}, leaflog.Options{})
}

// closeStore closes a store and adds what failed to the error of the verb.
func closeStore(s *leaflog.Store, err *error) { *err = errors.Join(*err, s.Close()) }

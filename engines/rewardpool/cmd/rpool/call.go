package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"assay/gocommon/wal"
	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

// Exit codes. Go itself ends a program that panics or runs out of memory with 2, which therefore
// means nothing else.
const (
	exitOK      = 0
	exitEmpty   = 1
	exitUsage   = 3
	exitCorrupt = 4
	exitIO      = 5
	exitLocked  = 6
)

// usageError is a command line that makes no sense.
type usageError string

func (e usageError) Error() string { return string(e) }

// call is one verb with its flags.
type call struct {
	verb   verb
	flags  *flag.FlagSet
	args   []string
	stdout io.Writer
	stderr io.Writer
	json   bool
	dir    string
}

func newCall(v verb, args []string, stdout, stderr io.Writer) *call {
	c := &call{verb: v, args: args, stdout: stdout, stderr: stderr}
	c.flags = flag.NewFlagSet("rpool "+v.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.json, "json", false, "print JSON")
	return c
}

// parse parses the flags of a verb that works on a pool. An argument that is no flag is an error.
func (c *call) parse() error {
	c.flags.StringVar(&c.dir, "dir", "", "directory of the pool (required)")
	if err := c.parseFlags(); err != nil {
		return err
	}
	if c.dir == "" {
		return usageError("--dir is missing")
	}
	return nil
}

func (c *call) parseFlags() error {
	if err := c.flags.Parse(c.args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError(err.Error())
	}
	if c.flags.NArg() > 0 {
		return usageError(fmt.Sprintf("unexpected argument %q", c.flags.Arg(0)))
	}
	return nil
}

// given tells whether a flag stands on the command line.
func (c *call) given(name string) bool {
	found := false
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// open opens a pool for writing, and says what of its log was given up.
func (c *call) open(durability pool.Durability) (*pool.Pool, pool.RecoveryReport, error) {
	p, report, err := pool.Open(c.dir, pool.Config{Durability: durability})
	if err == nil && len(report.Kept) > 0 {
		fmt.Fprintf(c.stderr, "rpool %s: recovery: %s: %d bytes cut off the log behind event %d, kept in %s\n", c.verb.name, report.Reason, report.TruncatedBytes, report.LSN, strings.Join(report.Kept, ", "))
	}
	return p, report, err
}

// closePool closes a pool and adds what failed to the error of the verb, unless that says it.
func closePool(p *pool.Pool, err *error) {
	if closing := p.Close(); closing != nil && (*err == nil || !strings.Contains((*err).Error(), closing.Error())) {
		*err = errors.Join(*err, closing)
	}
}

// print prints a result as JSON or, with its text function, for people.
func (c *call) print(result any, text func(io.Writer)) error {
	out := bufio.NewWriter(c.stdout)
	var err error
	if c.json {
		err = json.NewEncoder(out).Encode(result)
	} else {
		text(out)
	}
	return errors.Join(err, out.Flush())
}

// exit runs the verb, reports its error and returns the exit code.
func (c *call) exit() int {
	err := c.verb.run(c)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(c.stdout, "rpool %s: %s\n", c.verb.name, c.verb.summary)
		c.flags.SetOutput(c.stdout)
		c.flags.PrintDefaults()
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "rpool %s: %v\n", c.verb.name, err)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var usage usageError
	var invalid *core.InvalidError
	var corrupt *wal.CorruptError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &corrupt):
		return exitCorrupt
	case errors.Is(err, pool.ErrLocked):
		return exitLocked
	case errors.Is(err, pool.ErrEmpty):
		return exitEmpty
	case errors.As(err, &usage), errors.As(err, &invalid), errors.Is(err, core.ErrUnknownItem),
		errors.Is(err, core.ErrRequestTooOld), errors.Is(err, pool.ErrRequestAhead), errors.Is(err, pool.ErrNotPool):
		return exitUsage
	}
	return exitIO
}

// durabilityFlag defines --durability.
func (c *call) durabilityFlag() *durabilityValue {
	d := &durabilityValue{pool.Group}
	c.flags.Var(d, "durability", "none, mmap, file, group, each or relaxed")
	return d
}

type durabilityValue struct{ mode pool.Durability }

func (d *durabilityValue) String() string { return d.mode.String() }

func (d *durabilityValue) Set(name string) (err error) {
	d.mode, err = pool.ParseDurability(name)
	return err
}

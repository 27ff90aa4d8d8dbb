package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"assay/acp"
	"assay/acp/convert"
)

// Exit codes. Go itself ends a program that panics or runs out of memory with 2, which therefore
// means nothing else.
const (
	exitOK      = 0
	exitNo      = 1
	exitUsage   = 3
	exitCorrupt = 4
	exitIO      = 5
	exitLocked  = 6
)

// usageError is a command line or an input that makes no sense.
type usageError string

func (e usageError) Error() string { return string(e) }

// errNo is the answer no, which is printed already.
var errNo = errors.New("no")

// call is one verb with its flags.
type call struct {
	verb   verb
	flags  *flag.FlagSet
	args   []string // positional ones once parsed
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	json   bool
	dir    string
	policy string
	as     string
	sync   syncValue
}

func newCall(v verb, args []string, stdin io.Reader, stdout, stderr io.Writer) *call {
	c := &call{verb: v, args: args, stdin: stdin, stdout: stdout, stderr: stderr, sync: syncValue{acp.SyncBatch}}
	c.flags = flag.NewFlagSet("acp "+v.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.json, "json", false, "print JSON")
	return c
}

// storeFlags defines the flags of a verb that works on a store.
func (c *call) storeFlags() {
	c.flags.StringVar(&c.dir, "dir", "", "directory of the store (required)")
}

// policyFlag defines --policy.
func (c *call) policyFlag() {
	c.flags.StringVar(&c.policy, "policy", "", "id, begin of the id, or name of the policy (default: the only one)")
}

// asFlag defines --as.
func (c *call) asFlag() {
	c.flags.StringVar(&c.as, "as", "", "DID of the actor who asks for the change (required)")
}

// syncFlag defines --sync.
func (c *call) syncFlag() {
	c.flags.Var(&c.sync, "sync", "what a change has reached when it is acknowledged: none (the operating system), batch or each (the disk)")
}

// parse parses flags and arguments in any order, and requires from least to most arguments (-1: any
// number) and the flags named.
func (c *call) parse(least, most int, required ...string) error {
	var positional []string
	for rest := c.args; ; rest = c.flags.Args()[1:] {
		if err := c.flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			return err
		} else if err != nil {
			return usageError(err.Error())
		}
		if c.flags.NArg() == 0 {
			break
		}
		positional = append(positional, c.flags.Arg(0))
	}
	c.args = positional
	for _, name := range required {
		if c.flags.Lookup(name).Value.String() == "" {
			return usageError("--" + name + " is missing")
		}
	}
	switch n := len(positional); {
	case n < least:
		return usageError(fmt.Sprintf("%d arguments, expected %s", n, c.verb.arguments))
	case most >= 0 && n > most:
		return usageError(fmt.Sprintf("unexpected argument %q", positional[most]))
	}
	return nil
}

// given tells whether a flag stands on the command line.
func (c *call) given(name string) bool {
	found := false
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// open opens the store. A verb that makes no store needs one that is there; one that does makes it
// where nothing is. Any other directory is left as it is.
func (c *call) open(make, lenient bool) (*acp.Engine, error) {
	entries, err := os.ReadDir(c.dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, usageError(fmt.Sprintf("--dir: %s is a file, expected a directory", c.dir))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	isStore := slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name := e.Name()
		return e.Type().IsRegular() && (strings.HasPrefix(name, "wal-") && strings.HasSuffix(name, ".seg") ||
			strings.HasPrefix(name, "snap-") && strings.HasSuffix(name, ".snap"))
	})
	other := slices.IndexFunc(entries, func(e os.DirEntry) bool { return !e.Type().IsRegular() })
	switch {
	case !isStore && !make:
		return nil, usageError(fmt.Sprintf("--dir: no store at %s, expected one made by policy add or import", c.dir))
	case !isStore && other >= 0: // of regular files the engine knows which are a store's
		return nil, usageError(fmt.Sprintf("--dir: %s holds %s and no store, expected a store or nothing", c.dir, entries[other].Name()))
	}
	e, err := acp.Open(acp.Options{Path: c.dir, Sync: c.sync.mode, Lenient: lenient})
	if err != nil {
		return nil, err
	}
	if r := e.Recovery(); len(r.Kept) > 0 {
		fmt.Fprintf(c.stderr, "acp %s: recovery: %s: %d bytes cut off the log behind record %d, kept in %s\n",
			c.verb.name, r.Reason, r.CutBytes, r.Snapshot+r.Records, strings.Join(r.Kept, ", "))
	}
	return e, nil
}

// with runs work on the open store and closes it.
func (c *call) with(work func(*acp.Engine) error) (err error) {
	e, err := c.open(false, false)
	if err != nil {
		return err
	}
	defer c.closeStore(e, &err)
	return work(e)
}

// closeStore adds what fails in closing to the error of a verb. A snapshot that cannot be saved is
// none: what the verb said holds without it, and only the next opening takes longer.
func (c *call) closeStore(e *acp.Engine, err *error) {
	switch closeErr := e.Close(); {
	case errors.Is(closeErr, acp.ErrNotSaved):
		fmt.Fprintf(c.stderr, "acp %s: warning: %v\n", c.verb.name, closeErr)
	case closeErr != nil:
		*err = errors.Join(*err, closeErr)
	}
}

// policyID finds the policy that --policy means.
func (c *call) policyID(e *acp.Engine) (string, error) {
	var found []string
	all := e.Policies()
	for _, p := range all {
		if p.ID == c.policy {
			return p.ID, nil
		}
		if c.policy == "" || p.Name == c.policy || strings.HasPrefix(p.ID, c.policy) {
			found = append(found, p.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case c.policy == "":
		return "", usageError(fmt.Sprintf("--policy is missing: the store has %d policies, expected one", len(all)))
	}
	return "", usageError(fmt.Sprintf("--policy %s is the name or the begin of the id of %d policies, expected one", c.policy, len(found)))
}

// withPolicy runs work on the open store and the policy that is meant.
func (c *call) withPolicy(work func(e *acp.Engine, id string) error) error {
	return c.with(func(e *acp.Engine) error {
		id, err := c.policyID(e)
		if err != nil {
			return err
		}
		return work(e, id)
	})
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

// input opens a file, or standard input for -.
func (c *call) input(name string, most int64) (io.ReadCloser, error) {
	if name == "-" {
		return &bounded{io.NopCloser(c.stdin), "standard input", most, most}, nil
	}
	return openRegular(os.OpenFile, name, most)
}

func (c *call) readInput(name string) (string, error) {
	b, err := readAll(c.input(name, maxFileBytes))
	return string(b), err
}

// exit runs the verb, reports its error and returns the exit code.
func (c *call) exit() int {
	err := c.verb.run(c)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(c.stdout, "acp %s %s: %s\n", c.verb.name, c.verb.arguments, c.verb.summary)
		c.flags.SetOutput(c.stdout)
		c.flags.PrintDefaults()
		return exitOK
	}
	if err != nil && err != errNo {
		fmt.Fprintf(c.stderr, "acp %s: %v\n", c.verb.name, err)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	is := func(kinds ...error) bool {
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				return true
			}
		}
		return false
	}
	var wrong usageError
	var unsupported *convert.Unsupported
	switch {
	case err == nil:
		return exitOK
	case is(acp.ErrCorrupt):
		return exitCorrupt
	case is(acp.ErrLocked):
		return exitLocked
	case is(acp.ErrClosed):
		return exitIO
	case is(errNo, acp.ErrUnauthorized, acp.ErrUnauthenticated, acp.ErrForbidden, acp.ErrConflict), errors.As(err, &unsupported):
		return exitNo
	case errors.As(err, &wrong), is(acp.ErrBadInput, acp.ErrNotFound, acp.ErrLimit, acp.ErrForeign):
		return exitUsage
	}
	return exitIO
}

// syncValue is the value of --sync.
type syncValue struct{ mode acp.Sync }

var syncNames = []string{acp.SyncNone: "none", acp.SyncBatch: "batch", acp.SyncEach: "each"}

func (s *syncValue) String() string { return syncNames[s.mode] }

func (s *syncValue) Set(name string) error {
	for mode, known := range syncNames {
		if known == name {
			s.mode = acp.Sync(mode)
			return nil
		}
	}
	return fmt.Errorf("expected none, batch or each")
}

// Command smt keeps a sparse Merkle trie on disk, proves its keys and verifies proofs. `smt help`
// lists its verbs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"assay/smt/leaflog"
	"assay/smt/proof"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// verb is one of the commands. run defines its flags on the call, parses them and does the work.
type verb struct {
	name, summary string
	run           func(*call) error
}

var verbs = []verb{
	{"load", "make a trie of the leaves of a file and print its root", runLoad},
	{"root", "open a trie and print its root", runRoot},
	{"prove", "print a proof that a key is there, or that it is not", runProve},
	{"verify", "tell whether a proof shows what is claimed, without the trie", runVerify},
}

const usage = "smt <verb> [flags]; smt <verb> --help lists the flags of a verb"

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

const help = `
Exit codes: 0 done or proved, 1 not proved, 3 wrong usage or input, 4 damage, 5 input or output failed,
6 in use elsewhere.
`

// usageError is a command line or an input that makes no sense.
type usageError string

func (e usageError) Error() string { return string(e) }

// errNo is the answer no, which is printed already.
var errNo = errors.New("no")

// run executes the command line and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printHelp(stderr)
		return exitUsage
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		printHelp(stdout)
		return exitOK
	}
	for _, v := range verbs {
		if v.name != args[0] {
			continue
		}
		err := v.run(newCall(v, args[1:], stdin, stdout))
		if err != nil && !errors.Is(err, errNo) && !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stderr, "smt %s: %v\n", v.name, err)
		}
		return exitCode(err)
	}
	fmt.Fprintf(stderr, "smt: unknown verb %q, expected %s\n", args[0], usage)
	return exitUsage
}

func printHelp(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", usage)
	for _, v := range verbs {
		fmt.Fprintf(w, "  %-7s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, help)
}

func exitCode(err error) int {
	var usage usageError
	var format *leaflog.FormatError
	var corrupt *leaflog.CorruptError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errNo):
		return exitNo
	case errors.As(err, &corrupt):
		return exitCorrupt
	case errors.Is(err, leaflog.ErrLocked):
		return exitLocked
	case errors.As(err, &usage), errors.As(err, &format), errors.Is(err, leaflog.ErrForeign), errors.Is(err, proof.ErrProof):
		return exitUsage
	}
	return exitIO
}

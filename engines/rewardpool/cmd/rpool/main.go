// Command rpool makes, uses and checks reward pools. `rpool help` lists its verbs.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// verb is one of the commands. run defines its flags on the call, parses them and does the work.
type verb struct {
	name, summary string
	run           func(*call) error
}

var verbs = []verb{
	{"init", "make a pool", runInit},
	{"draw", "draw items", runDraw},
	{"state", "show the stock", runState},
	{"update", "change the stock or weight of an item", runUpdate},
	{"snapshot", "save the state and drop the log it covers", runSnapshot},
	{"check", "verify checksums of snapshots and log", runCheck},
	{"verify", "check, and re-execute every draw of the history", runVerify},
	{"repair", "give up the history from a point on", runRepair},
	{"dump", "print the history", runDump},
	{"bench", "time draws of a new pool and check them", runBench},
	{"version", "print the version of Go it was built with", runVersion},
}

const usage = "rpool <verb> --dir <directory> [flags]; rpool <verb> --help lists the flags of a verb"

// run executes the command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printHelp(stderr)
		return exitUsage
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		printHelp(stdout)
		return exitOK
	}
	for _, v := range verbs {
		if v.name == args[0] {
			return newCall(v, args[1:], stdout, stderr).exit()
		}
	}
	fmt.Fprintf(stderr, "rpool: unknown verb %q, expected %s\n", args[0], usage)
	return exitUsage
}

func printHelp(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", usage)
	for _, v := range verbs {
		fmt.Fprintf(w, "  %-9s %s\n", v.name, v.summary)
	}
	fmt.Fprintf(w, "\nExit codes: 0 done, 1 the pool is empty, 2 rpool crashed, 3 wrong usage or input, 4 damage, 5 input or output failed, 6 the pool is open elsewhere.\n")
}

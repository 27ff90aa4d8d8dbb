// Command acp makes and asks stores of access control. `acp help` lists its verbs.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// verb is one of the commands. run defines its flags on the call, parses them and does the work.
type verb struct {
	name, arguments, summary string
	run                      func(*call) error
}

var verbs = []verb{
	{"policy add", "FILE", "add a policy and print its id", runPolicyAdd},
	{"policy edit", "FILE", "put another text in the place of a policy's", runPolicyEdit},
	{"policy delete", "", "delete a policy with all its relationships", runPolicyDelete},
	{"policy list", "", "list the policies", runPolicyList},
	{"policy show", "", "print the text of a policy", runPolicyShow},
	{"policy check", "FILE", "tell all that is wrong with a policy, without a store", runPolicyCheck},
	{"register", "OBJECT...", "register documents", runRegister},
	{"grant", "RELATIONSHIP...", "set relationships", runGrant},
	{"revoke", "RELATIONSHIP...", "delete relationships", runRevoke},
	{"archive", "OBJECT...", "drop the relationships of documents and keep their owner", runArchive},
	{"unarchive", "OBJECT...", "make archived documents active again", runUnarchive},
	{"transfer", "OBJECT... --to ACTOR", "make another actor the owner", runTransfer},
	{"check", "QUESTION...", "tell whether actors have permissions (OBJECT#PERMISSION@ACTOR)", runCheck},
	{"list", "", "list the documents of an actor, or the actors of a document", runList},
	{"explain", "QUESTION", "tell why, with a proof that is verified", runExplain},
	{"impact", "", "tell who would gain and lose access by grants or by an edited policy", runImpact},
	{"test", "FILE...", "assert what test files say: our own, OpenFGA stores, SpiceDB validation files", runTest},
	{"import", "", "set the relationships of a file, or a store of another system", runImport},
	{"export", "", "print a policy and its relationships, for import", runExport},
	{"stats", "", "verify the files of a store and tell what is in it", runStats},
}

const usage = "acp <verb> [flags] [arguments]; acp <verb> --help lists the flags of a verb"

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
	for words := 2; words >= 1; words-- {
		if len(args) < words {
			continue
		}
		name := args[0]
		if words == 2 {
			name += " " + args[1]
		}
		for _, v := range verbs {
			if v.name == name {
				return newCall(v, args[words:], stdin, stdout, stderr).exit()
			}
		}
	}
	fmt.Fprintf(stderr, "acp: unknown verb %q, expected %s\n", strings.Join(args[:min(2, len(args))], " "), usage)
	return exitUsage
}

func printHelp(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", usage)
	for _, v := range verbs {
		fmt.Fprintf(w, "  %-14s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, `
An OBJECT is resource:id, a RELATIONSHIP is resource:id#relation@subject, where the subject is an actor
(did:key:z6Mk), every actor (*), an object (group:g) or a userset (group:g#member). Words with other
characters stand in double quotes.

Exit codes: 0 done or yes, 1 no or refused, 3 wrong usage or input, 4 damage, 5 input or output failed,
6 in use elsewhere.
`)
}

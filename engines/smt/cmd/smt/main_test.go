package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/smt/format"
	"assay/smt/trie"
)

// smt runs a command line; the error output counts where it fails.
func smt(t *testing.T, stdin string, args ...string) (code int, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, strings.NewReader(stdin), &stdout, &stderr)
	if (code == exitOK || code == exitNo) != (stderr.Len() == 0) {
		t.Errorf("smt %q: exit code %d, and said %q", args, code, stderr.String())
	}
	return code, stdout.String() + stderr.String()
}

// must runs a command line that has to end well, and keeps what it prints in a file.
func must(t *testing.T, stdin string, args ...string) (path string) {
	t.Helper()
	code, said := smt(t, stdin, args...)
	if code != exitOK {
		t.Fatalf("smt %q: exit code %d: %s", args, code, said)
	}
	return write(t, said)
}

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const fruit = "apple\tred\nplum\tblue\npear\t\n"

func TestATrieIsLoadedAndItsKeysAreProved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trie")
	root := must(t, fruit, "load", "--dir", dir, "--leaves", "-")

	var b trie.Batch
	b.Put([]byte("apple"), []byte("red"), 0)
	b.Put([]byte("plum"), []byte("blue"), 0)
	b.Put([]byte("pear"), nil, 0)
	model, err := trie.New(trie.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if err := model.Apply(&b); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x\n", model.Root())
	for _, path := range []string{root, must(t, "", "root", "--dir", dir)} {
		if text, _ := os.ReadFile(path); string(text) != want {
			t.Errorf("root %s, expected %s", text, want)
		}
	}

	for _, c := range []struct {
		key    string
		claim  []string
		proved bool
	}{
		{"apple", []string{"--value", "red"}, true},
		{"apple", []string{"--value", "green"}, false},
		{"apple", []string{"--absent"}, false},
		{"pear", []string{"--value", ""}, true},
		{"cherry", []string{"--absent"}, true},
		{"cherry", []string{"--value", "red"}, false},
	} {
		proof := must(t, "", "prove", "--dir", dir, "--key", c.key)
		args := append([]string{"verify", "--root", root, "--proof", proof, "--key", c.key}, c.claim...)
		code, said := smt(t, "", args...)
		if c.proved && (code != exitOK || said != "proved\n") || !c.proved && (code != exitNo || said != "not proved\n") {
			t.Errorf("%s %q: exit code %d, %q", c.key, c.claim, code, said)
		}
	}
}

func TestASumTrieHasWeights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trie")
	leaves := write(t, "apple\tred\t3\nplum\tblue\t18446744073709551615\n")
	root := must(t, "", "load", "--dir", dir, "--sum", "--leaves", leaves)
	proof := must(t, "", "prove", "--dir", dir, "--sum", "--key", "apple")
	text, _ := os.ReadFile(root)
	if size := (format.Format{Sum: format.SumCount}).DigestSize(); len(text) != 2*size+1 {
		t.Errorf("root %s, expected %d bytes", text, size)
	}
	for weight, want := range map[string]int{"3": exitOK, "4": exitNo} {
		code, said := smt(t, "", "verify", "--sum", "--root", root, "--proof", proof, "--key", "apple", "--value", "red", "--weight", weight)
		if code != want {
			t.Errorf("weight %s: exit code %d, expected %d: %s", weight, code, want, said)
		}
	}
}

func TestWrongLeavesLeaveNoTrie(t *testing.T) {
	for leaves, want := range map[string]string{
		"apple":                           "-, line 1: expected KEY<tab>VALUE",
		"apple\tred\n\n":                  "-, line 2: expected KEY<tab>VALUE",
		"apple\tred\t3\n":                 "-, line 1: expected KEY<tab>VALUE, a weight with --sum only",
		"apple\tred\nplum\tblue\napple\t": "-: 3 lines of 2 keys: expected each key once",
		"a\tb\n" + strings.Repeat("a", maxLine) + "\tb\n": "-, line 2: expected at most 65536 bytes",
	} {
		dir := filepath.Join(t.TempDir(), "trie")
		code, said := smt(t, leaves, "load", "--dir", dir, "--leaves", "-")
		if code != exitUsage || said != "smt load: "+want+"\n" {
			t.Errorf("%q: exit code %d: %s", leaves, code, said)
		}
		must(t, fruit, "load", "--dir", dir, "--leaves", "-")
	}
	for _, weight := range []string{"", "\t", "\t-1", "\t1.5", "\t1\t2", "\t18446744073709551616"} {
		code, said := smt(t, "apple\tred"+weight, "load", "--sum", "--dir", filepath.Join(t.TempDir(), "trie"), "--leaves", "-")
		if code != exitUsage || !strings.Contains(said, "line 1: expected KEY<tab>VALUE<tab>WEIGHT") {
			t.Errorf("weight %q: exit code %d: %s", weight, code, said)
		}
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	dir, empty := filepath.Join(t.TempDir(), "trie"), t.TempDir()
	root := must(t, fruit, "load", "--dir", dir, "--leaves", "-")
	proof := must(t, "", "prove", "--dir", dir, "--key", "apple")
	claim := func(root, proof string, more ...string) []string {
		return append([]string{"verify", "--root", root, "--proof", proof, "--key", "apple"}, more...)
	}
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{nil, exitUsage, usage},
		{[]string{"fly"}, exitUsage, `unknown verb "fly"`},
		{[]string{"root"}, exitUsage, "--dir is missing"},
		{[]string{"root", "--dir", dir, "more"}, exitUsage, `unexpected argument "more"`},
		{[]string{"root", "--dir", dir, "--fly"}, exitUsage, "-fly"},
		{[]string{"root", "--dir", empty}, exitUsage, "is empty: expected a trie"},
		{[]string{"root", "--dir", filepath.Join(empty, "none")}, exitIO, "no such file"},
		{[]string{"root", "--dir", filepath.Dir(root)}, exitUsage, "text"},
		{[]string{"root", "--dir", dir, "--sum"}, exitUsage, "format"},
		{[]string{"load", "--dir", dir, "--leaves", "-"}, exitUsage, "holds 3 keys"},
		{[]string{"load", "--dir", empty, "--leaves", filepath.Join(empty, "none")}, exitIO, "no such file"},
		{claim(root, proof), exitUsage, "expected one of --value and --absent"},
		{claim(root, proof, "--value", "red", "--absent"), exitUsage, "expected one of --value and --absent"},
		{claim(root, proof, "--value", "red", "--weight", "3"), exitUsage, "expected --weight where"},
		{claim(root, write(t, strings.Repeat("ff", 9)), "--value", "red"), exitUsage, "malformed proof"},
		{claim(proof, proof, "--value", "red"), exitUsage, "bytes, expected 32"},
		{claim(write(t, "xy"), proof, "--value", "red"), exitUsage, "expected hexadecimal digits"},
		{claim(write(t, strings.Repeat("0", maxProof+1)), proof, "--value", "red"), exitUsage, "expected at most"},
	} {
		if code, said := smt(t, "", c.args...); code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("smt %q: exit code %d, %q; expected %d, %q", c.args, code, said, c.code, c.said)
		}
	}
	log := filepath.Join(dir, "log-0000000000000000.log")
	bytes, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	bytes[8] ^= 1
	if err := os.WriteFile(log, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := smt(t, "", "root", "--dir", dir); code != exitCorrupt {
		t.Errorf("damaged: exit code %d: %s", code, said)
	}
}

// The block of shell commands in the section "Command" of the README, with smt built from here.
func TestTheCommandsOfTheReadmeWork(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Command\n")
	_, commands, _ := strings.Cut(section, "```sh\n")
	commands, _, found := strings.Cut(commands, "```")
	if !found {
		t.Fatal("README.md has no section Command with a block of sh")
	}
	build, used, _ := strings.Cut(commands, "\n")
	if build != "go build -o smt ./cmd/smt" {
		t.Fatalf("the first command is %q", build)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "smt"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shell := exec.Command("sh", "-e", "-c", used)
	shell.Dir = dir
	if out, err := shell.CombinedOutput(); err != nil || string(out) != "proved\n" {
		t.Errorf("%v: %q", err, out)
	}
}

func TestHelpNamesEachVerbAndFlag(t *testing.T) {
	_, said := smt(t, "", "help")
	for _, v := range verbs {
		if !strings.Contains(said, v.summary) {
			t.Errorf("help does not name %s", v.name)
		}
		if code, said := smt(t, "", v.name, "--help"); code != exitOK || !strings.Contains(said, "-sum") {
			t.Errorf("%s --help: exit code %d: %s", v.name, code, said)
		}
	}
}

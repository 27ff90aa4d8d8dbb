package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/rewardpool/pool"
)

var program string

// TestMain builds the binary that the tests drive.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rpool-test-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "rpool")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var progressLines = regexp.MustCompile(`(?m)^\d+ of \d+ draws\n`)

// rpool runs the binary and returns what it printed; it must exit with the code.
func rpool(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("rpool %s: exit code %d, expected %d\n%s%s", strings.Join(args, " "), got, code, &out, &errs)
	}
	// On a slow machine there is progress, a line a second.
	if said := progressLines.ReplaceAll(errs.Bytes(), nil); (len(said) > 0) != (code != 0) {
		t.Fatalf("rpool %s: exit code %d and on standard error %q", strings.Join(args, " "), code, &errs)
	}
	return out.String(), errs.String()
}

// rpoolJSON runs the binary with --json and decodes its result.
func rpoolJSON[T any](t *testing.T, args ...string) (result T) {
	t.Helper()
	out, _ := rpool(t, exitOK, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("rpool %s: %v in %q", strings.Join(args, " "), err, out)
	}
	return result
}

func newPool(t *testing.T, items ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pool")
	args := []string{"init", "--dir", dir}
	for _, item := range items {
		args = append(args, "--item", item)
	}
	rpool(t, exitOK, args...)
	return dir
}

func TestLifeOfAPool(t *testing.T) {
	dir := newPool(t, "gold:3:10", "team:red:1000:90", "never:5:0")
	drawn := rpoolJSON[drawResult](t, "draw", "--dir", dir, "--count", "100", "--batch", "30")
	rpool(t, exitOK, "update", "--dir", dir, "--item", "team:red", "--add", "50", "--weight", "7")

	state := rpoolJSON[stateResult](t, "state", "--dir", dir)
	left := map[string]int64{"gold": 3, "team:red": 1050, "never": 5}
	for _, item := range drawn.Items {
		left[string(item.ID)] -= int64(item.Count)
	}
	if drawn.Draws != 100 || state.Draws != 100 || len(state.Items) != 3 {
		t.Fatalf("100 draws gave %+v and the state %+v", drawn, state)
	}
	for _, item := range state.Items {
		if item.Quantity != left[string(item.ID)] {
			t.Errorf("%s: %d left, expected %d", item.ID, item.Quantity, left[string(item.ID)])
		}
	}
	if state.Replayed != 100 {
		t.Errorf("%d draws replayed, expected 100", state.Replayed)
	}

	verified := rpoolJSON[checkResult](t, "verify", "--dir", dir)
	if *verified.Draws != 100 || verified.StateHash != state.Hash {
		t.Errorf("verify: %+v, expected 100 draws and state %s", verified, state.Hash)
	}
	dump, _ := rpool(t, exitOK, "dump", "--dir", dir)
	if draws, updates := strings.Count(dump, "\tdraw\t"), strings.Count(dump, "\tupdate\tteam:red\n"); draws != 100 || updates != 1 {
		t.Errorf("the dump has %d draws and %d updates, expected 100 and 1", draws, updates)
	}
	dump, _ = rpool(t, exitOK, "dump", "--dir", dir, "--json")
	if !strings.Contains(dump, `"kind":"update","item":"team:red","add":50,"weight":7}`) {
		t.Errorf("the dump lacks the update: %s", dump)
	}

	rpool(t, exitOK, "snapshot", "--dir", dir)
	after := rpoolJSON[stateResult](t, "state", "--dir", dir)
	if after.Replayed != 0 || after.Hash != state.Hash {
		t.Errorf("after the snapshot %d draws are replayed and the state is %s, expected 0 and %s", after.Replayed, after.Hash, state.Hash)
	}
	if checked := rpoolJSON[checkResult](t, "check", "--dir", dir); checked.Snapshots != 2 {
		t.Errorf("check: %+v, expected 2 snapshots", checked)
	}
}

func TestCatalogFile(t *testing.T) {
	home := t.TempDir()
	catalog := filepath.Join(home, "catalog.json")
	write := func(content string) {
		if err := os.WriteFile(catalog, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`[{"id": "gold", "quantity": -1, "weight": 1}]`)
	rpool(t, exitOK, "init", "--dir", filepath.Join(home, "pool"), "--catalog", catalog)
	for _, bad := range []string{
		``, `{}`, `[{"id": "gold", "quantity": 1, "weight": -1}]`, `[{"id": "gold", "stock": 1}]`, `[] []`, `[]`,
		`[{"id": "a", "quantity": 1, "weight": 1}, {"id": "a", "quantity": 1, "weight": 1}]`,
		`[{"id": "a", "quantity": 5}]`, `[{"id": "a", "weight": 5}]`, `[{"quantity": 5, "weight": 5}]`, `[{}]`,
		`[{"id": "a", "quantity": null, "weight": 1}]`, `[{"id": null, "quantity": 1, "weight": 1}]`, `[null]`, `null`,
		`[{"id": "a", "quantity": 5, "Quantity": 500, "weight": 1}]`, `[{"ID": "a", "quantity": 5, "weight": 1}]`,
		`[{"id": "a", "quantity": 5, "quantity": 500, "weight": 1}]`, `[{"id": "a", "quantity": 1.5, "weight": 1}]`,
		"[{\"id\": \"\xff\", \"quantity\": 1, \"weight\": 1}]", `[{"id": "\ud800", "quantity": 1, "weight": 1}]`,
		`[{"id": "a", "quantity": 1, "weight": 1},]`, `[{"id": "a", "quantity": 1, "weight": 1}`, `[["a", 1, 1]]`,
	} {
		write(bad)
		rpool(t, exitUsage, "init", "--dir", filepath.Join(home, "other"), "--catalog", catalog)
	}
}

func TestSeed(t *testing.T) {
	var hashes [3]string
	for i, seed := range []string{"7", "7", "8"} {
		dir := filepath.Join(t.TempDir(), "pool")
		rpool(t, exitOK, "init", "--dir", dir, "--numbered", "10", "--seed", seed)
		rpool(t, exitOK, "draw", "--dir", dir, "--count", "100")
		hashes[i] = rpoolJSON[stateResult](t, "state", "--dir", dir).Hash
	}
	if hashes[0] != hashes[1] || hashes[0] == hashes[2] {
		t.Errorf("seeds 7, 7 and 8 give the states %q", hashes)
	}
}

// countingWriter counts writes, and fails them when asked.
type countingWriter struct {
	bytes.Buffer
	writes int
	err    error
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(p)
}

func TestStateIsPrintedInBlocks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pool")
	rpool(t, exitOK, "init", "--dir", dir, "--numbered", "1000")
	var all countingWriter
	if code := run([]string{"state", "--dir", dir}, &all, io.Discard); code != exitOK || all.writes > 10 {
		t.Errorf("exit code %d after %d writes, expected %d and at most 10", code, all.writes, exitOK)
	}
	summary, _ := rpool(t, exitOK, "state", "--dir", dir, "--summary")
	if strings.Count(summary, "\n") != 1 || !strings.HasSuffix(all.String(), summary) {
		t.Errorf("the summary is %q, expected the last line of the state", summary)
	}
	if json, _ := rpool(t, exitOK, "state", "--dir", dir, "--summary", "--json"); strings.Contains(json, "items") {
		t.Errorf("the summary lists items: %s", json)
	}
	full := countingWriter{err: errors.New("disk full")}
	if code := run([]string{"state", "--dir", dir}, &full, io.Discard); code != exitIO {
		t.Errorf("exit code %d when the output fails, expected %d", code, exitIO)
	}
}

func TestRequestIsDrawnOnce(t *testing.T) {
	dir := newPool(t, "a:100:1", "b:100:1")
	const id = "0195f3a0-7c00-7000-8000-000000000001"
	first := rpoolJSON[drawResult](t, "draw", "--dir", dir, "--request", id)
	again := rpoolJSON[drawResult](t, "draw", "--dir", dir, "--request", id)
	if first.Replayed || !again.Replayed || first.Items[0] != again.Items[0] {
		t.Errorf("first %+v, then %+v", first, again)
	}
	if state := rpoolJSON[stateResult](t, "state", "--dir", dir); state.Draws != 1 {
		t.Errorf("%d draws, expected 1", state.Draws)
	}
	_, message := rpool(t, exitUsage, "draw", "--dir", dir, "--request", "ffffffffffffffff0000000000000001")
	if !strings.Contains(message, "ahead of the clock") {
		t.Errorf("an id from the future: %s", message)
	}
}

func TestEmptyPool(t *testing.T) {
	dir := newPool(t, "a:3:1")
	out, _ := rpool(t, exitEmpty, "draw", "--dir", dir, "--count", "5")
	if out != "a\t3\n" {
		t.Errorf("the draws before the end are %q, expected 3 of a", out)
	}
	rpool(t, exitEmpty, "draw", "--dir", dir)
}

// What a failed run took is printed before its error, which is said once.
func TestFailedRunTellsItsDraws(t *testing.T) {
	dir := newPool(t, "a:9000000:1", "b:9000000:1")
	limited := func(script string) (int, string, string) {
		var out, errs bytes.Buffer
		cmd := exec.Command("sh", "-c", script, program, dir)
		cmd.Stdout, cmd.Stderr = &out, &errs
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
	// The log's second segment exceeds the limit, in blocks of 512 bytes. Go ignores SIGXFSZ.
	code, out, message := limited(`"$0" draw --dir "$1" --durability file --count 1000; ulimit -f 1000; "$0" draw --dir "$1" --durability file --count 9000000 --batch 100000`)
	if code != exitIO || strings.Count(message, "file too large") != 1 {
		t.Fatalf("exit code %d and %q, expected %d and the error once", code, message, exitIO)
	}
	var printed, drawn uint64
	for line := range strings.Lines(out) {
		_, n, _ := strings.Cut(strings.TrimSpace(line), "\t")
		count, err := strconv.ParseUint(n, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		printed += count
	}
	if drawn = rpoolJSON[stateResult](t, "state", "--dir", dir).Draws; printed != drawn || drawn <= 1000 {
		t.Errorf("%d draws are printed, %d are taken", printed, drawn)
	}
}

// Go ends a program that runs out of memory with 2.
func TestCrashIsNoVerdict(t *testing.T) {
	dir := newPool(t, "a:3:1")
	out, err := exec.Command("sh", "-c", `ulimit -v 300000; exec "$0" draw --dir "$1"`, program, dir).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("%v: %s; expected exit code 2", err, out)
	}
	for _, code := range []int{exitOK, exitEmpty, exitUsage, exitCorrupt, exitIO, exitLocked} {
		if code == 2 {
			t.Errorf("2 has a meaning of ours")
		}
	}
}

// A tail that a killed process left torn is cut off, which is said, and kept.
func TestCutTailIsSaid(t *testing.T) {
	for _, verb := range []string{"draw", "snapshot", "update --item a --add 1"} {
		dir := newPool(t, "a:100000000:1")
		kill(t, dir, "draw", "--dir", dir, "--count", "100000000", "--batch", "1", "--durability", "file")
		if err := tear(dir); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(verb)
		cmd := exec.Command(program, append([]string{args[0], "--dir", dir}, args[1:]...)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		err := cmd.Run()
		said := regexp.MustCompile(`torn tail: (\d+) bytes cut off the log behind event \d+, kept in (cut-\S+)\n`).FindStringSubmatch(errs.String())
		if err != nil || said == nil {
			t.Fatalf("%s: %v and %q, expected no failure and a word on the tail that was cut", verb, err, &errs)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, said[2])); err != nil || strconv.Itoa(len(kept)) != said[1] {
			t.Errorf("%s: %d bytes are kept, %v; expected %s", verb, len(kept), err, said[1])
		}
	}
}

// kill runs rpool until it has logged something, and kills it.
func kill(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 64)
	for head[40] == 0 {
		time.Sleep(time.Millisecond)
		if log, err := os.Open(filepath.Join(dir, firstSegment)); err == nil {
			log.ReadAt(head, 4096)
			log.Close()
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
}

const firstSegment = "wal-0000000000000000.seg"

// Proof that durable draws are gone is damage for every verb, and nothing is touched.
func TestLostDrawsAreDamage(t *testing.T) {
	for name, lose := range map[string]func(dir, older string) error{
		"cut":     func(dir, _ string) error { return os.Truncate(filepath.Join(dir, firstSegment), 4416) },
		"missing": func(dir, _ string) error { return os.Remove(filepath.Join(dir, firstSegment)) },
		"older": func(dir, older string) error {
			return os.Rename(older, filepath.Join(dir, firstSegment))
		},
		"torn": func(dir, _ string) error { return tear(dir) },
	} {
		dir := newPool(t, "g:100:1", "s:100:1")
		older := filepath.Join(t.TempDir(), "older")
		rpool(t, exitOK, "draw", "--dir", dir, "--count", "20", "--batch", "1")
		if err := exec.Command("cp", filepath.Join(dir, firstSegment), older).Run(); err != nil {
			t.Fatal(err)
		}
		rpool(t, exitOK, "draw", "--dir", dir, "--count", "20", "--batch", "1", "--durability", "file")
		rpool(t, exitOK, "snapshot", "--dir", dir)
		rpool(t, exitOK, "draw", "--dir", dir, "--count", "30", "--batch", "1", "--durability", "relaxed")
		if err := lose(dir, older); err != nil {
			t.Fatal(err)
		}
		before, _ := exec.Command("find", dir, "-printf", "%p %s %T@\\n").Output()
		for _, verb := range []string{"check", "verify", "draw", "state", "snapshot", "update --item g --add 1", "draw --durability none"} {
			args := strings.Fields(verb)
			_, said := rpool(t, exitCorrupt, append([]string{args[0], "--dir", dir}, args[1:]...)...)
			if !strings.Contains(said, "corrupt log") {
				t.Errorf("%s: %s says %q", name, verb, said)
			}
		}
		if after, _ := exec.Command("find", dir, "-printf", "%p %s %T@\\n").Output(); !bytes.Equal(after, before) {
			t.Errorf("%s: the pool was changed from\n%s to\n%s", name, before, after)
		}
	}
}

// tear changes the last byte that is not zero in the log of a pool.
func tear(dir string) error {
	name := filepath.Join(dir, firstSegment)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0 {
			b[i] ^= 0x10
			break
		}
	}
	return os.WriteFile(name, b, 0o644)
}

func TestIDsStayApart(t *testing.T) {
	ids := []string{"\xff", "\xfe", "\ufffd", "a\tb", "a\nb", `a\tb`, `"a\tb"`, "é", " ", `a"`, `\`}
	dir := filepath.Join(t.TempDir(), "pool")
	args := []string{"init", "--dir", dir}
	for _, id := range ids {
		args = append(args, "--item", id+":1:1")
	}
	rpool(t, exitOK, args...)
	text, _ := rpool(t, exitOK, "draw", "--dir", dir, "--count", strconv.Itoa(len(ids)))
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		seen[line] = strings.Count(line, "\t") == 1
	}
	for line, whole := range seen {
		if !whole || len(seen) != len(ids) {
			t.Errorf("%q in %d lines, expected %d of an id and a count", line, len(seen), len(ids))
		}
	}
	for _, verb := range []string{"state", "dump"} {
		out, _ := rpool(t, exitOK, verb, "--dir", dir, "--json")
		for _, part := range []string{`{"base64":"/w=="}`, `{"base64":"/g=="}`, `"a\tb"`, "\"\ufffd\""} {
			if !strings.Contains(out, part) {
				t.Errorf("%s lacks %s: %s", verb, part, out)
			}
		}
	}
}

func TestEachRepairKeepsItsCopies(t *testing.T) {
	dir := newPool(t, "a:100:1")
	rpool(t, exitOK, "draw", "--dir", dir, "--count", "30", "--batch", "1")
	whole, err := os.ReadFile(filepath.Join(dir, "wal-0000000000000000.seg"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for n, at := range []string{"20", "10", "5"} {
		repaired := rpoolJSON[checkResult](t, "repair", "--dir", dir, "--truncate-at", at)
		for _, name := range repaired.Copies {
			names[name] = true
		}
		if len(names) != 2*(n+1) {
			t.Errorf("after repair %d the copies are %v, expected %d", n+1, names, 2*(n+1))
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "damaged-wal-0000000000000000.seg"))
	if err != nil || !bytes.Equal(kept, whole) {
		t.Errorf("the copy of the first repair is another: %v", err)
	}
}

func TestUsageErrors(t *testing.T) {
	dir := newPool(t, "a:1:1")
	for _, line := range []string{
		"", "fly", "draw", "draw --dir", "state --dir DIR extra", "state --dir DIR --fast",
		"draw --dir DIR --count 0", "draw --dir DIR --batch 2000000", "draw --dir DIR --durability often",
		"draw --dir DIR --request xyz", "draw --dir DIR --count 2 --request 00000000000000000000000000000000",
		"init --dir DIR --item b:1:1", "init --dir NEW", "init --dir NEW --item b:1", "init --dir NEW --item b:x:1",
		"init --dir NEW --item b:1:1 --numbered 3", "init --dir NEW --item b:1:1 --seed abc", "init --dir NEW --item b:1:1 --law none",
		"init --dir NEW --item b:-2:1",
		"update --dir DIR", "update --dir DIR --item a", "update --dir DIR --item unknown --add 1",
		"update --dir DIR --item a --add -2", "update --dir DIR --item a --add 1 --quantity 1",
		"repair --dir DIR", "bench --count 0",
	} {
		line = strings.ReplaceAll(strings.ReplaceAll(line, "DIR", dir), "NEW", filepath.Join(t.TempDir(), "new"))
		rpool(t, exitUsage, strings.Fields(line)...)
	}
	if state := rpoolJSON[stateResult](t, "state", "--dir", dir); state.LSN != 0 {
		t.Errorf("refused commands left lsn %d, expected 0", state.LSN)
	}
}

func TestDamageAndRepair(t *testing.T) {
	dir := newPool(t, "a:100:1", "b:100:1")
	rpool(t, exitOK, "draw", "--dir", dir, "--count", "40", "--batch", "10")
	segments, err := filepath.Glob(filepath.Join(dir, "wal-*.seg"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v; expected one", segments, err)
	}
	file, err := os.OpenFile(segments[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var one [1]byte
	const inFirstFrame = 4096 + 30
	if _, err := file.ReadAt(one[:], inFirstFrame); err != nil {
		t.Fatal(err)
	}
	one[0] ^= 0x40
	if _, err := file.WriteAt(one[:], inFirstFrame); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"state", "check", "verify", "draw", "dump"} {
		_, message := rpool(t, exitCorrupt, verb, "--dir", dir)
		if !strings.Contains(message, filepath.Base(segments[0])) {
			t.Errorf("%s does not name the damaged file: %s", verb, message)
		}
	}
	repaired := rpoolJSON[checkResult](t, "repair", "--dir", dir, "--truncate-at", "40")
	if repaired.LSN != 0 || len(repaired.Copies) == 0 {
		t.Errorf("repair: %+v, expected lsn 0 and copies", repaired)
	}
	rpool(t, exitOK, "draw", "--dir", dir)
}

func TestLockedPool(t *testing.T) {
	dir := newPool(t, "a:1:1")
	p, _, err := pool.Open(dir, pool.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rpool(t, exitLocked, "draw", "--dir", dir)
	rpool(t, exitLocked, "check", "--dir", dir)
}

func TestInputAndOutputFail(t *testing.T) {
	rpool(t, exitIO, "init", "--dir", "/proc/pool", "--item", "a:1:1")
	rpool(t, exitIO, "init", "--dir", filepath.Join(t.TempDir(), "new"), "--catalog", "/no/such/catalog")
}

// What is no pool stays as it is, whatever the verb.
func TestNotAPool(t *testing.T) {
	verbs := []string{"draw", "state", "update --item a --add 1", "snapshot", "check", "verify", "repair --truncate-at 0", "dump", "init --item a:1:1"}
	for _, what := range []string{"nothing", "empty", "file", "pipe", "thesis.tmp", "wal-notes.txt", "snap-1.snap", "segment-1.tmp", ".hidden", "folder/"} {
		for _, verb := range verbs {
			making := strings.HasPrefix(verb, "init")
			if making && (what == "nothing" || what == "empty") {
				continue
			}
			home := t.TempDir()
			dir := filepath.Join(home, "dir")
			var err error
			switch what {
			case "nothing":
			case "file":
				err = os.WriteFile(dir, []byte("draft"), 0o644)
			case "pipe":
				err = syscall.Mkfifo(dir, 0o644)
			default:
				err = os.Mkdir(dir, 0o755)
				if file, isFolder := strings.CutSuffix(what, "/"); isFolder {
					err = errors.Join(err, os.Mkdir(filepath.Join(dir, file), 0o755))
				} else if what != "empty" {
					err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), []byte("draft"), 0o644))
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			before, _ := exec.Command("find", home, "-printf", "%p %s %T@\n").Output()
			args := strings.Fields(verb)
			_, message := rpool(t, exitUsage, append([]string{args[0], "--dir", dir}, args[1:]...)...)
			if !strings.Contains(message, "not a pool") {
				t.Errorf("%s of %s: %s", verb, what, message)
			}
			if after, _ := exec.Command("find", home, "-printf", "%p %s %T@\n").Output(); !bytes.Equal(after, before) {
				t.Errorf("%s of %s: from\n%s to\n%s", verb, what, before, after)
			}
		}
	}
}

// What a process left that was killed before it had made its pool is no obstacle, and files of others
// beside a pool are none.
func TestFilesBesideAPool(t *testing.T) {
	for _, file := range []string{"snap-0000000000000000.snap.tmp", "wal-mark.tmp"} {
		dir := filepath.Join(t.TempDir(), "pool")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, file), []byte("half"), 0o644)); err != nil {
			t.Fatal(err)
		}
		rpool(t, exitOK, "init", "--dir", dir, "--item", "a:10:1")
		note := filepath.Join(dir, "notes.tmp")
		if err := os.WriteFile(note, []byte("draft"), 0o644); err != nil {
			t.Fatal(err)
		}
		rpool(t, exitOK, "draw", "--dir", dir)
		if kept, err := os.ReadFile(note); string(kept) != "draft" {
			t.Errorf("the note is %q, %v", kept, err)
		}
		rpool(t, exitUsage, "init", "--dir", dir, "--item", "a:10:1")
	}
}

func TestBenchChecksItself(t *testing.T) {
	home := t.TempDir()
	for _, mode := range pool.Durabilities {
		result := rpoolJSON[benchResult](t, "bench", "--in", home, "--count", "500", "--batch", "100", "--durability", mode.String())
		if result.Draws != 500 || result.NsPerDraw <= 0 || result.Survives == "" {
			t.Errorf("%s: %+v", mode, result)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("bench left %v, %v", left, err)
	}
}

func TestHelp(t *testing.T) {
	out, _ := rpool(t, exitOK, "help")
	for _, v := range verbs {
		if !strings.Contains(out, v.name) {
			t.Errorf("help lacks %s", v.name)
		}
		if flags, _ := rpool(t, exitOK, v.name, "--help"); !strings.Contains(flags, "-json") {
			t.Errorf("the help of %s lacks its flags", v.name)
		}
	}
	rpool(t, exitOK, "version")
}

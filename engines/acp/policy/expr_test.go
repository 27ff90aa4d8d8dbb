package policy

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestParserIsLinear: four times the text takes four times the steps, whatever the text is made of.
func TestParserIsLinear(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"terms":       func(n int) string { return "owner" + strings.Repeat(" + owner", n) },
		"arrows":      func(n int) string { return "a->b" + strings.Repeat(" & a->b", n) },
		"parentheses": func(n int) string { return "a" + strings.Repeat(" + (a - b)", n) },
		"spaces":      func(n int) string { return strings.Repeat(" ", n) + "a" },
		"a long name": func(n int) string { return strings.Repeat("a", n) },
		"open":        func(n int) string { return strings.Repeat("(", n/16) },
	} {
		steps := func(n int) float64 {
			p := newParser(text(n))
			_, _ = p.whole()
			return float64(p.steps)
		}
		if ratio := steps(4000) / steps(1000); ratio > 4.01 || ratio < 3.9 && name != "open" {
			t.Errorf("%s: %.3f times the steps for four times the text", name, ratio)
		}
	}
}

func TestExprMeaning(t *testing.T) {
	for text, want := range map[string]string{
		"a":                      "a",
		"((a))":                  "a",
		"a+b&c":                  "a + b & c",
		"a + (b & c)":            "a + (b & c)",
		"(a + b) + c":            "a + b + c",
		"a - b - c":              "a - b - c",
		"a - (b - c)":            "a - (b - c)",
		"p->q - (_this)":         "p->q - _this",
		"(a + b) & c":            "a + b & c",
		"((a) - b) + c":          "a - b + c",
		"(a + b) - (c & d)":      "a + b - (c & d)",
		"p\t->\u00a0q &\n 1чит_": "p->q & 1чит_",
	} {
		e, err := ParseExpr(text)
		if err != nil || e.String() != want {
			t.Errorf("%q: got %s, %v, want %s", text, e, err, want)
		}
	}
}

// TestOperandsAreKept: an operation in parentheses keeps its operands whatever is read behind it,
// above all where the expression begins with it.
func TestOperandsAreKept(t *testing.T) {
	a, b, c := Expr{Op: Name, Name: "a"}, Expr{Op: Name, Name: "b"}, Expr{Op: Name, Name: "c"}
	of := func(op Op, operands ...Expr) Expr { return Expr{Op: op, Operands: operands} }
	for text, want := range map[string]Expr{
		"(a)":               a,
		"a + b & c":         of(Intersection, of(Union, a, b), c), // one precedence
		"(a + b) & c":       of(Intersection, of(Union, a, b), c),
		"((a) - b) + c":     of(Union, of(Difference, a, b), c),
		"(a + b) + c":       of(Union, of(Union, a, b), c),
		"(a - b) & (b + c)": of(Intersection, of(Difference, a, b), of(Union, b, c)),
		"(a & b & c) - a":   of(Difference, of(Intersection, a, b, c), a),
	} {
		if got, err := ParseExpr(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A text may cost 64 times its length, and the YAML library some buffers.
const perByte, constant = 64, 128 << 10

func checkAllocation(t *testing.T, text string, f func()) {
	t.Helper()
	if got := allocated(f); got > perByte*uint64(len(text))+constant {
		t.Errorf("%d bytes allocated for %d bytes: %.80q", got, len(text), text)
	}
}

// FuzzExpr: an expression that is read is written in a form that is read as the same.
func FuzzExpr(f *testing.F) {
	for _, text := range []string{"a + b & c", "(a - p->q) + _this", "((", "a->", "a->b->c", "1 +\u00a0б", "a+b-c+d&e", "\xff", strings.Repeat("a+", 9000)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var e Expr
		var err error
		checkAllocation(t, text, func() { e, err = ParseExpr(text) })
		if err != nil {
			return
		}
		again, err := ParseExpr(e.String())
		if err != nil || again.String() != e.String() {
			t.Errorf("%q is written %q and read as %q, %v", text, e, again, err)
		}
	})
}

// FuzzParse: a policy that is read is written in a form that is read as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"name: t\nresources:\n  doc:\n    permissions:\n      read:\n        expr: owner + reader\n    relations:\n      owner: {types: [actor]}\n      reader:\n        types: [actor, doc->reader]\n        manages: [reader]\n",
		`{"name": "t", "resources": [{"name": "doc", "permissions": [{"name": "read"}]}], "spec": "none"}`,
		"name: t\nresources: &r\n  doc: *r",
		"name: t\nx: &a [*a, *a]\nresources: {a: {relations: &b {owner: {types: [actor]}}}, c: {relations: *b}}",
		"name: {", "a: b: c", "\ufeffname: t", "name: t\r\n", "- [{", "? a\n: b", "!!binary x", "name: !!str 12", "%YAML 1.1\n---\nname: x", "name: |\n  a\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, lenient := range []bool{false, true} {
			var p *Policy
			var err error
			checkAllocation(t, text, func() { p, err = Parse([]byte(text), Options{Lenient: lenient}) })
			if err != nil {
				if len(err.(Problems)) == 0 {
					t.Errorf("%q: refused for no reason", text)
				}
				continue
			}
			again, err := Parse([]byte(Format(p)), Options{Lenient: lenient})
			if err != nil {
				t.Fatalf("%q\nis written\n%s\nwhich is refused: %v", text, Format(p), err)
			}
			if changes := Diff(p, again); len(changes) > 0 {
				t.Errorf("%q: written and read back it differs: %v", text, changes)
			}
		}
	})
}

// TestHostileTexts: what is short by aliases or long by repetition is refused, or costs little.
func TestHostileTexts(t *testing.T) {
	lists := "x0: &x0 [a, a, a, a, a, a, a, a]\n"
	for i := 1; i < 9; i++ {
		lists += fmt.Sprintf("x%d: &x%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 8))
	}
	many := "name: t\nresources:\n  doc:\n    relations: {owner: {types: [actor]}}\n    permissions:\n      p: &p {expr: " + strings.Repeat("owner+", 9000) + "owner}\n"
	for i := range 3000 {
		many += fmt.Sprintf("      p%d: *p\n", i)
	}
	for name, text := range map[string]string{
		"aliases of aliases":   "name: t\n" + lists,
		"one expression often": many,
		"flow":                 "name: t\nx: [" + strings.Repeat("a,", 60_000) + "]\n",
		"deep flow":            strings.Repeat("[", 60_000),
		"a long line":          "name: " + strings.Repeat("a", MaxText-6),
	} {
		var err error
		got := allocated(func() { _, err = Parse([]byte(text), Options{}) })
		if name != "a long line" && err == nil {
			t.Errorf("%s: accepted", name)
		}
		if got > 256*uint64(len(text))+constant {
			t.Errorf("%s: %d bytes allocated for %d", name, got, len(text))
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 3000, 10_000} {
		text := []byte("name: t\nresources:\n  doc:\n    permissions:\n      read:\n        expr: owner" +
			strings.Repeat(" + owner", n-1) + "\n    relations:\n      owner: {types: [actor]}\n")
		b.Run(fmt.Sprintf("terms=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

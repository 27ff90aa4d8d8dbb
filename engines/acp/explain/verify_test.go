package explain_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/acp/explain"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// TestCircularProofs checks that nodes cannot prove each other, neither that they hold nor, behind a
// minus, that they fail.
func TestCircularProofs(t *testing.T) {
	p := parse(t)
	v := newView(p, facts(t, "group:a#member@group:b#member", "group:b#member@group:a#member"))
	a, b := explain.Node{Object: tuple.Object{Resource: "group", ID: "a"}, Name: "member"}, explain.Node{Object: tuple.Object{Resource: "group", ID: "b"}, Name: "member"}
	byB, byA := facts(t, "group:a#member@group:b#member"), facts(t, "group:b#member@group:a#member")
	holds := func(n explain.Node, by []tuple.Relationship) explain.Step {
		return explain.Step{Holds: true, Proofs: []explain.Proof{{Node: n, Facts: by}}}
	}
	c := explain.Certificate{Actor: "ann", Question: a, Allowed: true, Steps: []explain.Step{holds(b, byA), holds(a, byB)}}
	if err := explain.Verify(p, v, c); err == nil {
		t.Error("two groups prove each other")
	}
	// A policy that no parser accepts: x holds unless it holds.
	x := &policy.Policy{Resources: []*policy.Resource{{
		Name:      "doc",
		Relations: []*policy.Relation{{Name: "reader"}},
		Permissions: []*policy.Permission{{Name: "x", Expr: policy.Expr{Op: policy.Difference, Operands: []policy.Expr{
			{Op: policy.Name, Name: "reader"}, {Op: policy.Difference, Operands: []policy.Expr{{Op: policy.Name, Name: "reader"}, {Op: policy.Name, Name: "x"}}},
		}}}, {Name: policy.ManagementPrefix + "reader", Management: true, Expr: policy.Expr{Op: policy.None}}},
	}}}
	doc := func(name string) explain.Node {
		return explain.Node{Object: tuple.Object{Resource: "doc", ID: "1"}, Name: name}
	}
	reader := facts(t, "doc:1#reader@ann")
	c = explain.Certificate{Actor: "ann", Question: doc("x"), Steps: []explain.Step{
		holds(doc("reader"), reader), {Proofs: []explain.Proof{{Node: doc("x")}}},
	}}
	if err := explain.Verify(x, explain.NewFacts(reader), c); err == nil {
		t.Error("x fails because it fails")
	}
	if _, err := explain.Explain(view{explain.NewFacts(reader), x}, "x", "ann", doc("x").Object); err == nil || errors.Is(err, explain.ErrUnknown) {
		t.Errorf("a question without an answer: got %v", err)
	}
}

// TestVerifyStandsAlone checks that the verifier imports tuple and policy only, and of this package
// names nothing but the types of certificates and the errors.
func TestVerifyStandsAlone(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var verify *ast.File
	var others []*ast.File
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if file == "verify.go" {
			verify = parsed
		} else if !strings.HasSuffix(file, "_test.go") && file != "certificate.go" {
			others = append(others, parsed)
		}
	}
	for _, i := range verify.Imports {
		if !slices.Contains([]string{`"fmt"`, `"assay/acp/policy"`, `"assay/acp/tuple"`}, i.Path.Value) {
			t.Errorf("verify.go imports %s", i.Path.Value)
		}
	}
	for _, other := range others {
		for _, pair := range [][2]*ast.File{{verify, other}, {other, verify}} {
			declared := functions(pair[0])
			ast.Inspect(pair[1], func(n ast.Node) bool {
				if name, is := n.(*ast.Ident); is && declared[name.Name] {
					t.Errorf("%s is shared with the verifier", name.Name)
				}
				return true
			})
		}
	}
}

// functions returns the names of the functions that a file declares, without methods.
func functions(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv == nil {
			names[f.Name.Name] = true
		}
	}
	return names
}

package acp

import (
	"bytes"
	"testing"

	"assay/acp/graph"
	"assay/acp/tuple"
)

// filled is an engine in memory whose log and snapshot the fuzzers begin from.
func filled(t testing.TB) (*Engine, *graph.Change) {
	t.Helper()
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, streamPolicy))
	must(e.RegisterDoc(alice, id, "doc", "1"))
	must(e.RegisterDoc(alice, id, "group", "g"))
	must(e.AddRelationship(id, "doc", "1", "reader", alice, "group:g#member"))
	must(e.ArchiveDoc(alice, id, "group", "g"))
	g := e.entries[0].graph.Load()
	c := &graph.Change{}
	for _, text := range []string{"doc:1#reader@" + bob, "doc:2#reader@*", "doc:2#parent@doc:1", "doc:1#reader@group:h#member"} {
		c.Add = append(c.Add, must(g.Fact(must(tuple.ParseRelationship(text)))))
	}
	c.Delete = append(c.Delete, must(g.Fact(must(tuple.ParseRelationship("doc:1#reader@group:g#member")))))
	return e, c
}

// FuzzRecord: bytes that are no record are refused, without a panic; after what is taken the engine
// answers and can be written and read back.
func FuzzRecord(f *testing.F) {
	_, c := filled(f)
	f.Add(appendChange(nil, 0, c))
	for _, r := range []policyRecord{
		{kind: recordAddPolicy, creator: alice, text: usersPolicy},
		{kind: recordRefusedPolicy},
		{kind: recordEditPolicy, text: streamPolicy},
		{kind: recordDeletePolicy},
		{kind: recordLast, text: "x"},
	} {
		f.Add(r.encode(nil))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		e, _ := filled(t)
		if e.replay(record) != nil {
			return
		}
		var first, second bytes.Buffer
		if err := e.save().write(&first); err != nil {
			t.Fatal(err)
		}
		again := must(Open(Options{}))
		if err := again.readSnapshot(bytes.NewReader(first.Bytes())); err != nil {
			t.Fatal(err)
		}
		if err := again.save().write(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Error("a snapshot read back is another")
		}
	})
}

// FuzzSnapshot: bytes that are no snapshot are refused, without a panic.
func FuzzSnapshot(f *testing.F) {
	e, _ := filled(f)
	var b bytes.Buffer
	if err := e.save().write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, snapshot []byte) {
		e := must(Open(Options{}))
		if e.readSnapshot(bytes.NewReader(snapshot)) == nil {
			for _, p := range e.Policies() {
				facts(t, e, p.ID)
			}
		}
	})
}

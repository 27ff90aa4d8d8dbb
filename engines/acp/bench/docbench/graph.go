package docbench

import (
	"fmt"
	"strconv"
	"strings"

	"assay/acp/tuple"
)

// question is a check with its answer.
type question struct {
	object     tuple.Object
	permission string
	actor      string
	want       bool
}

// relationship returns the fact that an actor, or a subject, has a relation to an object.
func relationship(object tuple.Object, relation string, subject tuple.Subject) tuple.Relationship {
	return tuple.Relationship{Object: object, Relation: relation, Subject: subject}
}

func actorSubject(actor string) tuple.Subject {
	return tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{Resource: "actor", ID: actor}}
}

// owned puts owner relationships of all objects before the relationships.
func owned(owner string, objects []tuple.Object, relationships []tuple.Relationship) []tuple.Relationship {
	all := make([]tuple.Relationship, 0, len(objects)+len(relationships))
	for _, object := range objects {
		all = append(all, relationship(object, "owner", actorSubject(owner)))
	}
	return append(all, relationships...)
}

// ask times the questions, each of them asked equally often.
func ask(s setting, policy string, relationships []tuple.Relationship, questions []question) {
	graph, err := s.engine.Load(policy, relationships)
	s.must(err)
	s.Cleanup(func() { s.must(graph.Close()) })
	all := func() (int, error) {
		for _, q := range questions {
			got, err := graph.Check(q.object, q.permission, q.actor)
			if err != nil {
				return 0, err
			}
			if got != q.want {
				return 0, fmt.Errorf("%s has %s on %s: %t, expected %t", q.actor, q.permission, q.object, got, q.want)
			}
		}
		return len(questions), nil
	}
	_, err = all()
	s.must(err)
	var total Total
	total.Repeat(s.B, all)
	total.Report()
}

const chainPolicy = `name: chain
resources:
  group:
    relations:
      owner:
        types: [actor]
      member:
        types: [actor, group->member]
  doc:
    permissions:
      read:
        expr: owner + reader
    relations:
      owner:
        types: [actor]
      reader:
        types: [actor, group->member]
`

// checkChain checks a reader who is a member of the last of as many groups as the scale says: each
// is a member of the one before, and the first one reads the document.
func checkChain(s setting) {
	actors := Actors(2)
	doc := tuple.Object{Resource: "doc", ID: "d"}
	objects := []tuple.Object{doc}
	var relationships []tuple.Relationship
	inner, relation := doc, "reader"
	for i := range *scale {
		group := tuple.Object{Resource: "group", ID: "g" + strconv.Itoa(i)}
		objects = append(objects, group)
		members := tuple.Subject{Kind: tuple.Userset, Object: group, Relation: "member"}
		relationships = append(relationships, relationship(inner, relation, members))
		inner, relation = group, "member"
	}
	relationships = append(relationships, relationship(inner, relation, actorSubject(actors[1])))
	ask(s, chainPolicy, owned(actors[0], objects, relationships), []question{{doc, "read", actors[1], true}})
}

const folderPolicy = `name: folder
resources:
  folder:
    permissions:
      read:
        expr: owner + viewer + parent->read
    relations:
      owner:
        types: [actor]
      viewer:
        types: [actor]
      parent:
        types: [folder]
  doc:
    permissions:
      read:
        expr: owner + parent->read
    relations:
      owner:
        types: [actor]
      parent:
        types: [folder]
`

// checkFolder checks a viewer of the outermost of as many folders as the scale says, and refuses a
// stranger: each folder lies in the next, and the document in the first.
func checkFolder(s setting) {
	actors := Actors(2)
	doc := tuple.Object{Resource: "doc", ID: "d"}
	objects := []tuple.Object{doc}
	var relationships []tuple.Relationship
	inner := doc
	for i := range *scale {
		folder := tuple.Object{Resource: "folder", ID: "f" + strconv.Itoa(i)}
		objects = append(objects, folder)
		parent := tuple.Subject{Kind: tuple.Entity, Object: folder}
		relationships = append(relationships, relationship(inner, "parent", parent))
		inner = folder
	}
	relationships = append(relationships, relationship(inner, "viewer", actorSubject(actors[1])))
	ask(s, folderPolicy, owned(actors[0], objects, relationships), []question{
		{doc, "read", actors[1], true},
		{doc, "read", stranger, false},
	})
}

const algebraPolicy = `name: algebra
resources:
  doc:
    permissions:
      read:
        expr: ((reader + writer) & member) - banned
    relations:
      owner:
        types: [actor]
      reader:
        types: [actor]
      writer:
        types: [actor]
      member:
        types: [actor]
      banned:
        types: [actor]
`

// checkAlgebra checks an actor against union, intersection and difference, on as many documents as
// the scale says, each with another combination of relations.
func checkAlgebra(s setting) {
	actors := Actors(2)
	var objects []tuple.Object
	var relationships []tuple.Relationship
	var questions []question
	for i := range *scale {
		doc := tuple.Object{Resource: "doc", ID: "d" + strconv.Itoa(i)}
		objects = append(objects, doc)
		reader, writer, member, banned := i%2 == 0, i%3 == 0, i%5 != 0, i%7 == 0
		for _, held := range []struct {
			relation string
			is       bool
		}{{"reader", reader}, {"writer", writer}, {"member", member}, {"banned", banned}} {
			if held.is {
				relationships = append(relationships, relationship(doc, held.relation, actorSubject(actors[1])))
			}
		}
		questions = append(questions, question{doc, "read", actors[1], (reader || writer) && member && !banned})
	}
	ask(s, algebraPolicy, owned(actors[0], objects, relationships), questions)
}

// policyCompile makes a policy whose permission has as many terms as the scale says. An operation is
// the whole policy, with the opening of the engine that it is made in.
func policyCompile(s setting) {
	terms := make([]string, *scale)
	for i := range terms {
		terms[i] = []string{"owner", "reader"}[i%2]
	}
	policy := strings.Replace(chainPolicy, "expr: owner + reader", "expr: "+strings.Join(terms, " + "), 1)
	owner := Actors(1)[0]
	doc := tuple.Object{Resource: "doc", ID: "d"}
	compile := func() (int, error) {
		graph, err := s.engine.Load(policy, nil)
		if err != nil {
			return 0, err
		}
		return 1, graph.Close()
	}
	var total Total
	total.Repeat(s.B, compile)
	total.Report()
	graph, err := s.engine.Load(policy, owned(owner, []tuple.Object{doc}, nil))
	s.must(err)
	allowed, err := graph.Check(doc, Read, owner)
	s.must(err)
	if !allowed {
		s.Fatal("the owner may not read")
	}
	s.must(graph.Close())
}

package explain_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/acp/explain"
	"assay/acp/explain/explaintest"
	"assay/acp/model"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// view is a list of relationships under a policy.
type view struct {
	explain.Facts
	policy *policy.Policy
}

func (v view) Policy() *policy.Policy { return v.policy }
func (v view) Revision() uint64       { return 7 }

func newView(p *policy.Policy, relationships []tuple.Relationship) view {
	return view{explain.NewFacts(relationships), p}
}

func without(all []tuple.Relationship, r tuple.Relationship) []tuple.Relationship {
	return slices.DeleteFunc(slices.Clone(all), func(f tuple.Relationship) bool { return f == r })
}

// TestCertificates asks everything about random relationships under random policies. Each certificate
// says what plain set semantics says, verifies, comes through its JSON form, and no damaged one does.
func TestCertificates(t *testing.T) {
	seeds := uint64(40)
	if os.Getenv("ACP_TEST_LONG") != "" {
		seeds = 4000
	}
	certificates, allowed, excluded, mutations, needless := 0, 0, 0, 0, 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := explaintest.Policy(rng, []string{"+", "++&", "+&-", "+--", "-"}[seed%5])
		facts := explaintest.Relationships(rng, p, 5+rng.IntN(60))
		v, m := newView(p, facts), model.New(p)
		for _, r := range facts {
			m.Set(r)
		}
		explaintest.Questions(p, func(name, actor string, object tuple.Object) {
			if rng.IntN(8) > 0 {
				return
			}
			c, err := explain.Explain(v, name, actor, object)
			if err != nil {
				t.Fatal(err)
			}
			if want := m.Check(name, actor, object); c.Allowed != want {
				t.Fatalf("seed %d: %s@%s is %t, want %t", seed, c.Question, actor, c.Allowed, want)
			}
			if err := explain.Verify(p, v, c); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text(t, c, p))
			}
			var back explain.Certificate
			if data, err := json.Marshal(c); err != nil || json.Unmarshal(data, &back) != nil || !reflect.DeepEqual(back, c) {
				t.Fatalf("seed %d: %+v was read back as %+v, %v", seed, c, back, err)
			}
			certificates++
			if c.Allowed {
				allowed++
			}
			if len(c.Steps) > 1 && !c.Allowed {
				excluded++
			}
			tried, accepted := refused(t, p, facts, c)
			mutations, needless = mutations+tried, needless+accepted
		})
	}
	t.Logf("%d certificates, %d allow, %d of the others with more than one step, %d mutations, %d of them without what is needless",
		certificates, allowed, excluded, mutations, needless)
	if needless > mutations/100_000 {
		t.Errorf("%d nodes and relationships could be left out", needless)
	}
	if allowed < certificates/20 || excluded < certificates/400 {
		t.Error("the test data shows little")
	}
}

// refused damages a certificate, and the relationships under it, in every way that must be noticed. It
// counts the ways, and the nodes of refusals and relationships that could be left out: there are few.
func refused(t *testing.T, p *policy.Policy, facts []tuple.Relationship, c explain.Certificate) (count, needless int) {
	t.Helper()
	v := newView(p, facts)
	check := func(what string, facts explain.Facts, c explain.Certificate) {
		t.Helper()
		count++
		if explain.Verify(p, facts, c) == nil {
			t.Fatalf("%s: accepted\n%s\n%v", what, text(t, c, p), p.Resources)
		}
	}
	needed := func(what string, c explain.Certificate) {
		t.Helper()
		count++
		if explain.Verify(p, v, c) == nil {
			t.Logf("%s: accepted\n%s", what, text(t, c, p))
			needless++
		}
	}
	flipped := c
	flipped.Allowed = !c.Allowed
	check("the other answer", v, flipped)
	for i, step := range c.Steps {
		changed := copied(c)
		changed.Steps[i].Holds = !step.Holds
		check("a step with the other answer", v, changed)
		for j, proof := range step.Proofs {
			changed = copied(c)
			changed.Steps[i].Proofs = slices.Delete(changed.Steps[i].Proofs, j, j+1)
			switch what := "without node " + proof.Node.String(); {
			case step.Holds:
				check(what, v, changed)
			case !c.Allowed: // else another operand may do with the exclusions that are left
				needed(what, changed)
			}
			for k, fact := range proof.Facts {
				check("after the deletion of "+fact.String(), newView(p, without(facts, fact)), c)
				changed = copied(c)
				changed.Steps[i].Proofs[j].Facts = slices.Delete(changed.Steps[i].Proofs[j].Facts, k, k+1)
				needed("without "+fact.String(), changed)
				changed = copied(c)
				changed.Steps[i].Proofs[j].Facts[k].Object.ID += "x"
				check("another object than that of "+fact.String(), v, changed)
				changed = copied(c)
				changed.Steps[i].Proofs[j].Facts[k].Subject = tuple.Subject{Object: tuple.Object{ID: "did:key:stranger"}}
				check("another subject than that of "+fact.String(), v, changed)
			}
			if step.Holds || p.Resource(proof.Object.Resource).Permission(proof.Name) != nil {
				continue
			}
			everyone := tuple.Relationship{Object: proof.Object, Relation: proof.Name, Subject: tuple.Subject{Kind: tuple.All}}
			check("after the addition of "+everyone.String(), newView(p, append(slices.Clone(facts), everyone)), c)
			group := everyone
			group.Subject = tuple.Subject{Kind: tuple.Userset, Object: explaintest.Object("r0", 99), Relation: "a0"}
			check("after the addition of "+group.String(), newView(p, append(slices.Clone(facts), group)), c)
		}
	}
	return count, needless
}

func copied(c explain.Certificate) explain.Certificate {
	c.Steps = slices.Clone(c.Steps)
	for i := range c.Steps {
		proofs := slices.Clone(c.Steps[i].Proofs)
		for j := range proofs {
			proofs[j].Facts = slices.Clone(proofs[j].Facts)
		}
		c.Steps[i].Proofs = proofs
	}
	return c
}

func text(t *testing.T, c explain.Certificate, p *policy.Policy) string {
	t.Helper()
	var b strings.Builder
	if err := c.WriteText(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMinimal checks that where nothing is excluded, the relationships of a certificate alone allow,
// and without any one of them do not.
func TestMinimal(t *testing.T) {
	several := 0
	for seed := uint64(0); seed < 80; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := explaintest.Policy(rng, []string{"+&", "&"}[seed%2])
		v := newView(p, explaintest.Relationships(rng, p, 20+rng.IntN(60)))
		explaintest.Questions(p, func(name, actor string, object tuple.Object) {
			if rng.IntN(10) > 0 {
				return
			}
			c, err := explain.Explain(v, name, actor, object)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Allowed {
				return
			}
			used := c.Relationships()
			if len(used) > 2 {
				several++
			}
			alone := model.New(p)
			for _, r := range used {
				alone.Set(r)
			}
			if !alone.Check(name, actor, object) {
				t.Fatalf("seed %d: %s does not follow from %v", seed, c.Question, used)
			}
			for _, r := range used {
				alone.Unset(r)
				if alone.Check(name, actor, object) {
					t.Fatalf("seed %d: %s follows without %s from %v", seed, c.Question, r, used)
				}
				alone.Set(r)
			}
		})
	}
	if several < 8 {
		t.Errorf("only %d certificates with more than two relationships: the test data shows little", several)
	}
}

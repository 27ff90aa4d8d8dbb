package vectors

import "testing"

func TestEveryVectorIsRead(t *testing.T) {
	cases := Cases(t, 1<<30)
	roots := 0
	for _, c := range cases {
		roots += len(c.Steps)
	}
	nodes := 0
	for _, s := range Stores(t) {
		nodes += len(s.Nodes)
	}
	got := []int{len(cases), roots, nodes, len(Proofs(t)), len(Verifications(t)), len(Closests(t)), len(Sum8s(t))}
	want := []int{82, 332, 2478, 948, 2068, 222, 10}
	for i, what := range []string{"cases", "roots", "nodes", "proofs", "verifications", "closest proofs", "sum8 tries"} {
		if got[i] != want[i] {
			t.Errorf("%d %s, expected %d", got[i], what, want[i])
		}
	}
}

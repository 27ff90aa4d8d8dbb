package channeltext

// fenwick is a binary indexed tree of weights.
type fenwick struct {
	tree []int64 // tree[i] is the sum of the i & -i weights that end at i, counted from 1
	all  int64
	top  int // largest power of two that is at most the number of weights
}

func newFenwick(n int) *fenwick {
	f := &fenwick{tree: make([]int64, n+1), top: 1}
	for f.top*2 <= n {
		f.top *= 2
	}
	return f
}

func (f *fenwick) sum() int64 { return f.all }

func (f *fenwick) add(i int, delta int64) {
	f.all += delta
	for i++; i < len(f.tree); i += i & -i {
		f.tree[i] += delta
	}
}

// find returns the index whose weight covers u, 0 <= u < sum.
func (f *fenwick) find(u int64) int {
	at := 0
	for step := f.top; step > 0; step /= 2 {
		if next := at + step; next < len(f.tree) && f.tree[next] <= u {
			at = next
			u -= f.tree[next]
		}
	}
	return at
}

package proof

import (
	"bytes"
	"slices"

	"assay/smt/format"
)

// walker reads side nodes in the order of the walk. Every digest it returns is
// DigestSize bytes of the array.
type walker struct {
	f         format.Format
	sideNodes [][]byte
}

func (w *walker) sideNode() (d digest, err error) {
	if len(w.sideNodes) == 0 {
		return d, malformed("side nodes", "too few")
	}
	copy(d[:], w.sideNodes[0])
	w.sideNodes = w.sideNodes[1:]
	return d, nil
}

// at reports whether e is the end at depth; it is below otherwise.
func (e *End) at(depth int) (bool, error) {
	if e.Depth < depth {
		return false, malformed("ends", "one has depth %d, the walk is at %d", e.Depth, depth)
	}
	return e.Depth == depth, nil
}

func (w *walker) inner(left, right digest) (d digest) {
	var buf [innerSize]byte
	n := w.f.DigestSize()
	w.f.AppendDigest(d[:0], w.f.AppendInner(buf[:0], left[:n], right[:n]))
	return d
}

// finish compares d, the digest of the whole walk, with the root.
func (w *walker) finish(d digest, root []byte) (bool, error) {
	if len(w.sideNodes) > 0 {
		return false, malformed("side nodes", "%d too many", len(w.sideNodes))
	}
	return bytes.Equal(d[:w.f.DigestSize()], root), nil
}

// multiWalker reads the ends of a Multi too.
type multiWalker struct {
	walker
	ends []End
}

// claimedPath is a claim with its path.
type claimedPath struct {
	path []byte
	*Claim
}

// VerifyMulti reports whether p shows all claims in the trie with the root: each
// key with its value and weight, or absent. Claims may have any order; two of one
// path are malformed. It fails with ErrProof or format.ErrKeyLength.
func VerifyMulti(f format.Format, root []byte, claims []Claim, p *Multi) (bool, error) {
	if err := f.Check(); err != nil {
		return false, err
	}
	if err := p.check(f); err != nil {
		return false, err
	}
	sorted := make([]claimedPath, len(claims))
	paths := make([]byte, 0, len(claims)*f.HashSize())
	for i := range claims {
		from := len(paths)
		var err error
		if paths, err = f.AppendPath(paths, claims[i].Key); err != nil {
			return false, err
		}
		sorted[i] = claimedPath{paths[from:], &claims[i]}
	}
	slices.SortFunc(sorted, func(a, b claimedPath) int { return bytes.Compare(a.path, b.path) })
	for i := 1; i < len(sorted); i++ {
		if bytes.Equal(sorted[i-1].path, sorted[i].path) {
			return false, malformed("claims", "two of the path %x", sorted[i].path)
		}
	}
	w := multiWalker{walker{f, p.SideNodes}, p.Ends}
	d, err := w.subtree(sorted, 0)
	if err != nil {
		return false, err
	}
	if len(w.ends) > 0 {
		return false, malformed("ends", "%d too many", len(w.ends))
	}
	return w.finish(d, root)
}

func (p *Multi) check(f format.Format) error {
	if p == nil {
		return malformed("proof", "nil")
	}
	for i := range p.Ends {
		if err := p.Ends[i].check(f); err != nil {
			return err
		}
	}
	return checkDigests(f, p.SideNodes)
}

func (e *End) check(f format.Format) error {
	if e.Depth < 0 || e.Depth > f.PathBits() {
		return malformed("ends", "one has depth %d, expected 0 to %d", e.Depth, f.PathBits())
	}
	return nil
}

// subtree is the digest of the subtree at depth that holds these claims.
func (w *multiWalker) subtree(claims []claimedPath, depth int) (digest, error) {
	if len(claims) == 0 {
		return w.sideNode()
	}
	if len(w.ends) == 0 {
		return digest{}, malformed("ends", "too few")
	}
	here, err := w.ends[0].at(depth)
	if err != nil {
		return digest{}, err
	}
	if here {
		e := w.ends[0]
		w.ends = w.ends[1:]
		return w.end(e, claims)
	}
	split := 0
	for split < len(claims) && format.Bit(claims[split].path, depth) == 0 {
		split++
	}
	left, err := w.subtree(claims[:split], depth+1)
	if err != nil {
		return digest{}, err
	}
	right, err := w.subtree(claims[split:], depth+1)
	if err != nil {
		return digest{}, err
	}
	return w.inner(left, right), nil
}

// end is the digest of the leaf or empty place where these claims end.
func (w *multiWalker) end(e End, claims []claimedPath) (d digest, err error) {
	var present *claimedPath
	for i := range claims {
		if !claims[i].Present {
			continue
		}
		if present != nil {
			return d, malformed("ends", "two present keys at one end at depth %d", e.Depth)
		}
		present = &claims[i]
	}
	if e.Leaf == nil {
		if present != nil {
			appendLeafDigest(w.f, d[:0], present.path, present.Value, present.Weight, 1)
		}
		return d, nil
	}
	leaf, err := parseLeaf(w.f, "leaf of an end", e.Leaf)
	if err != nil {
		return d, err
	}
	if present != nil {
		return d, malformed("leaf of an end", "another leaf in the place of a present key")
	}
	for _, c := range claims {
		if bytes.Equal(c.path, leaf.Path) {
			return d, malformed("leaf of an end", "it is the leaf of a key that is claimed absent")
		}
	}
	w.f.AppendDigest(d[:0], e.Leaf)
	return d, nil
}

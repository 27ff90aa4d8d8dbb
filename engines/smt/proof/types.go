// Package proof holds the proofs of a sparse Merkle trie and verifies them
// without the trie. Everything a verifier reads is untrusted: malformed input is
// an error that wraps ErrProof, never a panic, and no allocation exceeds what
// the input justifies.
package proof

// Proof shows that a key has a value, or has none.
type Proof struct {
	// SideNodes are the sibling digests from the end of the walk up to the root,
	// index 0 the deepest.
	SideNodes [][]byte
	// NonMembershipLeafData is the preimage of the other leaf where the walk of
	// an absent key ended; nil for a present key and for an empty place.
	NonMembershipLeafData []byte
	// SiblingData is the preimage of the node whose digest is SideNodes[0]; nil
	// when there is none or it is empty. Verification needs no sibling data, but
	// UpdateFromProof does for deletes.
	SiblingData []byte
}

// Compact is a Proof without the side nodes that are placeholders.
type Compact struct {
	SideNodes             [][]byte
	NonMembershipLeafData []byte
	BitMask               []byte // bit i is 1 when side node i is a placeholder
	NumSideNodes          int    // with the placeholders
	SiblingData           []byte
}

// Closest shows the leaf that is closest to a path: the one reached by taking
// the wanted side at every depth where it is not empty.
type Closest struct {
	Path        []byte // asked for
	FlippedBits []int  // depths where the wanted side was empty, ascending
	Depth       int    // of the leaf: the number of side nodes
	// ClosestPath is the path of the leaf; for the empty trie a placeholder.
	ClosestPath []byte
	// ClosestValueHash is the leaf value with sum and count; nil for the empty trie.
	ClosestValueHash []byte
	ClosestProof     *Proof // membership of the leaf; no fields set for the empty trie
}

// CompactClosest is a Closest with a compact proof. Depths are big-endian
// integers without leading zero bytes; 0 is one zero byte.
type CompactClosest struct {
	Path             []byte
	FlippedBits      [][]byte
	Depth            []byte
	ClosestPath      []byte
	ClosestValueHash []byte
	ClosestProof     *Compact
}

// End is the place where the walks of some paths end.
type End struct {
	Depth int
	// Leaf is the preimage of a leaf found there that is none of the leaves
	// claimed; nil when the place is empty or holds a claimed leaf.
	Leaf []byte
}

// Multi shows for many keys at once that each has a value or has none. Sibling
// digests shared by several keys are there once.
//
// A depth-first walk, left before right, over the paths of the keys meets the
// Ends and, wherever a subtree holds none of the paths, the next of SideNodes.
type Multi struct {
	Ends      []End
	SideNodes [][]byte
}

// Range shows all leaves from one path to another, both included, and that
// there are no others between.
//
// A depth-first walk, left before right, meets three sorts of subtrees. One
// outside the range takes the next of SideNodes. One wholly inside is rebuilt of
// the claimed leaves. One that the range cuts is an inner node, unless the walk
// ends there.
type Range struct {
	// From is the end at a cut subtree whose first possible path lies before the
	// range, To the end at any other cut subtree. Each is nil when the walk meets
	// inner nodes only until nothing is cut.
	From, To  *End
	SideNodes [][]byte
}

// Claim is what a Multi is to show of one key.
type Claim struct {
	Key, Value []byte // Value and Weight count for a present key only
	Weight     uint64 // ignored without a sum
	Present    bool
}

// Leaf is a leaf of a Range.
type Leaf struct {
	Path, LeafValue []byte // the leaf value has its sum and count
}

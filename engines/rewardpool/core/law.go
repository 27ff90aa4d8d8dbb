package core

import (
	"fmt"
	"math/bits"
)

// Law says with which probability a stocked item is drawn.
type Law uint8

const (
	// LawClass draws item i with weight_i / (sum of the weights of stocked items).
	LawClass Law = iota
	// LawUnit draws item i with weight_i x remaining_i / (sum over all items):
	// an urn of tickets, Wallenius' noncentral hypergeometric law. An unlimited
	// item is one ticket that is put back.
	LawUnit
)

func (l Law) String() string {
	switch l {
	case LawClass:
		return "class"
	case LawUnit:
		return "unit"
	}
	return fmt.Sprintf("Law(%d)", uint8(l))
}

// ParseLaw is the inverse of Law.String.
func ParseLaw(name string) (Law, error) {
	for _, l := range []Law{LawClass, LawUnit} {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, invalid("law", "%q, expected class or unit", name)
}

// mass is the share of an item in the next draw. ok is false when it does not
// fit in 64 bits.
func (l Law) mass(weight uint64, remaining int64) (mass uint64, ok bool) {
	switch {
	case remaining == 0:
		return 0, true
	case l == LawClass || remaining == Unlimited:
		return weight, true
	}
	hi, lo := bits.Mul64(weight, uint64(remaining))
	return lo, hi == 0
}

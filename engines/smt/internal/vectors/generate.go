package vectors

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"

	"assay/smt/format"
)

// Generator makes keys, values and weights by index.
type Generator struct {
	KeyGen string `json:"keygen"` // h32, var, be8, dec, list or pfx
	ValGen string `json:"valgen"` // v or key
	WgtGen string `json:"wgtgen"` // u64, u20, idx or none
	Seed   uint64 `json:"seed"`
	Keys   []Hex  `json:"keys"` // of list
}

func digest(domain string, numbers ...uint64) [32]byte {
	b := []byte(domain)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return sha256.Sum256(b)
}

// Key is the key of index i.
func (g *Generator) Key(i int) []byte {
	h := digest("smtvec/key", g.Seed, uint64(i))
	switch g.KeyGen {
	case "h32":
		return h[:]
	case "var":
		return append(binary.LittleEndian.AppendUint32(nil, uint32(i)), h[:h[31]&31]...)
	case "be8":
		return binary.BigEndian.AppendUint64(nil, uint64(i))
	case "dec":
		return strconv.AppendInt(nil, int64(i), 10)
	case "list":
		return g.Keys[i]
	case "pfx": // shares 37i mod 241 bits with the prefix, differs in the next
		prefix := digest("smtvec/pfx", g.Seed)
		shared := 37 * i % 241
		for bit := 0; bit <= shared; bit++ {
			want := format.Bit(prefix[:], bit)
			if bit == shared {
				want ^= 1
			}
			if format.Bit(h[:], bit) != want {
				h[bit/8] ^= 0x80 >> (bit % 8)
			}
		}
		return h[:]
	}
	panic(fmt.Sprintf("key generator %q", g.KeyGen))
}

// Value is the value of index i in generation gen.
func (g *Generator) Value(i, gen int) []byte {
	if g.ValGen == "key" {
		return g.Key(i)
	}
	v := digest("smtvec/val", g.Seed, uint64(i), uint64(gen))
	return v[: 1+v[31]&31 : 1+v[31]&31]
}

// Weight is the weight of index i in generation gen; 0 in a plain trie.
func (g *Generator) Weight(i, gen int) uint64 {
	switch g.WgtGen {
	case "":
		return 0
	case "idx":
		return uint64(i)
	}
	h := digest("smtvec/wgt", g.Seed, uint64(i), uint64(gen))
	w := binary.LittleEndian.Uint64(h[:])
	if g.WgtGen == "u20" {
		w >>= 44
	}
	return w
}

package format_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/smt/format"
)

var formats = []format.Format{
	{},
	{ValueHasher: format.RawValue, PathHasher: format.IdentityKey},
	{Sum: format.SumCount},
	{Sum: format.Sum8, ValueHasher: format.RawValue},
	{Hash: format.SHA512, Sum: format.SumCount},
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		f                        format.Format
		hash, meta, digest, bits int
		leaf, inner, extension   int
	}{
		{format.Format{}, 32, 0, 32, 256, 65, 65, 67},
		{format.Format{Sum: format.SumCount}, 32, 16, 48, 256, 81, 113, 99},
		{format.Format{Sum: format.Sum8}, 32, 8, 40, 256, 73, 89, 83},
		{format.Format{Hash: format.SHA512}, 64, 0, 64, 512, 129, 129, 131},
	} {
		f := c.f
		path, err := f.AppendPath(nil, []byte("key"))
		if err != nil {
			t.Fatal(err)
		}
		leaf := f.AppendLeaf(nil, path, f.AppendLeafValue(nil, []byte("value"), 7))
		inner := f.AppendInner(nil, f.AppendDigest(nil, leaf), f.Placeholder())
		extension := f.AppendExtension(nil, 3, 9, path, f.AppendDigest(nil, inner))
		got := []int{f.HashSize(), f.MetaSize(), f.DigestSize(), f.PathBits(), len(leaf), len(inner), len(extension)}
		want := []int{c.hash, c.meta, c.digest, c.bits, c.leaf, c.inner, c.extension}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v, expected %v", f, got, want)
		}
	}
}

func TestNodesParseToWhatWasAppended(t *testing.T) {
	for _, f := range formats {
		path := slices.Repeat([]byte{0xa5}, f.HashSize())
		value := f.AppendLeafValue(nil, []byte("value"), 1<<63)
		leaf := f.AppendLeaf(nil, path, value)
		left, right := f.AppendDigest(nil, leaf), f.AppendDigest(nil, f.AppendLeaf(nil, path, value))
		inner := f.AppendInner(nil, left, right)
		extension := f.AppendExtension(nil, 0, 12, path, f.AppendDigest(nil, inner))

		n, err := f.Parse(leaf)
		if err != nil || n.Kind != format.Leaf || !bytes.Equal(n.Path, path) || !bytes.Equal(n.LeafValue, value) {
			t.Errorf("%+v: leaf %+v, %v", f, n, err)
		}
		n, err = f.Parse(inner)
		if err != nil || n.Kind != format.Inner || !bytes.Equal(n.Left, left) || !bytes.Equal(n.Right, right) {
			t.Errorf("%+v: inner node %+v, %v", f, n, err)
		}
		if n.Sum != 0 || f.Sum == format.SumCount && n.Count != 2 { // 2^63 twice wraps
			t.Errorf("%+v: sum %d and count %d of two leaves of weight 2^63", f, n.Sum, n.Count)
		}
		n, err = f.Parse(extension)
		if err != nil || n.Kind != format.Extension || n.Start != 0 || n.End != 12 {
			t.Errorf("%+v: extension %+v, %v", f, n, err)
		}
		if want := append([]byte{0xa5, 0xa0}, make([]byte, f.HashSize()-2)...); !bytes.Equal(n.Path, want) {
			t.Errorf("%+v: path %x of an extension, expected the 12 covered bits only", f, n.Path)
		}
	}
}

func TestExtensionHasTheDigestOfItsChain(t *testing.T) {
	for _, f := range formats {
		path := slices.Repeat([]byte{0xc9}, f.HashSize())
		child := f.AppendDigest(nil, f.AppendInner(nil, f.Placeholder(), f.Placeholder()))
		digest := child
		for i := 6; i >= 2; i-- {
			if format.Bit(path, i) == 0 {
				digest = f.AppendDigest(nil, f.AppendInner(nil, digest, f.Placeholder()))
			} else {
				digest = f.AppendDigest(nil, f.AppendInner(nil, f.Placeholder(), digest))
			}
		}
		if got := f.AppendDigest(nil, f.AppendExtension(nil, 2, 7, path, child)); !bytes.Equal(got, digest) {
			t.Errorf("%+v: %x, expected %x", f, got, digest)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	f := format.Format{Sum: format.SumCount}
	inner := f.AppendInner(nil, f.Placeholder(), f.Placeholder())
	extension := f.AppendExtension(nil, 3, 9, make([]byte, 32), f.Placeholder())
	change := func(b []byte, at int) []byte {
		b = slices.Clone(b)
		b[at] ^= 8
		return b
	}
	for _, c := range []struct {
		name     string
		preimage []byte
		says     string
	}{
		{"nothing", nil, "no bytes"},
		{"prefix", append([]byte{3}, inner[1:]...), "prefix 03, expected 00, 01 or 02"},
		{"short leaf", make([]byte, 80), "80 bytes with prefix 00, expected 81"},
		{"long leaf", make([]byte, 82), "82 bytes with prefix 00, expected 81"},
		{"short inner node", inner[:112], "112 bytes with prefix 01, expected 113"},
		{"sum", change(inner, 97+7), "sum 8 and count 0, those of the children are 0 and 0"},
		{"count", change(extension, 83+15), "sum 0 and count 8, those of the children are 0 and 0"},
		{"bounds", f.AppendExtension(nil, 9, 9, make([]byte, 32), f.Placeholder()), "bits 9 to 9, expected start < end"},
	} {
		_, err := f.Parse(c.preimage)
		if !errors.Is(err, format.ErrNode) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, expected ErrNode with %q", c.name, err, c.says)
		}
	}
}

func TestPaths(t *testing.T) {
	path := []byte{0b1010_0000, 0b0000_0001}
	for i, want := range map[int]byte{0: 1, 1: 0, 2: 1, 3: 0, 14: 0, 15: 1} {
		if got := format.Bit(path, i); got != want {
			t.Errorf("bit %d is %d, expected %d", i, got, want)
		}
	}
	for _, c := range []struct {
		a, b []byte
		want int
	}{
		{[]byte{0}, []byte{0x80}, 0},
		{[]byte{0xff, 1}, []byte{0xff, 0}, 15},
		{[]byte{1, 2}, []byte{1, 2}, 16},
		{[]byte{1, 2}, []byte{1}, 8},
	} {
		if got := format.CommonPrefix(c.a, c.b); got != c.want {
			t.Errorf("%x and %x share %d bits, expected %d", c.a, c.b, got, c.want)
		}
	}
	f := format.Format{PathHasher: format.IdentityKey}
	if _, err := f.AppendPath(nil, []byte("short")); !errors.Is(err, format.ErrKeyLength) {
		t.Errorf("%v, expected ErrKeyLength", err)
	}
}

func TestUnknownFormats(t *testing.T) {
	for _, f := range []format.Format{{Hash: 2}, {PathHasher: 2}, {ValueHasher: 2}, {Sum: 3}} {
		if err := f.Check(); !errors.Is(err, format.ErrFormat) {
			t.Errorf("%+v: %v, expected ErrFormat", f, err)
		}
	}
}

// The published library writes sum and count into spare room of a raw value.
func TestAppendLeafValueLeavesTheValueAlone(t *testing.T) {
	f := format.Format{Sum: format.SumCount, ValueHasher: format.RawValue}
	buffer := []byte("value, and room after it for sum and count")
	want := string(buffer)
	f.AppendLeafValue(nil, buffer[:5], 1<<63+5)
	if string(buffer) != want {
		t.Errorf("%q, expected %q", buffer, want)
	}
}

func FuzzParse(fz *testing.F) {
	for i, f := range formats {
		path := slices.Repeat([]byte{0x5a}, f.HashSize())
		leaf := f.AppendLeaf(nil, path, f.AppendLeafValue(nil, nil, 1))
		fz.Add(uint8(i), leaf)
		inner := f.AppendInner(nil, f.Placeholder(), f.AppendDigest(nil, leaf))
		fz.Add(uint8(i), inner)
		fz.Add(uint8(i), f.AppendExtension(nil, 1, 255, path, f.AppendDigest(nil, inner)))
	}
	fz.Fuzz(func(t *testing.T, which uint8, preimage []byte) {
		f := formats[int(which)%len(formats)]
		n, err := f.Parse(preimage)
		if err != nil {
			if !errors.Is(err, format.ErrNode) {
				t.Fatal(err)
			}
			return
		}
		if d := f.AppendDigest(nil, preimage); len(d) != f.DigestSize() {
			t.Fatalf("a digest of %d bytes", len(d))
		}
		var again []byte
		switch n.Kind {
		case format.Leaf:
			again = f.AppendLeaf(nil, n.Path, n.LeafValue)
		case format.Inner:
			again = f.AppendInner(nil, n.Left, n.Right)
		case format.Extension: // but for the bits past its end
			again = f.AppendExtension(nil, n.Start, n.End, n.Path, n.Child)
			preimage = f.AppendExtension(nil, n.Start, n.End, preimage[3:3+f.HashSize()], n.Child)
		}
		if !bytes.Equal(again, preimage) {
			t.Fatalf("%x, written again %x", preimage, again)
		}
	})
}

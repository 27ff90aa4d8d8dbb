package sha256x

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// each runs a test with every implementation that this machine has.
func each(t *testing.T, test func(t *testing.T, h *Hasher)) {
	for _, impl := range Available() {
		t.Run(impl.String(), func(t *testing.T) {
			h, err := New(impl)
			if err != nil {
				t.Fatal(err)
			}
			if h.Implementation() != impl {
				t.Fatalf("asked for %v, got %v", impl, h.Implementation())
			}
			test(t, h)
		})
	}
}

// random gives n bytes that differ with the seed.
func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	rand.NewChaCha8(key).Read(b)
	return b
}

// The examples of FIPS 180-4 and of NIST's "SHA256ShortMsg".
func TestKnownAnswers(t *testing.T) {
	answers := []struct{ msg, digest string }{
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
		{"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
		{strings.Repeat("a", 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	}
	each(t, func(t *testing.T, h *Hasher) {
		for _, a := range answers {
			var d [Size]byte
			h.Sum(&d, []byte(a.msg))
			if hex.EncodeToString(d[:]) != a.digest {
				t.Errorf("%.20q: %x, want %s", a.msg, d, a.digest)
			}
		}
	})
}

func TestSumOfEverySize(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		for size := range 201 {
			msg := random(uint64(size), size)
			var d [Size]byte
			h.Sum(&d, msg)
			if want := sha256.Sum256(msg); d != want {
				t.Errorf("size %d: %x, want %x", size, d, want)
			}
		}
	})
}

// Sizes come in runs, so that lanes are used again with the same padding and with another.
func TestSumMany(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 34 {
			for range 20 {
				msgs, size := make([][]byte, n), 0
				for i := range msgs {
					if r.IntN(3) == 0 {
						size = r.IntN(140)
					}
					msgs[i] = random(r.Uint64(), size)
				}
				dst := make([][Size]byte, n+1)
				h.SumMany(dst, msgs)
				for i, m := range msgs {
					if want := sha256.Sum256(m); dst[i] != want {
						t.Fatalf("message %d of %d, %d bytes: %x, want %x", i, n, len(m), dst[i], want)
					}
				}
				if dst[n] != [Size]byte{} {
					t.Fatalf("wrote past %d digests", n)
				}
			}
		}
	})
}

// Every size, every number of messages up to 33, digests next to each other or
// in longer records, and no byte changed beside the digests.
func TestSumFixed(t *testing.T) {
	const most, guard = 33, 0xa5
	each(t, func(t *testing.T, h *Hasher) {
		for size := range 131 {
			for n := range most + 1 {
				srcStride, dstStride := size+n%4, Size+16*(n%3)
				src := random(uint64(size*most+n), srcStride*n+size)
				before := bytes.Clone(src)
				dst := bytes.Repeat([]byte{guard}, dstStride*n+16)
				want := bytes.Clone(dst)
				for i := range n {
					d := sha256.Sum256(src[i*srcStride:][:size])
					copy(want[i*dstStride:], d[:])
				}
				h.SumFixed(dst, dstStride, src, srcStride, size, n)
				if !bytes.Equal(dst, want) {
					t.Fatalf("size %d, %d messages:\n%x, want\n%x", size, n, dst, want)
				}
				if !bytes.Equal(src, before) {
					t.Fatalf("size %d, %d messages: input changed", size, n)
				}
			}
		}
	})
}

// Messages and digests at random places of one arena, as in a trie.
func TestSumGather(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		for size := range MaxGather + 1 {
			for n := range 34 {
				// slots of an arena: the first n for messages, then n for digests
				slots := rand.New(rand.NewPCG(uint64(size), uint64(n))).Perm(2*n + 1)
				const slot = MaxGather + 7
				arena := random(uint64(n), len(slots)*slot)
				src, dst := make([]uint64, n), make([]uint64, n)
				for i := range n {
					src[i], dst[i] = uint64(slots[i]*slot+i%8), uint64(slots[n+i]*slot+i%5)
				}
				want := bytes.Clone(arena)
				for i := range n {
					d := sha256.Sum256(append([]byte{byte(n)}, arena[src[i]:][:size]...))
					copy(want[dst[i]:], d[:])
				}
				h.SumGather(arena, dst, arena, src, byte(n), size)
				if !bytes.Equal(arena, want) {
					t.Fatalf("size %d, %d messages: wrong arena", size, n)
				}
			}
		}
	})
}

// Every last byte of the messages whose second block comes from a table.
func TestInnerNodes(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		src := random(3, 256*64)
		offsets, places := make([]uint64, 256), make([]uint64, 256)
		for i := range 256 {
			src[i*64+63] = byte(i)
			offsets[i], places[i] = uint64(i*64), uint64(i*Size)
		}
		dst := make([]byte, 256*Size)
		h.SumGather(dst, places, src, offsets, 1, 64)
		for i := range 256 {
			want := sha256.Sum256(append([]byte{1}, src[i*64:][:64]...))
			if !bytes.Equal(dst[i*Size:][:Size], want[:]) {
				t.Fatalf("last byte %d: %x, want %x", i, dst[i*Size:][:Size], want)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		src, dst := random(1, 1000), make([]byte, 1000)
		offsets := []uint64{0, 100, 200, 300, 400, 500, 600}
		msgs, many := [][]byte{src[:1], src[:60], src[:65], src[:200]}, make([][Size]byte, 4)
		allocs := testing.AllocsPerRun(10, func() {
			var d [Size]byte
			var msg [65]byte
			h.Sum(&d, msg[:])
			h.SumMany(many, msgs)
			h.SumFixed(dst, Size, src, 65, 65, 7)
			h.SumGather(dst, offsets, src, offsets, 1, 64)
			h.SumGather(dst, offsets, src, offsets, 1, 112)
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}

func TestOutOfRangePanics(t *testing.T) {
	each(t, func(t *testing.T, h *Hasher) {
		b, one := make([]byte, 128), []uint64{0}
		calls := map[string]func(){
			"fewer digests":          func() { h.SumMany(nil, [][]byte{nil}) },
			"fixed: short input":     func() { h.SumFixed(b, 32, b, 64, 65, 2) },
			"fixed: short output":    func() { h.SumFixed(b[:63], 32, b, 1, 1, 2) },
			"gather: lists":          func() { h.SumGather(b, nil, b, one, 1, 64) },
			"gather: size":           func() { h.SumGather(b, one, make([]byte, 200), one, 1, MaxGather+1) },
			"gather: input at end":   func() { h.SumGather(b, one, b, []uint64{65}, 1, 64) },
			"gather: output at end":  func() { h.SumGather(b, []uint64{97}, b, one, 1, 64) },
			"gather: input far away": func() { h.SumGather(b, one, b, []uint64{1 << 63}, 1, 64) },
		}
		for name, call := range calls {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				call()
			}()
		}
	})
}

func TestNames(t *testing.T) {
	for _, i := range []Implementation{Auto, Std, SHANI} {
		if got, err := Parse(i.String()); err != nil || got != i {
			t.Errorf("Parse(%q) = %v, %v", i.String(), got, err)
		}
	}
	if _, err := Parse("sha1"); err == nil {
		t.Error("Parse(sha1): no error")
	}
	if _, err := New(99); !errors.Is(err, ErrUnavailable) {
		t.Errorf("New(99): %v", err)
	}
	h, err := New(Auto)
	if err != nil || h.Implementation() != Best() {
		t.Errorf("New(Auto) = %v, %v; the best is %v", h, err, Best())
	}
}

// Messages of every length, cut from the input, must hash as in crypto/sha256
// in every implementation.
func FuzzSumMany(f *testing.F) {
	f.Add([]byte("abc"), uint8(1))
	f.Add(bytes.Repeat([]byte{0x80}, 1000), uint8(65))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var msgs [][]byte
		for rest := data; len(rest) > 0 && len(msgs) < 64; {
			size := min(len(rest), int(rest[0])%(1+int(step)))
			msgs = append(msgs, rest[:size])
			rest = rest[max(size, 1):]
		}
		dst := make([][Size]byte, len(msgs))
		for _, impl := range Available() {
			h, _ := New(impl)
			h.SumMany(dst, msgs)
			for i, m := range msgs {
				if want := sha256.Sum256(m); dst[i] != want {
					t.Fatalf("%v, message %d, %x: %x, want %x", impl, i, m, dst[i], want)
				}
			}
		}
	})
}

// The same for messages with a prefix, at places that overlap each other.
func FuzzSumGather(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"), byte(1), uint8(64), uint8(9))
	f.Add(bytes.Repeat([]byte{7}, 300), byte(0), uint8(112), uint8(33))
	f.Fuzz(func(t *testing.T, src []byte, prefix byte, size, n uint8) {
		if int(size) > min(MaxGather, len(src)) {
			return
		}
		offsets, places := make([]uint64, n), make([]uint64, n)
		for i := range offsets {
			offsets[i] = uint64(i * 31 % (len(src) - int(size) + 1))
			places[i] = uint64((int(n) - 1 - i) * Size)
		}
		dst := make([]byte, int(n)*Size)
		for _, impl := range Available() {
			h, _ := New(impl)
			clear(dst)
			h.SumGather(dst, places, src, offsets, prefix, int(size))
			for i, off := range offsets {
				want := sha256.Sum256(append([]byte{prefix}, src[off:][:size]...))
				if !bytes.Equal(dst[places[i]:][:Size], want[:]) {
					t.Fatalf("%v, message %d of %d: %x, want %x", impl, i, n, dst[places[i]:][:Size], want)
				}
			}
		}
	})
}

func Example() {
	h, err := New(Auto)
	if err != nil {
		panic(err)
	}
	// two lines of an arena, each the digests of two children: their parents' digests
	lines := make([]byte, 2*64)
	digests := make([]byte, 2*Size)
	h.SumGather(digests, []uint64{0, Size}, lines, []uint64{0, 64}, 0x01, 64)
	fmt.Println(bytes.Equal(digests[:Size], digests[Size:]))
	// Output: true
}

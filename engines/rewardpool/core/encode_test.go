package core

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
)

// encodings of states that between them use every field.
func encodings(t testing.TB) [][]byte {
	var all [][]byte
	for i := range 8 {
		s := mustNew(t, Config{
			Items: items(3, 9, 4, Unlimited, 5, 2, 0, 7), Law: Law(i & 1), RNG: RNG(i >> 1 & 1), Seed: [32]byte{byte(i)}, Window: 3,
		})
		if i >= 4 {
			s.DrawN(make([]uint32, 11))
			if err := s.Retire("0"); err != nil {
				t.Fatal(err)
			}
			s.DrawN(make([]uint32, 11))
			for j := range 2 * i {
				s.RememberRequest(requestID(uint64(j), 7), uint32(j%4))
			}
		}
		b, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestEncodingRoundTrip(t *testing.T) {
	for i, b := range encodings(t) {
		s, err := Decode(b)
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		if again, _ := s.AppendBinary([]byte("x")); string(again) != "x"+string(b) {
			t.Errorf("state %d: the encoding changed", i)
		}
	}
}

// The bytes and the draws of version 1 must never change.
func TestEncodingIsThatOfVersion1(t *testing.T) {
	s := mustNew(t, Config{Items: items(3, 90, 4, Unlimited, 5, 20), Seed: [32]byte{1}, Window: 2})
	s.DrawN(make([]uint32, 100))
	for i := range uint64(3) {
		s.RememberRequest(requestID(i, i), uint32(i))
	}
	hash := s.Hash()
	const want = "423da74c07956478ef978ee16ea8836270e88523d4a3ed273eac30024be2a99b"
	if got := hex.EncodeToString(hash[:]); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestDecodeRefusesEveryTruncation(t *testing.T) {
	for _, b := range encodings(t) {
		for n := range b {
			var bad *DecodeError
			if _, err := Decode(b[:n]); !errors.As(err, &bad) {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
		}
		if _, err := Decode(append(bytes.Clone(b), 0)); err == nil {
			t.Error("a byte too many was accepted")
		}
	}
}

// Whatever is accepted is canonical and can be used.
func checkDecode(t *testing.T, b []byte) {
	s, err := Decode(b)
	if err != nil {
		return
	}
	if again, _ := s.AppendBinary(nil); !bytes.Equal(again, b) {
		t.Fatalf("accepted %x, which is %x", b, again)
	}
	s.DrawN(make([]uint32, 50))
	s.RememberRequest(requestID(1, 2), 0)
	again, _ := s.AppendBinary(nil)
	if _, err := Decode(again); err != nil {
		t.Fatal(err)
	}
}

func TestDecodeOfEveryFlippedBit(t *testing.T) {
	for _, b := range encodings(t) {
		for bit := range 8 * len(b) {
			c := bytes.Clone(b)
			c[bit/8] ^= 1 << (bit % 8)
			checkDecode(t, c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, b := range encodings(f) {
		f.Add(b)
	}
	f.Fuzz(checkDecode)
}

// Values that are each in range but contradict each other.
func TestDecodeRefusesContradictions(t *testing.T) {
	for name, spoil := range map[string]func(s *State){
		"a retired item with stock":            func(s *State) { s.retired[0] = true },
		"an id twice":                          func(s *State) { s.ids[1] = s.ids[0] },
		"a listed item of weight 0":            func(s *State) { s.selection.listed[3] = 1 },
		"an item with mass that is not listed": func(s *State) { s.selection.listed[0] = 0 },
		"more stock than listed":               func(s *State) { s.stock[0]++ },
		"a wait in a small catalog":            func(s *State) { s.selection = selection{wait: 1} },
		"a wait with a table":                  func(s *State) { s.selection.wait = 1 },
		"too much mass":                        func(s *State) { s.stock[0], s.selection.listed[0] = 1<<62, 1<<62 },
		"a request twice":                      func(s *State) { s.window.ring = []request{{}, {}} },
		"an outcome that is no item":           func(s *State) { s.window.ring = []request{{item: 4}} },
		"an eviction from a window not full":   func(s *State) { s.window.forgot = true },
		"more requests than the window holds":  func(s *State) { s.window.ring = make([]request, 4) },
	} {
		s := mustNew(t, Config{Items: items(3, 9, 4, Unlimited, 5, 2, 0, 7), Law: LawUnit, Window: 3})
		s.aliasTable()
		mustDecode(t, s)
		spoil(s)
		b, _ := s.AppendBinary(nil)
		var bad *DecodeError
		if _, err := Decode(b); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package oracle

import (
	"bytes"
	"encoding/hex"
	"testing"

	"assay/smt/bench/triebench"
	"assay/smt/format"
)

func TestRootIsWhatTheDefinitionGives(t *testing.T) {
	for _, f := range []format.Format{{}, {Sum: format.Sum8}, {Sum: format.SumCount}} {
		for _, count := range []int{0, 1, 2, 3, 1000} {
			entries := triebench.PublishedEntries(count)
			got, err := Root(f, entries)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Definition(f, entries)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%+v, %d keys: root %x, expected %x", f, count, got, want)
			}
		}
	}
}

func TestRootOfThePublishedKeys(t *testing.T) {
	const want = "e83e0bf3b0050c3267ebd4604144654a304e4083c7391279fd0f10a994c69c3d"
	got, err := Root(format.Format{}, triebench.PublishedEntries(100_000))
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != want {
		t.Errorf("root %x, expected %s", got, want)
	}
}

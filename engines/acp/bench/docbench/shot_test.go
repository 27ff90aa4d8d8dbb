package docbench

import (
	"flag"
	"testing"
	"time"
)

func TestOthersThatSlowHalfOfTheRoundsDownDoNotCount(t *testing.T) {
	var total Total
	for _, ms := range []time.Duration{900, 21, 20, 800, 900, 22, 23, 900, 25} {
		total.add(10, ms*time.Millisecond)
	}
	if got := total.PerOperation(); got != 2.2e6 {
		t.Errorf("an operation takes %g ns, expected 2.2e6", got)
	}
	if got := total.Mean(); got != 361.1e6/9 {
		t.Errorf("in the mean an operation takes %g ns, expected %g", got, 361.1e6/9)
	}
	var one Total
	one.add(10, 20*time.Millisecond)
	if got := one.PerOperation(); got != 2e6 {
		t.Errorf("an operation of the only round takes %g ns, expected 2e6", got)
	}
}

func TestRepeatedWorkIsTimedInManyRounds(t *testing.T) {
	if err := flag.Set("test.benchtime", "1x"); err != nil {
		t.Fatal(err)
	}
	did := 0
	var total Total
	testing.Benchmark(func(b *testing.B) {
		did, total = 0, Total{}
		total.Repeat(b, func() (int, error) {
			time.Sleep(time.Millisecond)
			did += 3
			return 3, nil
		})
	})
	if total.operations != did {
		t.Errorf("%d operations, expected %d", total.operations, did)
	}
	if n := len(total.rounds); n < 2 || n > int(enough/round)+1 {
		t.Errorf("%d rounds in %s, expected one each %s or a little longer", n, enough, round)
	}
	for _, each := range total.rounds {
		if each < 1e6/3 {
			t.Errorf("a round says %g ns, of operations that slept for more", each)
		}
	}
}

func TestPartsAreRepeatedAsOftenAsTheyFit(t *testing.T) {
	parts := func(d time.Duration) (n int) {
		var total Total
		for total.Another(2) {
			time.Sleep(d)
			total.add(1, d)
			n++
		}
		return n
	}
	if n := parts(time.Millisecond); n != 10 {
		t.Errorf("%d parts of 1 ms, expected 10", n)
	}
	if n := parts(400 * time.Millisecond); n != 2 {
		t.Errorf("%d parts of 400 ms, expected the least, 2", n)
	}
}

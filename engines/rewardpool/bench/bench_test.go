package bench

import (
	"strings"
	"testing"
	"time"

	"assay/rewardpool/core"
)

func TestVariantsLeaveWhatTheyAcknowledge(t *testing.T) {
	openers := map[string]opener{"direct": openDirect, "channel-text": openPlain}
	small := []core.Item{{ID: "gold", Quantity: 70, Weight: 1}, {ID: "silver", Quantity: 80, Weight: 9}}
	for _, v := range variants {
		const draws = 200 // 50 more than the stock
		c, err := openers[v.design](t.TempDir(), small, v.durability, v.commit, draws)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		won := make([]uint32, draws)
		n, err := c.draw(won)
		if err != nil || n != 150 {
			t.Fatalf("%+v: %d draws won, %v; expected 150", v, n, err)
		}
		if _, err := c.close(); err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		if err := c.check(won[:n]); err != nil {
			t.Errorf("%+v: %v", v, err)
		}
		if err := c.check(won[:n-1]); err == nil {
			t.Errorf("%+v: a draw that was not acknowledged is not found", v)
		}
		won[0] ^= 1
		if err := c.check(won[:n]); err == nil || strings.Contains(err.Error(), "draws") {
			t.Errorf("%+v: an item that was not acknowledged is not found: %v", v, err)
		}
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for q, want := range map[float64]time.Duration{0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("quantile %v of 1 to 100 is %d, expected %d", q, got, want)
		}
	}
}

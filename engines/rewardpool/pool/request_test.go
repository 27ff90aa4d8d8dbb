package pool

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"assay/gocommon/vfs"
	"assay/rewardpool/core"
)

// timedID is a request id of a time, as a UUIDv7.
func timedID(at time.Time, n byte) (id core.RequestID) {
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16)
	id[15] = n
	return id
}

// A new id from the future is refused: once forgotten it would end every later
// request. Those that are in time go on, and a retry is answered at any time.
func TestRequestFromTheFuture(t *testing.T) {
	mem := vfs.NewMem()
	clock := time.UnixMilli(1_700_000_000_000)
	cfg := testConfig(mem, Group)
	cfg.Window = 3
	cfg.now = func() time.Time { return clock }
	p := openTest(t, cfg)
	draw := func(id core.RequestID, want error) {
		t.Helper()
		before := p.Stats()
		_, _, err := p.DrawID(id)
		if !errors.Is(err, want) || want != nil && p.Stats() != before {
			t.Fatalf("id %x: %v, expected %v and no draw", id, err, want)
		}
	}
	var last core.RequestID
	for n := range last {
		last[n] = 0xff
	}
	draw(last, ErrRequestAhead)
	draw(timedID(clock.Add(RequestLead+time.Millisecond), 0), ErrRequestAhead)
	ahead := timedID(clock.Add(RequestLead), 1)
	draw(ahead, nil)
	clock = clock.Add(-time.Hour) // a clock that was set back
	p.horizon = 0
	draw(ahead, nil)
	draw(timedID(clock.Add(RequestLead+time.Second), 2), ErrRequestAhead)
	// What one client can do ends with the lead that it had.
	clock = clock.Add(time.Hour + RequestLead + time.Millisecond)
	for n := range byte(20) {
		draw(timedID(clock, n), nil)
		clock = clock.Add(time.Second)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := inspect(mem, testDir, true); err != nil {
		t.Fatal(err)
	}
}

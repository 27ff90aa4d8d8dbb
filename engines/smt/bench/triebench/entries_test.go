package triebench

import (
	"bytes"
	"maps"
	"testing"
)

// contents maps the keys of the entries to their values.
func contents(e Entries) map[string]string {
	m := map[string]string{}
	for i := range e.Len() {
		key, value, _ := e.At(i)
		m[string(key)] = string(value)
	}
	return m
}

func TestEntriesAreWhatWasAdded(t *testing.T) {
	entries := PublishedEntries(120)
	key, value, weight := entries.Slice(100, 110).At(5)
	if string(key) != "105" || string(value) != "105" || weight != 105 {
		t.Errorf("entry 105 is %s, %s, %d", key, value, weight)
	}
	if got := entries.Slice(100, 110).Bytes(); got != 60 {
		t.Errorf("ten keys and values of 3 bytes have %d bytes", got)
	}
	nth := entries.everyNth(12)
	if nth.Len() != 12 || string(nth.Key(11)) != "110" {
		t.Errorf("the last of %d entries at equal distances is %s", nth.Len(), nth.Key(11))
	}
}

func TestRandomEntriesAreTheSameForEverySize(t *testing.T) {
	few, many := PresentEntries(10), PresentEntries(1000)
	if !bytes.Equal(few.Key(9), many.Key(9)) {
		t.Errorf("key 9 is %x of 10 and %x of 1000", few.Key(9), many.Key(9))
	}
	if len(contents(many)) != 1000 {
		t.Error("a key occurs twice")
	}
}

func TestRewrittenAndRemovedEntries(t *testing.T) {
	entries := PresentEntries(100)
	updates, after := entries.Rewritten(30)
	want := contents(entries)
	for key, value := range contents(updates) {
		if old, ok := want[key]; !ok || old == value {
			t.Errorf("key %x is new or has its old value", key)
		}
		want[key] = value
	}
	if !maps.Equal(contents(after), want) {
		t.Error("the entries after the updates are not the old ones with the updates")
	}

	removed, left := entries.without(40)
	want = contents(left)
	for key, value := range contents(removed) {
		want[key] = value
	}
	if removed.Len() != 40 || left.Len() != 60 || !maps.Equal(want, contents(entries)) {
		t.Error("what is removed and what is left are not all entries")
	}
}

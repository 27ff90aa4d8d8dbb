package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"assay/rewardpool/core"
)

// jsonItem is an item in catalogs and results. Quantity -1 is unlimited.
type jsonItem struct {
	ID       string `json:"id"`
	Quantity int64  `json:"quantity"`
	Weight   uint64 `json:"weight"`
}

// readCatalog reads a JSON array of items.
func readCatalog(path string) ([]core.Item, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	var entries []jsonItem
	if err := decoder.Decode(&entries); err != nil {
		return nil, usageError(fmt.Sprintf("%s: expected [{\"id\": text, \"quantity\": number, \"weight\": number}, ...]: %v", path, err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, usageError(path + ": expected nothing after the array of items")
	}
	items := make([]core.Item, len(entries))
	for i, entry := range entries {
		items[i] = core.Item(entry)
	}
	return items, nil
}

// itemFlags collects --item id:quantity:weight; the id may hold colons.
type itemFlags []core.Item

func (f *itemFlags) String() string { return "" }

func (f *itemFlags) Set(text string) error {
	const form = "expected id:quantity:weight, with whole numbers or \"unlimited\" as quantity"
	rest, last, ok := cutLast(text)
	id, middle, ok2 := cutLast(rest)
	if !ok || !ok2 {
		return errors.New(form)
	}
	quantity, err := core.Unlimited, error(nil)
	if middle != "unlimited" {
		quantity, err = strconv.ParseInt(middle, 10, 64)
	}
	weight, err2 := strconv.ParseUint(last, 10, 64)
	if err != nil || err2 != nil {
		return errors.New(form)
	}
	*f = append(*f, core.Item{ID: id, Quantity: quantity, Weight: weight})
	return nil
}

func cutLast(text string) (before, after string, found bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// numberedItems returns n unlimited items item-0, item-1, ... of weights 1 to 100, for benchmarks.
func numberedItems(n int) []core.Item {
	items := make([]core.Item, n)
	for i := range items {
		items[i] = core.Item{ID: fmt.Sprintf("item-%d", i), Quantity: core.Unlimited, Weight: uint64(i%100 + 1)}
	}
	return items
}

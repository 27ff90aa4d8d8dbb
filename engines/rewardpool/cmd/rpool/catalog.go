package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/rewardpool/core"
)

// jsonItem is an item in results. Quantity -1 is unlimited.
type jsonItem struct {
	ID       itemID `json:"id"`
	Quantity int64  `json:"quantity"`
	Weight   uint64 `json:"weight"`
}

func newJSONItem(item core.Item) jsonItem {
	return jsonItem{itemID(item.ID), item.Quantity, item.Weight}
}

const catalogForm = `[{"id": text, "quantity": number, "weight": number}, ...]`

// readCatalog reads a JSON array of items, each with all fields and each field once.
func readCatalog(path string) ([]core.Item, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	items, err := parseCatalog(content)
	if err != nil {
		return nil, usageError(fmt.Sprintf("%s: expected %s: %v", path, catalogForm, err))
	}
	return items, nil
}

func parseCatalog(content []byte) ([]core.Item, error) {
	items := []core.Item{}
	if !utf8.Valid(content) {
		return nil, errors.New("not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	if err := delimiter(decoder, '['); err != nil {
		return nil, err
	}
	for decoder.More() {
		item, err := parseItem(decoder)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", len(items), err)
		}
		items = append(items, item)
	}
	if err := delimiter(decoder, ']'); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something after the array")
	}
	return items, nil
}

func parseItem(decoder *json.Decoder) (core.Item, error) {
	var id *string
	var quantity *int64
	var weight *uint64
	if err := delimiter(decoder, '{'); err != nil {
		return core.Item{}, err
	}
	fields := map[string]any{"id": &id, "quantity": &quantity, "weight": &weight}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return core.Item{}, err
		}
		field, ok := fields[key.(string)]
		if !ok {
			return core.Item{}, fmt.Errorf("field %q is unknown or given twice", key)
		}
		delete(fields, key.(string))
		if err := decoder.Decode(field); err != nil {
			return core.Item{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := delimiter(decoder, '}'); err != nil {
		return core.Item{}, err
	}
	if id == nil || quantity == nil || weight == nil {
		return core.Item{}, errors.New("a field is missing or null")
	}
	if strings.ContainsRune(*id, utf8.RuneError) { // what half of a surrogate pair is read as
		return core.Item{}, fmt.Errorf("id %q holds U+FFFD, which stands for what is no character", *id)
	}
	return core.Item{ID: *id, Quantity: *quantity, Weight: *weight}, nil
}

func delimiter(decoder *json.Decoder, want json.Delim) error {
	token, err := decoder.Token()
	if err == nil && token != want {
		err = fmt.Errorf("found %v where %v is expected", token, want)
	}
	return err
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

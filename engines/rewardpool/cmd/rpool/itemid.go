package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// itemID is the id of an item, which is any bytes, so that no two print alike.
type itemID string

// MarshalJSON returns a string, or {"base64": text} for what is not UTF-8.
func (id itemID) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(id)) {
		return json.Marshal(string(id))
	}
	return json.Marshal(struct {
		Base64 []byte `json:"base64"`
	}{[]byte(id)})
}

// String returns the id as it is, or quoted where it would not stand on one line as one field.
func (id itemID) String() string {
	quoted := strconv.Quote(string(id))
	plain := `"` + strings.ReplaceAll(string(id), `\`, `\\`) + `"`
	if quoted == plain {
		return string(id)
	}
	return quoted
}

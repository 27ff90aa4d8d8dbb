package gobench

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// testCase is a message in one form, and what it must become: bytes, a text, or a refusal.
type testCase struct {
	name    string
	message protoreflect.MessageDescriptor
	given   form
	wanted  *form // nil where the input must be refused
	toJSON  bool
	strict  bool
	exact   bool // the text itself is meant, not only the message that it stands for
}

type form struct {
	text []byte
	json bool
}

// correctness counts the cases of a set that pass: agreed by all recorded libraries, required or
// recommended by the conformance suite. It names the others on the standard error.
func correctness(codec New, corpus, direction, set string) ([]metric, error) {
	descriptors, read := "test_messages.desc", suite
	if set == "agreed" {
		descriptors, read = "transcode_corpus.desc", agreed
	}
	s, err := readSchema(filepath.Join(corpus, descriptors))
	if err != nil {
		return nil, err
	}
	cases, err := read(s, corpus, direction, set)
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("there are no %s cases", set)
	}
	type kind struct {
		message protoreflect.FullName
		strict  bool
	}
	codecs := map[kind]Codec{}
	for _, c := range cases {
		k := kind{c.message.FullName(), c.strict}
		if codecs[k] == nil {
			codecs[k] = codec(c.message, s, c.strict)
		}
	}
	passed := 0
	start := time.Now()
	for _, c := range cases {
		if c.passes(codecs[kind{c.message.FullName(), c.strict}], s) {
			passed++
		} else {
			fmt.Fprintln(os.Stderr, "not passed:", c.name)
		}
	}
	return []metric{
		{"seconds", time.Since(start).Seconds() / float64(len(cases))},
		{"cases_passed", float64(passed)},
		{"cases_total", float64(len(cases))},
	}, nil
}

func (c testCase) passes(codec Codec, s Schema) bool {
	found, err := c.answer(codec)
	if err != nil || c.wanted == nil {
		return err != nil && c.wanted == nil
	}
	if !c.toJSON {
		same, err := s.sameWire(c.message, found, c.wanted.text)
		return same && err == nil
	}
	if sameText(found, c.wanted.text) {
		return true
	}
	same, err := s.sameJSON(c.message, found, c.wanted.text)
	return !c.exact && same && err == nil
}

// answer is the message in the form that is asked for. A text that becomes a text goes over the wire.
func (c testCase) answer(codec Codec) ([]byte, error) {
	wire := c.given.text
	if c.given.json {
		var err error
		if wire, err = codec.ToWire(c.given.text, nil); err != nil || !c.toJSON {
			return wire, err
		}
	}
	return codec.ToJSON(wire, nil)
}

// sameText compares texts but for blanks, the order of members and the spelling of a number.
func sameText(one, other []byte) bool {
	var values [2]any
	for i, text := range [2][]byte{one, other} {
		if json.Unmarshal(text, &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// answerRow is what a library answered.
type answerRow struct {
	OK   bool    `json:"ok"`
	JSON *string `json:"json"`
	Hex  *string `json:"hex"`
	// RawHex is what was written, where it is too deep to be read again.
	RawHex *string `json:"raw_hex"`
}

// agreed reads json_to_proto.jsonl or proto_to_json.jsonl.
func agreed(s Schema, corpus, direction, _ string) ([]testCase, error) {
	type row struct {
		ID      string     `json:"id"`
		Agree   bool       `json:"agree"`
		Type    string     `json:"type"`
		JSON    *string    `json:"json"`
		JSONHex *string    `json:"json_hex"`
		Hex     *string    `json:"hex"`
		Folded  bool       `json:"case_insensitive_enums"`
		Seed    *answerRow `json:"seed"`
		Outputs []struct {
			Options []string  `json:"options"`
			Seed    answerRow `json:"seed"`
		} `json:"outputs"`
	}
	file := "json_to_proto.jsonl"
	if direction == toJSON {
		file = "proto_to_json.jsonl"
	}
	return lines(filepath.Join(corpus, file), func(r row) (*testCase, error) {
		if !r.Agree || r.Folded {
			return nil, nil
		}
		message, err := s.message(r.Type)
		if err != nil {
			return nil, err
		}
		answer := r.Seed
		for i := range r.Outputs {
			if answer == nil && len(r.Outputs[i].Options) == 0 {
				answer = &r.Outputs[i].Seed
			}
		}
		if answer == nil {
			return nil, errors.New("the case has no answer")
		}
		c := testCase{name: r.ID, message: message, toJSON: direction == toJSON}
		if r.JSONHex != nil {
			text, err := hex.DecodeString(*r.JSONHex)
			if err != nil {
				return nil, err
			}
			c.given = form{text, true}
		} else if c.given, err = formOf(r.JSON, r.Hex); err != nil {
			return nil, err
		}
		if answer.OK {
			written := answer.Hex
			if written == nil {
				written = answer.RawHex
			}
			wanted, err := formOf(answer.JSON, written)
			if err != nil {
				return nil, err
			}
			c.wanted = &wanted
		}
		return &c, nil
	})
}

// suite reads the cases of a level from conformance.jsonl.
func suite(s Schema, corpus, direction, level string) ([]testCase, error) {
	type row struct {
		Name   string    `json:"name"`
		Level  string    `json:"level"`
		Type   string    `json:"type"`
		Output string    `json:"output"`
		JSON   *string   `json:"json"`
		Hex    *string   `json:"hex"`
		Ignore bool      `json:"ignore_unknown_fields"`
		Expect answerRow `json:"expect"`
	}
	return lines(filepath.Join(corpus, "conformance.jsonl"), func(r row) (*testCase, error) {
		if strings.ToLower(r.Level) != level || (r.JSON != nil) != (direction == fromJSON) {
			return nil, nil
		}
		message, err := s.message(r.Type)
		if err != nil {
			return nil, err
		}
		c := testCase{
			name: r.Name, message: message, toJSON: r.Output == "json", strict: !r.Ignore,
			exact: strings.HasSuffix(r.Name, ".Validator"),
		}
		if c.given, err = formOf(r.JSON, r.Hex); err != nil {
			return nil, err
		}
		if r.Expect.JSON != nil || r.Expect.Hex != nil {
			wanted, err := formOf(r.Expect.JSON, r.Expect.Hex)
			if err != nil {
				return nil, err
			}
			c.wanted = &wanted
		}
		return &c, nil
	})
}

func formOf(text, digits *string) (form, error) {
	if text != nil {
		return form{[]byte(*text), true}, nil
	}
	if digits == nil {
		return form{}, errors.New("the case has neither json nor hex")
	}
	decoded, err := hex.DecodeString(*digits)
	return form{decoded, false}, err
}

// lines reads a file with a JSON object on each line. A row that makes no case is left out.
func lines[Row any](path string, read func(Row) (*testCase, error)) ([]testCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var row Row
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		c, err := read(row)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		if c != nil {
			cases = append(cases, *c)
		}
	}
	return cases, nil
}

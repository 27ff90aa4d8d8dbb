package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of a text. A tree of nodes is some 200 bytes a node, so the bytes alone bound it too little.
const (
	MaxText  = 1 << 20 // bytes
	MaxItems = 65_536  // lines, commas and brackets together
)

var bom = []byte("\ufeff")

// decode reads JSON where the text is valid JSON, else YAML, into a tree with lines and columns.
// An empty text is a tree with null.
func decode(text []byte) (*yaml.Node, Problems) {
	refuse := func(line, column int, format string, args ...any) (*yaml.Node, Problems) {
		return nil, Problems{{Line: line, Column: column, Message: fmt.Sprintf(format, args...), early: true}}
	}
	if len(text) > MaxText {
		return refuse(1, 1, "the text has %d bytes: expected at most %d", len(text), MaxText)
	}
	if items := 1 + bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) +
		bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("\r")); items > MaxItems {
		return refuse(1, 1, "the text has %d lines, commas and brackets: expected at most %d", items, MaxItems)
	}
	if at := invalidUTF8(text); at >= 0 {
		line, column := position(text, at)
		return refuse(line, column, "the text is not UTF-8")
	}
	text = bytes.TrimPrefix(text, bom)
	if json.Valid(text) {
		return (&jsonReader{text: text, decoder: jsonDecoder(text)}).value(), nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1, Column: 1}, nil
	}
	if err != nil {
		line, message := yamlError(err)
		return refuse(line, 1, "%s", message)
	}
	switch err := decoder.Decode(&more); {
	case err == nil:
		return refuse(more.Line, more.Column, "a second document: expected one")
	case !errors.Is(err, io.EOF):
		line, message := yamlError(err)
		return refuse(line, 1, "%s", message)
	}
	return document.Content[0], nil
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError takes the line out of an error text of the YAML library, which gives it nowhere else.
func yamlError(err error) (line int, message string) {
	text := err.Error()
	found := yamlLine.FindStringSubmatch(text)
	if found == nil {
		return 1, text
	}
	line, _ = strconv.Atoi(found[1])
	return max(line, 1), "YAML: " + strings.TrimPrefix(text, found[0])
}

// position gives the line and column, from 1, of a byte of a text.
func position(text []byte, at int) (line, column int) {
	before := text[:at]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// jsonReader makes a tree of a text that is valid JSON. The YAML library would read most JSON, but
// not the escapes of characters beyond the basic plane.
type jsonReader struct {
	text    []byte
	decoder *json.Decoder
	at      int // of the byte that line and column belong to
	line    int
	column  int
}

func jsonDecoder(text []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d
}

func (r *jsonReader) value() *yaml.Node {
	n := &yaml.Node{}
	n.Line, n.Column = r.locate()
	token, _ := r.decoder.Token() // the text is valid, so there is one
	switch t := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for r.decoder.More() {
			n.Content = append(n.Content, r.value())
		}
		_, _ = r.decoder.Token() // the closing bracket
	case string:
		n.Kind, n.Tag, n.Value, n.Style = yaml.ScalarNode, "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", t.String()
	case bool:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!bool", strconv.FormatBool(t)
	default:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!null", "null"
	}
	return n
}

// locate finds where the next token begins.
func (r *jsonReader) locate() (line, column int) {
	if r.line == 0 {
		r.line, r.column = 1, 1
	}
	next := int(r.decoder.InputOffset())
	for next < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[next]) >= 0 {
		next++
	}
	for ; r.at < next; r.at++ {
		switch {
		case r.text[r.at] == '\n':
			r.line, r.column = r.line+1, 1
		case utf8.RuneStart(r.text[r.at]):
			r.column++
		}
	}
	return r.line, r.column
}

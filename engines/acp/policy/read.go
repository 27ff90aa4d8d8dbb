package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// reader turns the tree of a text into a policy and gathers the problems.
type reader struct {
	text     []string // lines
	lenient  bool
	problems Problems
	names    int // of things
	items    int // of lists and mappings, those behind an alias each time
	merges   int
}

// MaxMerges bounds the mappings that are merged into others, and so how deep they nest.
const MaxMerges = 1000

// count tells whether the items of n are within the limit; a short text has many by aliases.
func (r *reader) count(n *yaml.Node) bool {
	before := r.items
	if r.items += len(n.Content); r.items > MaxItems && before <= MaxItems {
		r.fail(n, "more than %d items, those behind aliases counted each time", MaxItems)
	}
	return r.items <= MaxItems
}

// fail notes a problem that the published engine has too, before it gives the policy a number.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{n.Line, n.Column, fmt.Sprintf(format, args...), true})
}

// refuse notes a problem that is found once the policy has a number.
func (r *reader) refuse(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{n.Line, n.Column, fmt.Sprintf(format, args...), false})
}

// strict notes a problem of what the published engine accepts, unless the reader is lenient.
func (r *reader) strict(n *yaml.Node, format string, args ...any) {
	if !r.lenient {
		r.refuse(n, format, args...)
	}
}

func isNull(n *yaml.Node) bool { return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// resolve follows an alias. A value can hold itself by an alias; since a policy is nested to a fixed
// depth, reading it ends nevertheless.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// field is a key of a mapping with its value.
type field struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// mapping reads the fields of a mapping in the order of the text. Null is an empty mapping.
func (r *reader) mapping(n *yaml.Node, what string) []field {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: expected a mapping, found %s", what, kindOf(n))
		return nil
	}
	if !r.count(n) {
		return nil
	}
	fields := make([]field, 0, len(n.Content)/2)
	lines := make(map[string]int, len(n.Content)/2)
	var merged []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		if key.ShortTag() == "!!merge" {
			merged = append(merged, r.merge(value, what)...)
			continue
		}
		name, ok := r.key(key)
		if !ok {
			continue
		}
		if line, known := lines[name]; known {
			r.fail(key, "%s: %q stands here again, first in line %d", what, name, line)
			continue
		}
		lines[name] = key.Line
		fields = append(fields, field{name, key, value})
	}
	for _, f := range merged { // what is written goes before what is merged
		if lines[f.name] == 0 {
			lines[f.name] = f.key.Line
			fields = append(fields, f)
		}
	}
	return fields
}

// merge reads what <<: puts into a mapping: the fields of another one, or of several.
func (r *reader) merge(n *yaml.Node, what string) []field {
	others := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		others = r.sequence(n, what)
	}
	var fields []field
	for _, other := range others {
		if r.merges++; r.merges > MaxMerges {
			r.fail(n, "%s: more than %d merges", what, MaxMerges)
			return nil
		}
		fields = append(fields, r.mapping(other, what)...)
	}
	return fields
}

// key reads a name. Decimal numbers are names too, as they are written.
func (r *reader) key(n *yaml.Node) (string, bool) {
	if number, err := strconv.ParseUint(n.Value, 10, 63); err == nil && n.Kind == yaml.ScalarNode && strconv.FormatUint(number, 10) == n.Value {
		return n.Value, true
	}
	return r.string(n, "a name")
}

// known picks the fields that a mapping may have; the others are problems.
func (r *reader) known(fields []field, what string, names ...string) map[string]*yaml.Node {
	found := make(map[string]*yaml.Node, len(names))
	for _, f := range fields {
		if slices.Contains(names, f.name) {
			found[f.name] = f.value
		} else {
			r.strict(f.key, "%s: unknown field %q: expected %s", what, f.name, strings.Join(names, ", "))
		}
	}
	return found
}

// named reads things with names: the fields of a mapping or, in the list form, mappings that have
// the field name. It gives each with the fields it may have.
func (r *reader) named(n *yaml.Node, list bool, what string, names ...string) []thing {
	var things []thing
	if !list {
		for _, f := range r.mapping(n, what+"s") {
			t := thing{f.name, f.key, r.known(r.mapping(f.value, what+" "+f.name), what+" "+f.name, names...)}
			things = append(things, t)
		}
	} else {
		seen := map[string]int{}
		for _, item := range r.sequence(n, what+"s") {
			fields := r.known(r.mapping(item, what), what, append([]string{"name"}, names...)...)
			name, ok := r.required(item, fields["name"], what+": name")
			if !ok {
				continue
			}
			if line, known := seen[name]; known {
				r.fail(fields["name"], "%ss: %q stands here again, first in line %d", what, name, line)
				continue
			}
			seen[name] = fields["name"].Line
			things = append(things, thing{name, fields["name"], fields})
		}
	}
	for _, t := range things {
		if what == "resource" {
			r.resourceName(t.at, t.name)
		} else if !isIdentifier(t.name) {
			r.strict(t.at, "%s: bad name %q: expected letters, digits and _", what, t.name)
		}
		if t.name == this {
			r.refuse(t.at, "%s: the name %s is reserved", what, this)
		}
	}
	r.names += len(things)
	return things
}

// resourceName notes a bad name. No expression has names of resources, so - . and / are allowed too.
func (r *reader) resourceName(at *yaml.Node, name string) {
	if !isIdentifier(resourceMarks.Replace(name)) {
		r.strict(at, "bad name of a resource %q: expected letters, digits, _ - . and /", name)
	}
}

var resourceMarks = strings.NewReplacer("-", "_", ".", "_", "/", "_")

// thing is a resource, relation or permission.
type thing struct {
	name   string
	at     *yaml.Node
	fields map[string]*yaml.Node
}

func (r *reader) sequence(n *yaml.Node, what string) []*yaml.Node {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s: expected a list, found %s", what, kindOf(n))
		return nil
	}
	if !r.count(n) {
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = resolve(item)
	}
	return items
}

// required reads a text that must be there; at is where its lack is told.
func (r *reader) required(at, n *yaml.Node, what string) (string, bool) {
	if isNull(n) {
		r.fail(at, "%s is required", what)
		return "", false
	}
	return r.string(n, what)
}

// optional reads a text that may be absent.
func (r *reader) optional(n *yaml.Node, what string) string {
	if isNull(n) {
		return ""
	}
	text, _ := r.string(n, what)
	return text
}

// Plain words that YAML 1.1, which the published engine reads, takes for true and false.
var yaml11Booleans = []string{"y", "n", "yes", "no", "on", "off"}

func yaml11Boolean(word string) bool {
	return len(word) <= len("off") && slices.Contains(yaml11Booleans, strings.ToLower(word))
}

func (r *reader) string(n *yaml.Node, what string) (string, bool) {
	plain := n.Kind == yaml.ScalarNode && n.Style&^yaml.TaggedStyle == 0
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && !(plain && yaml11Boolean(n.Value)) {
		return n.Value, true
	}
	if n.Kind == yaml.ScalarNode {
		r.fail(n, "%s: expected text, found %s: put it in quotes", what, n.Value)
	} else {
		r.fail(n, "%s: expected text, found %s", what, kindOf(n))
	}
	return "", false
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

// inside returns the place of a byte of a text's value. It is exact where the value stands in the
// text as it is, on one line; else it is where the value begins.
func (r *reader) inside(n *yaml.Node, at int) *yaml.Node {
	if n.Line > len(r.text) {
		return n
	}
	line := []rune(r.text[n.Line-1])
	start := n.Column - 1
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		start++
	}
	if start > len(line) || !strings.HasPrefix(string(line[start:]), n.Value) {
		return n
	}
	return &yaml.Node{Line: n.Line, Column: start + 1 + utf8.RuneCountInString(n.Value[:at])}
}

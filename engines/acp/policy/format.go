package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Format writes a policy in the short YAML form, sorted by name. Parse reads it back.
func Format(p *Policy) string {
	w := &writer{}
	w.field(0, "name", p.Name)
	w.optional(0, "description", p.Description)
	if len(p.Meta) > 0 {
		w.line(0, "meta:")
		for _, key := range slices.Sorted(maps.Keys(p.Meta)) {
			w.field(1, quote(key), p.Meta[key])
		}
	}
	w.line(0, "actor:")
	w.field(1, "name", p.Actor)
	w.line(0, "resources:")
	for _, resource := range sortedBy(p.Resources, func(r *Resource) string { return r.Name }) {
		w.line(1, quote(resource.Name)+":")
		w.optional(2, "doc", resource.Doc)
		w.line(2, "permissions:")
		for _, permission := range sortedBy(resource.Permissions, func(p *Permission) string { return p.Name }) {
			if !permission.Management {
				w.line(3, quote(permission.Name)+":")
				w.optional(4, "doc", permission.Doc)
				w.field(4, "expr", permission.Text)
			}
		}
		w.line(2, "relations:")
		for _, relation := range sortedBy(resource.Relations, func(r *Relation) string { return r.Name }) {
			w.line(3, quote(relation.Name)+":")
			w.optional(4, "doc", relation.Doc)
			types := make([]string, len(relation.Types))
			for i, t := range relation.Types {
				types[i] = t.String()
			}
			w.list(4, "types", types)
			if len(relation.Manages) > 0 {
				w.list(4, "manages", relation.Manages)
			}
		}
	}
	return w.String()
}

func sortedBy[T any](list []*T, name func(*T) string) []*T {
	return slices.SortedFunc(slices.Values(list), func(a, b *T) int { return strings.Compare(name(a), name(b)) })
}

type writer struct{ strings.Builder }

func (w *writer) line(depth int, text string) {
	fmt.Fprintf(w, "%s%s\n", strings.Repeat("  ", depth), text)
}

func (w *writer) field(depth int, key, value string) { w.line(depth, key+": "+quote(value)) }

func (w *writer) optional(depth int, key, value string) {
	if value != "" {
		w.field(depth, key, value)
	}
}

func (w *writer) list(depth int, key string, values []string) {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quote(value)
	}
	w.line(depth, key+": ["+strings.Join(quoted, ", ")+"]")
}

// plain is text that stands for itself in YAML: words, also with operators between them. A word that
// YAML could take for a number or a truth value is quoted.
var (
	plain     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*( ?(->|[+&-]) ?[A-Za-z_][A-Za-z0-9_]*)*$`)
	ambiguous = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

func quote(text string) string {
	if plain.MatchString(text) && !ambiguous.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

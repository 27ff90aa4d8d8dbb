package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is one difference between two policies.
type Change struct {
	What     string // resource doc, relation doc.reader, permission doc.read, name, actor, meta k, ...
	Old, New string // how it was and how it is; "" where it is added or removed
	Kind     ChangeKind
}

// ChangeKind is added, removed or changed.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

func (c Change) String() string {
	switch c.Kind {
	case Added:
		return fmt.Sprintf("added %s: %s", c.What, c.New)
	case Removed:
		return fmt.Sprintf("removed %s: %s", c.What, c.Old)
	}
	return fmt.Sprintf("changed %s: %s -> %s", c.What, c.Old, c.New)
}

// Diff tells what an edit adds, removes and changes, sorted by what it is about. The permissions to
// manage relations follow from the relations and are left out. Expressions are compared by their
// meaning as trees, not by their spaces.
func Diff(old, new *Policy) []Change {
	before, after := parts(old), parts(new)
	names := maps.Clone(before)
	maps.Copy(names, after)
	var changes []Change
	for _, what := range slices.Sorted(maps.Keys(names)) {
		was, there := before[what]
		is, stays := after[what]
		switch {
		case !there:
			changes = append(changes, Change{what, "", is, Added})
		case !stays:
			changes = append(changes, Change{what, was, "", Removed})
		case was != is:
			changes = append(changes, Change{what, was, is, Changed})
		}
	}
	return changes
}

// parts describes all that a policy says, by what it is about.
func parts(p *Policy) map[string]string {
	all := map[string]string{"name": quote(p.Name), "actor": quote(p.Actor)}
	add := func(what, text string) {
		if text != "" {
			all[what] = quote(text)
		}
	}
	add("description", p.Description)
	for key, value := range p.Meta {
		all["meta "+quote(key)] = quote(value)
	}
	for _, resource := range p.Resources {
		all["resource "+quote(resource.Name)] = "objects"
		add("doc of resource "+quote(resource.Name), resource.Doc)
		for _, relation := range resource.Relations {
			name := "relation " + quote(resource.Name) + "." + quote(relation.Name)
			types := make([]string, len(relation.Types))
			for i, t := range relation.Types {
				types[i] = t.String()
			}
			all[name] = "types " + sortedList(types) + ", manages " + sortedList(relation.Manages)
			add("doc of "+name, relation.Doc)
		}
		for _, permission := range resource.Permissions {
			if !permission.Management {
				name := "permission " + quote(resource.Name) + "." + quote(permission.Name)
				all[name] = permission.Expr.String()
				add("doc of "+name, permission.Doc)
			}
		}
	}
	return all
}

func sortedList(names []string) string {
	return "[" + strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ") + "]"
}

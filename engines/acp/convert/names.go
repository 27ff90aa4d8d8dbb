package convert

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/acp/policy"
)

// choose gives every type and relation a name that a policy may have. A relation has one name in all
// types, for an arrow leads to several.
func (im *Import) choose() {
	resources := map[string]bool{policy.DefaultActor: true}
	for _, t := range im.schema.Types {
		im.resources[t.Name] = unique(t.Name, "-./", resources)
		for _, r := range t.Relations {
			im.named(r.Name, r.Name)
		}
	}
}

// named returns the name that stands for something here, which is like another where that is free.
func (im *Import) named(what, like string) string {
	if im.names[what] == "" {
		im.names[what] = unique(like, "", im.taken)
	}
	return im.names[what]
}

// derived returns a name for a part of a relation. A space keeps it apart from all relations.
func (im *Import) derived(relation, part, class string) string {
	if class == others && part != "direct" {
		class = "others"
	}
	return im.named(relation+" "+part+" "+class, strings.TrimSuffix(im.names[relation]+"_"+part+"_"+class, "_"))
}

// name is what holds a relation for askers of a class.
func (im *Import) name(relation, class string) string {
	if !im.split[relation] {
		return im.names[relation]
	}
	return im.derived(relation, "for", class)
}

// class is that of askers of a type.
func (im *Import) class(of string) string {
	if slices.Contains(im.classes, of) {
		return of
	}
	return others
}

// unique returns a name of letters, digits, _ and the marks that is not taken yet, and takes it.
func unique(name, marks string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || strings.ContainsRune(marks, r) || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
	if strings.HasPrefix(base, policy.ManagementPrefix) {
		base = "x" + base
	}
	chosen := base
	for n := 2; taken[chosen]; n++ {
		chosen = base + "_" + strconv.Itoa(n)
	}
	taken[chosen] = true
	return chosen
}

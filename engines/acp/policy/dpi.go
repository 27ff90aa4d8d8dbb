package policy

import (
	"fmt"
	"strings"
	"unicode"
)

// CheckDPI tells whether documents of a resource can be kept under this policy: it needs the
// permissions read and write, and the owner must hold both. As published, this is seen from the
// text: without spaces it must be owner, or begin with owner+.
func CheckDPI(r *Resource) error {
	for _, name := range []string{"read", "write"} {
		p := r.Permission(name)
		if p == nil {
			return fmt.Errorf("resource %s has no permission %s, which documents need", r.Name, name)
		}
		text := strings.Map(func(c rune) rune {
			if unicode.IsSpace(c) {
				return -1
			}
			return c
		}, p.Text)
		if text != Owner && !strings.HasPrefix(text, Owner+"+") {
			return fmt.Errorf("permission %s of resource %s is %q: expected owner, or an expression that begins with owner +", name, r.Name, p.Text)
		}
	}
	return nil
}

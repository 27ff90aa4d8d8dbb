package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
)

// FirstNumber is the number that the first policy of a store gets.
const FirstNumber = 2

// ID returns the id that the published engine gives to a policy: of its names, its expressions as
// they were written, and the store's counter. Descriptions, types and who manages what are not in it.
func ID(p *Policy, counter uint64) string {
	h := sha256.New()
	write := func(text string) { _, _ = io.WriteString(h, text) } // a hash never fails
	write(p.Name)
	for _, resource := range p.Resources {
		write(resource.Name)
		for _, relation := range resource.Relations {
			write(relation.Name)
		}
		for _, permission := range resource.Permissions {
			if !permission.Management {
				write(permission.Name)
				write(permission.Text)
			}
		}
	}
	id := sha256.Sum256(strconv.AppendUint(h.Sum(nil), counter, 10))
	return hex.EncodeToString(id[:])
}

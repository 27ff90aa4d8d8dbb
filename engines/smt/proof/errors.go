package proof

import (
	"errors"
	"fmt"
)

// ErrProof means that a proof, its encoding or the claim to verify is malformed;
// test with errors.Is. The text says where, what was found and expected. A proof
// that is well-formed but does not prove the claim is no error: it is false.
var ErrProof = errors.New("malformed proof")

func malformed(field, why string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrProof, field, fmt.Sprintf(why, args...))
}

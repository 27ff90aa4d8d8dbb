package docbench

import "fmt"

// checkAnswers asks about a sample of documents that only the owner may read, and about one that is
// not registered.
func checkAnswers(store Store, owner string, docs []string) error {
	step := max(1, len(docs)/16)
	for i := 0; i < len(docs); i += step {
		if err := expect(store, docs[i], owner, true, true); err != nil {
			return err
		}
		if err := expect(store, docs[i], stranger, true, false); err != nil {
			return err
		}
	}
	return expect(store, "no-such-document", owner, false, false)
}

// stranger is an actor that has no relation to anything.
const stranger = "did:key:zQ3shStranger"

// expect fails unless the answers about a document are as told.
func expect(store Store, doc, actor string, registered, allowed bool) error {
	switch got, err := store.IsRegistered(doc); {
	case err != nil:
		return err
	case got != registered:
		return fmt.Errorf("document %q is registered: %t, expected %t", doc, got, registered)
	}
	switch got, err := store.Check(actor, doc); {
	case err != nil:
		return err
	case got != allowed:
		return fmt.Errorf("%s may read document %q: %t, expected %t", actor, doc, got, allowed)
	}
	return nil
}

// Package explain gives the reason of a decision as a certificate that anybody can check.
//
// A question is "does this actor have this permission on this object?". Explain answers it and
// returns a Certificate: for a yes the relationships from which it follows, step by step; for a no
// the finite set of places that were searched, with every way out of each, none of which leads to
// the actor. Where a permission excludes somebody (editor - banned), the proof that the exclusion
// does or does not hold is part of the certificate.
//
// Verify checks a certificate against a policy and the relationships alone. It shares no code with
// Explain or the engine, and it is short, so that it can be read, or written anew elsewhere.
//
// # What a certificate says
//
// A Node is a name at an object, such as doc:1#read: a relation or a permission that the actor may
// hold there. A certificate is a list of steps, each resting on the policy, on the relationships
// that it names and on the steps before it:
//
//   - "holds" proves one node. A relation is held by a relationship that names the actor, or *, or a
//     userset that was proved before. A permission is held if its expression says so.
//   - "fails" proves that none of a set of nodes is held. The set is closed: every way in which one
//     of them could be held leads to another of the set or to a node that was proved to fail. Such
//     nodes could only hold because of each other, and that does not count. This is why a cycle of
//     groups needs no special rule.
//
// Since exclusion through a cycle is refused when a policy is read, every question has exactly one
// answer, and the order of the steps ranks the exclusions: what is excluded is proved before.
//
// # Size
//
// Of a yes, the relationships are minimal: without any one of them the rest, with the same
// exclusions, proves nothing. Which exclusions a yes rests on is not minimized: of two ways to hold it
// may take the one that excludes more. A no has only nodes that the search from the question reached,
// and of an intersection only one operand that fails. Of two reasons for an exclusion the one that was
// found first stands, even where the other needs nothing that is not there anyway; this is rare: under
// random policies, at most one part in 100,000 that a test left out of proofs was not needed. Actors
// other than the one asked for do not appear, so the refusal of a document with a million readers is
// as short as that of one with none.
package explain

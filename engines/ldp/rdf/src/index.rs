//! What an index keeps of a triple.

use crate::root::strip_inside;
use oxrdf::TermRef;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// What the index of a store keeps of one triple: hashes, so a hit has to be looked up in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexEntry {
    /// [`hash_iri`] of the predicate.
    pub predicate: u64,
    /// [`hash_term`] of the object.
    pub object: u64,
    /// Whether the object is an IRI: those are found backwards.
    pub object_is_iri: bool,
}

/// xxh3-64 of an IRI.
pub fn hash_iri(iri: &str) -> u64 {
    xxh3_64(iri.as_bytes())
}

/// The hash of an object: an IRI's is [`hash_iri`], of an inside one without its fragment, so that one
/// look-up finds all references to a resource and to its parts. A literal's is that of its text, with the
/// hash of its language (after `@`) or of its data type as the initial state; a blank node's that
/// of its label, likewise from `_:`.
pub fn hash_term(term: TermRef<'_>) -> u64 {
    match term {
        TermRef::NamedNode(iri) => hash_object_iri(iri.as_str()),
        TermRef::BlankNode(node) => hash_blank(node.as_str()),
        TermRef::Literal(literal) => {
            let kind = match literal.language() {
                Some(language) => language_kind(language.as_bytes()),
                None => hash_iri(literal.datatype().as_str()),
            };
            hash_text(literal.value().as_bytes(), kind)
        }
    }
}

pub(crate) fn hash_object_iri(iri: &str) -> u64 {
    match strip_inside(iri).and_then(|_| iri.split_once('#')) {
        Some((resource, _)) => hash_iri(resource),
        None => hash_iri(iri),
    }
}

pub(crate) fn hash_blank(label: &str) -> u64 {
    hash_text(label.as_bytes(), xxh3_64(b"_:"))
}

/// What makes literals of a language differ from others.
pub(crate) fn language_kind(language: &[u8]) -> u64 {
    xxh3_64_with_seed(language, u64::from(b'@'))
}

pub(crate) fn hash_text(text: &[u8], kind: u64) -> u64 {
    xxh3_64_with_seed(text, kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef, vocab::xsd};
    use std::collections::HashSet;

    #[test]
    fn fragments_inside_do_not_count() {
        let hash = |iri| hash_term(NamedNodeRef::new_unchecked(iri).into());
        assert_eq!(hash("info:fcres/a#b"), hash("info:fcres/a"));
        assert_eq!(hash("info:fcres/a"), hash_iri("info:fcres/a"));
        assert_ne!(hash("http://h/a#b"), hash("http://h/a"));
    }

    #[test]
    fn terms_of_the_same_text_differ() {
        let terms: [TermRef<'_>; 6] = [
            NamedNodeRef::new_unchecked("a").into(),
            BlankNodeRef::new_unchecked("a").into(),
            LiteralRef::new_simple_literal("a").into(),
            LiteralRef::new_typed_literal("a", xsd::DATE).into(),
            LiteralRef::new_language_tagged_literal_unchecked("a", "en").into(),
            LiteralRef::new_language_tagged_literal_unchecked("a", "de").into(),
        ];
        let hashes: HashSet<u64> = terms.into_iter().map(hash_term).collect();
        assert_eq!(hashes.len(), terms.len());
        assert_eq!(hash_term(terms[0]), hash_iri("a"));
        assert_eq!(
            hash_term(terms[2]),
            hash_term(LiteralRef::new_typed_literal("a", xsd::STRING).into())
        );
    }
}

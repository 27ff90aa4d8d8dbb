//! What the encoder and the reader share: the codes of objects, their order, and where IRIs are cut.

/// The object of a triple, with numbers for nodes: first the IRIs, then the blank nodes. The order
/// of the variants and of their fields is the order in the encoding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Object<'a> {
    /// A string.
    Plain(&'a [u8]),
    /// A language tag and the text.
    Tagged(&'a [u8], &'a [u8]),
    /// The number of the data type's IRI and the text.
    Typed(usize, &'a [u8]),
    /// An IRI or a blank node.
    Node(usize),
}

/// The code before a string.
pub(crate) const PLAIN: usize = 0;
/// The code before a language tag and a text.
pub(crate) const TAGGED: usize = 1;
/// The code before the number of an IRI and a text.
pub(crate) const TYPED: usize = 2;
/// Added to the number of a node.
pub(crate) const NODE: usize = 3;

/// An IRI up to its last slash or hash (that included), and the rest.
pub(crate) fn cut(iri: &str) -> (&str, &str) {
    let end = iri
        .bytes()
        .rposition(|byte| byte == b'/' || byte == b'#')
        .map_or(0, |at| at + 1);
    iri.split_at(end)
}

//! The documents of the published benchmark: 200 triples each.
//!
//! 50 triples point to the resource made before, 50 to one of 5 IRIs outside, and 100 have a
//! literal of 64 random characters, under 50 predicates of each kind.

use crate::random::Random;

const KIND: usize = 50; // predicates of each kind
const LITERAL: usize = 64; // characters
/// The characters of literals: 13 ranges of code points, without control characters and quotes.
const RANGES: [(u32, u32); 13] = [
    (0x21, 0x21),
    (0x23, 0x26),
    (0x28, 0x7e),
    (0xa1, 0xac),
    (0xae, 0xff),
    (0x100, 0x17f),
    (0x180, 0x24f),
    (0x2c60, 0x2c7f),
    (0x16a0, 0x16f0),
    (0x370, 0x377),
    (0x37a, 0x37e),
    (0x384, 0x38a),
    (0x38c, 0x38c),
];
/// The namespace of predicates that point outside.
pub const EXTERNAL: &str = "http://example.edu/extp/";
/// The namespace of predicates that point to the resource made before.
pub const INTERNAL: &str = "http://example.edu/intp/";
/// The namespace of predicates of literals.
pub const LITERALS: &str = "http://example.edu/litp/";

/// A sequence of documents, the same for the same seed.
pub struct Documents {
    seed: u64,
    alphabet: Vec<char>,
}

impl Documents {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Documents {
        let ranges = RANGES.iter().flat_map(|&(first, last)| first..=last);
        Documents {
            seed,
            alphabet: ranges.filter_map(char::from_u32).collect(),
        }
    }

    /// The name of the resource of document `i`: a random UUID.
    pub fn name(&self, i: usize) -> String {
        let mut random = Random::new(self.seed, i as u64);
        let bits = (u128::from(random.bits()) << 64) | u128::from(random.bits());
        let bits = bits & !(0xf << 76) & !(0x3 << 62) | (4 << 76) | (2 << 62);
        let hex = format!("{bits:032x}");
        let parts = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        parts.join("-")
    }

    /// The literals of document `i`: two for each predicate.
    pub fn literals(&self, i: usize) -> Vec<String> {
        let mut random = Random::new(!self.seed, i as u64);
        let mut one = || self.alphabet[random.below(self.alphabet.len())];
        (0..2 * KIND)
            .map(|_| (0..LITERAL).map(|_| one()).collect())
            .collect()
    }

    /// Document `i` in Turtle; `previous` is the IRI that 50 of its triples point to.
    pub fn turtle(&self, i: usize, previous: &str) -> String {
        let mut text = format!(
            "@prefix extp: <{EXTERNAL}> .\n@prefix intp: <{INTERNAL}> .\n@prefix litp: <{LITERALS}> .\n\n<>"
        );
        for j in 0..KIND {
            text += &format!(" extp:u{j} <http://example.edu/res/{}> ;\n", j / 10);
        }
        for j in 0..KIND {
            text += &format!(" intp:u{j} <{previous}> ;\n");
        }
        for (j, pair) in self.literals(i).chunks(2).enumerate() {
            let [one, other] = [&pair[0], &pair[1]].map(|literal| literal.replace('\\', "\\\\"));
            let end = if j + 1 < KIND { ';' } else { '.' };
            text += &format!(" litp:u{j} \"{one}\" ,\n  \"{other}\" {end}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::Graph;
    use oxttl::TurtleParser;
    use std::collections::HashSet;

    #[test]
    fn a_document_is_the_published_one() {
        let text = Documents::new(1).turtle(3, "http://127.0.0.1:8000/ldp/pomegranate/x");
        let parser = TurtleParser::new().with_base_iri("http://a/b").unwrap();
        let graph: Graph = parser.for_slice(&text).map(Result::unwrap).collect();
        assert_eq!(graph.len(), 200);
        let of = |namespace: &str| {
            let found = graph
                .iter()
                .filter(|t| t.predicate.as_str().starts_with(namespace));
            let (mut predicates, mut objects) = (HashSet::new(), HashSet::new());
            let mut count = 0;
            for triple in found {
                predicates.insert(triple.predicate.as_str().to_owned());
                objects.insert(triple.object.to_string());
                count += 1;
            }
            [count, predicates.len(), objects.len()]
        };
        assert_eq!(of(EXTERNAL), [50, 50, 5]);
        assert_eq!(of(INTERNAL), [50, 50, 1]);
        assert_eq!(of(LITERALS), [100, 50, 100]);
        assert!((18_000..22_500).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn documents_differ_and_are_the_same_again() {
        let [one, again, other] = [1, 1, 2].map(Documents::new);
        assert_eq!(one.turtle(5, "x:y"), again.turtle(5, "x:y"));
        assert_ne!(one.turtle(5, "x:y"), one.turtle(6, "x:y"));
        assert_ne!(one.name(5), other.name(5));
        let name = one.name(5);
        assert_eq!((name.len(), &name[14..15]), (36, "4"));
    }
}

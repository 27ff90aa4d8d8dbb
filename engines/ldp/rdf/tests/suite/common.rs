//! Random graphs from a number: the same number gives the same graph.

use ldp_rdf::{BlankNode, Literal, NamedNode, NamedOrBlankNode, Root, Term, Triple};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Up to 40 characters: plain ones, those that syntaxes escape, and those of more bytes. All are
    /// characters of XML.
    pub fn text(&mut self) -> String {
        const CHARACTERS: &[char] = &[
            'a',
            'b',
            'Z',
            '0',
            ' ',
            '\n',
            '\t',
            '\r',
            '"',
            '\'',
            '\\',
            '<',
            '>',
            '&',
            ']',
            '@',
            '^',
            '#',
            '.',
            '%',
            '{',
            '\u{7f}',
            '\u{85}',
            'é',
            '中',
            '\u{FFFD}',
            '🍎',
            '\u{10FFFD}',
        ];
        (0..self.below(41))
            .map(|_| *self.choose(CHARACTERS))
            .collect()
    }

    pub fn iri(&mut self) -> NamedNode {
        const NAMESPACES: &[&str] = &[
            "info:fcres/",
            "info:fcres/a/b/",
            "info:fcres/a#",
            "http://example.org/ns#",
            "http://example.org/ns/deep/",
            "urn:x:",
            "http://example.org/?q=%20&x=1#",
        ];
        const LOCALS: &[&str] = &["type", "u1", "u10", "a-b", "_x", "é", "名", "a.b", "x%25y"];
        NamedNode::new(format!(
            "{}{}",
            self.choose(NAMESPACES),
            self.choose(LOCALS)
        ))
        .expect("an IRI")
    }

    pub fn predicate(&mut self) -> NamedNode {
        match self.below(6) {
            0 => NamedNode::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
            _ => self.iri(),
        }
    }

    pub fn node(&mut self) -> NamedOrBlankNode {
        match self.below(4) {
            0 => BlankNode::new_unchecked(format!("n{}", self.below(4))).into(),
            _ => self.iri().into(),
        }
    }

    pub fn term(&mut self) -> Term {
        match self.below(6) {
            0 => Literal::new_simple_literal(self.text()).into(),
            1 => {
                let language = *self.choose(&["en", "de-ch", "x-1"]);
                Literal::new_language_tagged_literal(self.text(), language)
                    .expect("a language")
                    .into()
            }
            2 => Literal::new_typed_literal(self.text(), self.iri()).into(),
            _ => self.node().into(),
        }
    }

    /// Up to `most` triples; some come more than once.
    pub fn graph(&mut self, most: usize) -> Vec<Triple> {
        (0..self.below(most + 1))
            .map(|_| Triple::new(self.node(), self.predicate(), self.term()))
            .collect()
    }
}

pub fn root() -> Root {
    Root::new("http://127.0.0.1:8000/ldp").expect("a root")
}

/// One to three changes: a bit, a byte, a piece taken away, doubled, or moved.
pub fn mutate(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let end = at + random.below((bytes.len() - at).min(16) + 1);
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes[at] = *random.choose(b"<>\"'\\@^#:;,.()[]{}_%&!?*+-0aZ \n\t\r"),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

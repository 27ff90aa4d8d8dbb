//! What the XML of results needs beside its serializer.

use crate::Error;
use oxrdf::Term;
use std::io::{self, Write};

/// [`Error::Format`] for a term with a character that XML lacks: no parser would read the document.
pub(crate) fn check(term: &Term) -> Result<(), Error> {
    let text = match term {
        Term::NamedNode(node) => node.as_str(),
        Term::BlankNode(_) => return Ok(()),
        Term::Literal(literal) => literal.value(),
    };
    match text.chars().find(|c| is_lacking(*c)) {
        None => Ok(()),
        Some(c) => Err(Error::Format(format!(
            "XML has no character U+{:04X}, which a result has; other formats have it",
            u32::from(c)
        ))),
    }
}

fn is_lacking(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Writes a carriage return, which is that of a value, as a reference: parsers read a bare one as the
/// end of a line.
pub(crate) struct Sink<W>(pub W);

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.iter().position(|byte| *byte == b'\r') {
            Some(0) => self.0.write_all(b"&#13;").map(|()| 1),
            Some(before) => self.0.write(&bytes[..before]),
            None => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Options, evaluate};
    use ldp_rdf::Root;
    use oxrdf::{Dataset, GraphName, Literal, NamedNode, Quad};

    fn xml(value: &str) -> Result<String, Error> {
        let node = |name: &str| NamedNode::new_unchecked(format!("x:{name}"));
        let quad = Quad::new(
            node("s"),
            node("p"),
            Literal::from(value),
            GraphName::DefaultGraph,
        );
        let data: Dataset = [quad].into_iter().collect();
        let mut out = Vec::new();
        evaluate(
            |_| Ok(&data),
            &Root::new("http://h/ldp").unwrap(),
            "SELECT ?o { ?s ?p ?o }",
            &Options::default(),
            |_| Some(Format::Xml),
            &mut out,
        )?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn each_character_is_kept_or_refused() {
        for c in ('\0'..='\u{FF}').chain([
            '\u{D7FF}',
            '\u{E000}',
            '\u{FFFD}',
            '\u{FFFE}',
            '\u{FFFF}',
            '\u{10000}',
        ]) {
            let legal = matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
            match xml(&format!("a{c}b")) {
                Ok(text) => {
                    assert!(legal, "U+{:04X} is written", u32::from(c));
                    let kept = match c {
                        '\r' => "a&#13;b".to_owned(),
                        '&' => "a&amp;b".to_owned(),
                        '<' => "a&lt;b".to_owned(),
                        '>' => "a&gt;b".to_owned(),
                        _ => format!("a{c}b"),
                    };
                    let quoted = ['"', '\''].contains(&c);
                    assert!(quoted || text.contains(&format!(">{kept}<")), "{text}");
                }
                Err(error) => {
                    assert!(
                        !legal && matches!(error, Error::Format(_)),
                        "{c:?}: {error}"
                    );
                }
            }
        }
    }
}

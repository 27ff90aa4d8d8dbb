//! A plain page of a resource, for people with a browser.

use super::description::Description;
use super::problem::Problem;
use ldp_rdf::TermRef;
use std::io::{self, Write};

/// Writes the page: a table of triples, IRIs as links.
pub fn write(description: &Description, sink: &mut impl Write) -> Result<(), Problem> {
    let uid = escape(&description.resource.uid);
    write!(
        sink,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{uid}</title>\n\
         <style>body{{font:1em sans-serif;margin:2em}}td{{padding:.1em 1em .1em 0;vertical-align:top}}</style>\n\
         <h1>{uid}</h1>\n<table>\n"
    )?;
    description.triples(&mut |triple| {
        sink.write_all(b"<tr>")?;
        for term in [
            triple.subject.into(),
            triple.predicate.into(),
            triple.object,
        ] {
            cell(description, term, sink)?;
        }
        sink.write_all(b"</tr>\n")?;
        Ok(())
    })?;
    sink.write_all(b"</table>\n</html>\n")?;
    Ok(())
}

fn cell(description: &Description, term: TermRef<'_>, sink: &mut impl Write) -> io::Result<()> {
    match term {
        TermRef::NamedNode(node) => {
            let iri = escape(&description.root.outside(node.as_str()));
            // Other schemes, such as javascript:, are shown but not linked.
            if iri.starts_with("http://") || iri.starts_with("https://") {
                write!(sink, "<td><a href=\"{iri}\">{iri}</a></td>")
            } else {
                write!(sink, "<td>{iri}</td>")
            }
        }
        TermRef::Literal(literal) => write!(sink, "<td>{}</td>", escape(literal.value())),
        other => write!(sink, "<td>{}</td>", escape(&other.to_string())),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

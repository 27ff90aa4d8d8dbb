//! The namespaces of XML literals in RDF/XML, as exclusive canonical XML has them.

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};
use std::collections::BTreeSet;

/// Prefixes and their namespaces; the last entry of a prefix counts. The prefix of the default
/// namespace is empty.
type Scope = Vec<(Vec<u8>, Vec<u8>)>;

/// Declares each namespace on the element that uses it and nowhere else; the parser declares all that
/// the document has on every outermost element. None if `xml` is not well-formed.
pub(crate) fn tidy(xml: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    let mut writer = Writer::new(Vec::with_capacity(xml.len()));
    let (mut declared, mut written): (Scope, Scope) = Default::default();
    let mut open = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                open.push((declared.len(), written.len()));
                write_start(&mut writer, &start, &mut declared, &mut written)?;
            }
            Event::Empty(start) => {
                let (before_declared, before_written) = (declared.len(), written.len());
                write_start(&mut writer, &start, &mut declared, &mut written)?;
                let end = BytesEnd::from(start.name());
                writer.write_event(Event::End(end)).ok()?;
                declared.truncate(before_declared);
                written.truncate(before_written);
            }
            Event::End(end) => {
                writer.write_event(Event::End(end)).ok()?;
                let (before_declared, before_written) = open.pop()?;
                declared.truncate(before_declared);
                written.truncate(before_written);
            }
            Event::Eof => break,
            other => writer.write_event(other).ok()?,
        }
    }
    String::from_utf8(writer.into_inner()).ok()
}

fn write_start(
    writer: &mut Writer<Vec<u8>>,
    start: &BytesStart<'_>,
    declared: &mut Scope,
    written: &mut Scope,
) -> Option<()> {
    let mut others = Vec::new();
    for attribute in start.attributes().with_checks(false) {
        let attribute: Attribute<'_> = attribute.ok()?;
        match attribute.key.as_namespace_binding() {
            Some(_) => {
                let prefix = attribute.key.as_ref().strip_prefix(b"xmlns:");
                declared.push((
                    prefix.unwrap_or_default().to_vec(),
                    attribute.value.to_vec(),
                ));
            }
            None => others.push(attribute),
        }
    }
    let element = start.name();
    let mut used: BTreeSet<&[u8]> = others
        .iter()
        .filter_map(|attribute| attribute.key.prefix())
        .map(|prefix| prefix.into_inner())
        .filter(|&prefix| prefix != b"xml")
        .collect();
    used.insert(element.prefix().map_or(&[], |prefix| prefix.into_inner()));

    let mut tidy = BytesStart::new(std::str::from_utf8(element.into_inner()).ok()?);
    for prefix in used {
        let namespace = find(declared, prefix).to_vec();
        if find(written, prefix) != namespace {
            let key = match prefix {
                [] => b"xmlns".to_vec(),
                _ => [b"xmlns:", prefix].concat(),
            };
            tidy.push_attribute((&key[..], &namespace[..]));
            written.push((prefix.to_vec(), namespace));
        }
    }
    tidy.extend_attributes(others);
    writer.write_event(Event::Start(tidy)).ok()
}

/// The namespace of a prefix; the empty one if there is none.
fn find<'s>(scope: &'s Scope, prefix: &[u8]) -> &'s [u8] {
    scope
        .iter()
        .rev()
        .find(|(name, _)| name == prefix)
        .map_or(&[], |(_, namespace)| namespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_declared_where_they_are_used() {
        for (xml, expected) in [
            ("a &amp; b", "a &amp; b"),
            (r#"<b xmlns:x="y"/>"#, "<b></b>"),
            (
                r#"<x:b c="1" xmlns:x="y" xmlns:x="y"><x:d xmlns="z"><e/></x:d></x:b>t"#,
                r#"<x:b xmlns:x="y" c="1"><x:d><e xmlns="z"></e></x:d></x:b>t"#,
            ),
            (
                r#"<b xmlns="y"><c xmlns=""/><d xml:lang="e"/></b><b xmlns="y"/>"#,
                r#"<b xmlns="y"><c xmlns=""></c><d xml:lang="e"></d></b><b xmlns="y"></b>"#,
            ),
            (
                r#"<b xmlns:x="y"><c x:a="&lt;1"/><!--k--></b>"#,
                r#"<b><c xmlns:x="y" x:a="&lt;1"></c><!--k--></b>"#,
            ),
        ] {
            assert_eq!(tidy(xml).as_deref(), Some(expected));
            assert_eq!(tidy(expected).as_deref(), Some(expected));
        }
        assert_eq!(tidy("<a></b>"), None);
    }
}

//! RDF/XML that grows when it is read: refused before it does.
//!
//! The parser puts in entities, and the namespaces of XML literals, without a bound of its own: entities
//! of entities make gigabytes of a few lines.

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memchr2};

/// The entities that every XML document has.
const PREDEFINED: [&[u8]; 5] = [b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"];

/// Whether `text` may be read within `limit` bytes; the error says what may not.
pub(crate) fn check(text: &[u8], limit: usize) -> Result<(), String> {
    let mut longest = 0;
    for value in values(text, "<!ENTITY") {
        for reference in memchr_iter(b'&', value) {
            let name = &value[reference + 1..];
            if !name.starts_with(b"#") && !PREDEFINED.iter().any(|known| name.starts_with(known)) {
                return Err("an entity that refers to another entity".to_owned());
            }
        }
        longest = longest.max(value.len());
    }
    let references = memchr_iter(b'&', text).count();
    if longest.saturating_mul(references) > limit {
        return Err(format!(
            "{references} references to entities of up to {longest} bytes: expected no more than {limit} bytes"
        ));
    }

    // Each outermost element of an XML literal gets all namespaces of its surroundings.
    if !has_xml_literals(text) {
        return Ok(());
    }
    let namespaces: usize = values(text, "xmlns")
        .map(|value| value.len() + "xmlns:n=''".len())
        .sum();
    let elements = memchr_iter(b'<', text).count();
    match namespaces.saturating_mul(elements) <= limit.saturating_mul(4) {
        true => Ok(()),
        false => Err(format!(
            "XML literals among {elements} tags with {namespaces} bytes of namespaces: expected fewer"
        )),
    }
}

/// Whether there may be literals that are written as XML.
pub(crate) fn has_xml_literals(text: &[u8]) -> bool {
    Finder::new("parseType").find(text).is_some()
}

/// What stands between the first quotes, single or double, behind each `key`; the search goes on
/// behind it. Where a quote is text, the values are longer than they are, which only refuses more.
fn values<'t>(text: &'t [u8], key: &str) -> impl Iterator<Item = &'t [u8]> {
    let key = Finder::new(key).into_owned();
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[key.find(rest)?..];
        let (start, quote) = match memchr2(b'"', b'\'', rest) {
            Some(at) => (at + 1, rest[at]),
            None => (rest.len(), 0),
        };
        let value = &rest[start..];
        let value = &value[..memchr(quote, value).unwrap_or(value.len())];
        rest = &rest[start + value.len()..];
        Some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_documents_pass() {
        for text in [
            "",
            r#"<!DOCTYPE r [<!ENTITY x "http://x/"><!ENTITY y "a&amp;&#66;">]><r a="&x;b &y;"/>"#,
            r#"<r xmlns="x" xmlns:y="z"><a parseType="Literal"><b/></a></r>"#,
        ] {
            assert_eq!(check(text.as_bytes(), 1000), Ok(()));
        }
    }

    #[test]
    fn growth_is_refused() {
        let nested = r#"<!DOCTYPE r [<!ENTITY x "x"><!ENTITY y "&x;&x;">]><r a="&y;"/>"#;
        assert!(
            check(nested.as_bytes(), 1000)
                .unwrap_err()
                .contains("another")
        );
        let long = format!("<!ENTITY x '{}'>{}", "x".repeat(100), "&x;".repeat(11));
        assert!(
            check(long.as_bytes(), 1000)
                .unwrap_err()
                .contains("11 references")
        );
        assert_eq!(check(long.as_bytes(), 1100), Ok(()));
        let tags = format!(
            "<r xmlns:a='{}' parseType>{}",
            "x".repeat(90),
            "<b/>".repeat(40)
        );
        assert!(
            check(tags.as_bytes(), 1000)
                .unwrap_err()
                .contains("41 tags")
        );
        assert_eq!(check(tags.as_bytes(), 1025), Ok(()));
    }
}

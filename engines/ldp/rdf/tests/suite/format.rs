//! The bytes that FORMAT.md describes are those that are written.

use ldp_rdf::{Format, Graph, Root, parse};

#[test]
fn the_example_of_the_description() {
    let text = "<info:fcres/a> a <http://www.w3.org/ns/ldp#Container> ; \
        <http://purl.org/dc/terms/title> \"T\"@en .";
    let root = Root::inside_only();
    let graph = parse(Format::Turtle, text.as_bytes(), "info:fcres/", &root).expect("a graph");

    let description = include_str!("../../../FORMAT.md");
    let example = description
        .split("```")
        .nth(1)
        .expect("an example between fences");
    let mut bytes = Vec::new();
    for line in example.lines() {
        for word in line.split_whitespace() {
            // The words after the bytes of a line explain them.
            let pairs = word.as_bytes().chunks(2);
            let found: Option<Vec<u8>> = pairs.map(hex).collect();
            match found {
                Some(found) => bytes.extend(found),
                None => break,
            }
        }
    }
    assert_eq!(graph.as_bytes(), bytes);
    assert_eq!(Graph::from_bytes(&bytes), Ok(graph));
}

fn hex(pair: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(pair)
        .ok()
        .filter(|text| text.len() == 2)?;
    u8::from_str_radix(text, 16).ok()
}

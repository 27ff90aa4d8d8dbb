//! What takes time, memory or stack in proportion to more than the document: each shape of document is
//! read and written at one size and at 8 times it, on a small stack.

use crate::allocated;
use crate::common::root;
use ldp_rdf::{Format, Triple, Writer, parse};
use std::fmt::Write;
use std::process::Command;

const FEW: usize = 2_000;
const TIMES: usize = 8;
/// Twice the proportion. A square would be eight times it.
const MOST: f64 = 2.0 * TIMES as f64;
const ROUNDS: usize = 10;
/// Bytes of memory for each byte of a document, two of which may be two triples, and what a small one takes.
const MEMORY: usize = 400;
const SMALL: usize = 1 << 20;

/// Seconds that this process has used a processor: JSON-LD is read by a thread of its own.
fn used() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it fills in the time.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Reads a document, and writes what was read in every format.
fn round(format: Format, text: &str) -> Result<(), String> {
    let graph = parse(format, text.as_bytes(), "http://h/ldp/x", &root())
        .map_err(|error| error.to_string())?;
    let triples: Vec<Triple> = graph.triples().collect();
    for format in Format::ALL {
        let mut writer = Writer::new(format, &root(), &[("u", "urn:u:")], Vec::new());
        // Some triples have no place in RDF/XML.
        let written = triples.iter().try_for_each(|triple| writer.triple(triple));
        let _ = written.and_then(|()| writer.finish().map(drop));
    }
    Ok(())
}

/// What a round took.
struct Cost {
    seconds: f64,
    bytes: usize,
    result: Result<(), String>,
}

/// The cost of a round, on a stack that a level of recursion for each item would fill.
fn cost(format: Format, text: &str) -> Cost {
    let timed = || {
        let begun = used();
        let (bytes, result) = allocated::most(|| round(format, text));
        let seconds = used() - begun;
        Cost {
            seconds,
            bytes,
            result,
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 10);
        let thread = thread.spawn_scoped(scope, timed);
        thread.expect("a thread").join().expect("no panic")
    })
}

/// `head`, the items, `middle`, the ends of the items, `tail`; `#` in an item is its number.
type Shape = (Format, [&'static str; 5]);

fn document((_, [head, item, middle, end, tail]): &Shape, count: usize) -> String {
    let mut text = String::from(*head);
    let parts: Vec<&str> = item.split('#').collect();
    for number in 0..count {
        text += parts[0];
        for part in &parts[1..] {
            write!(text, "{number}{part}").expect("a string");
        }
    }
    text += middle;
    text += &end.repeat(count);
    text + tail
}

const XML: &str = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='urn:u:' xmlns:u='urn:u:'>";

fn shapes() -> Vec<Shape> {
    use Format::{JsonLd, NTriples, RdfXml, Turtle};
    let turtle = [
        ["", "<> <urn:p> #.\n", "", "", ""],
        ["", "<#a#> <urn:p#> <b#> .", "", "", ""],
        ["<> <urn:p> 0", ", <http://h/ldp/c/#>", ".", "", ""],
        ["<> <urn:p> 0", "; <urn:u:#> '#'", ".", "", ""],
        ["", "@prefix p#: <urn:u:#/> . ", "<> p3:a p3:b .", "", ""],
        ["", "@base <a/> . <#> a <b> .", "", "", ""],
        ["<> <urn:p> <", "../#/", "> .", "", ""],
        ["<> <urn:p> <urn:", "#", "> .", "", ""],
        ["<> <urn:p> \"", "\\u00e9\\n#", "\" .", "", ""],
        ["<> <urn:p> '''", "'#''\n", "''' .", "", ""],
        ["<> <urn:p> ", "1234567890", " .", "", ""],
        ["<> <urn:p> \"a\"@en", "-a#", " .", "", ""],
        ["", "# comment #\n", "<> a <b> .", "", ""],
        ["@prefix u: <urn:u:> . <> a u:", "a\\-%41#.:", "b .", "", ""],
        ["<> <urn:p> ", "[ <urn:q> ", "1", " ]", " ."],
        ["<> <urn:p> ", "( ", "1", " )", " ."],
        ["<> <urn:p> ", "( 1 [ <urn:q> ", "1", " ] )", " ."],
        ["<> <urn:p> (", " #", ") .", "", ""],
        ["<> <urn:p> []", ", [ <urn:q> # ]", " .", "", ""],
        ["", "_:b# <urn:p> _:c# .", "", "", ""],
        // These are wrong at their end.
        ["<> <urn:p> \"", "\\n#", "", "", ""],
        ["<> <urn:p> <urn:", "#", "", "", ""],
        ["<> <urn:p> ", "( ", "", "", ""],
        ["<> <urn:p> ", "[ <urn:q> ", "", "", ""],
        ["<> <urn:p> 1 .", "\n", "]", "", ""],
        ["<> <urn:p> 1 .", "a", "", "", ""],
        ["", "<a> ", "", "", ""],
    ];
    let lines = [
        ["", "<urn:a#> <urn:p> \"#\" .\n", "", "", ""],
        ["<urn:a> <urn:p> \"", "\\t#", "\" .\n", "", ""],
        ["", "\n", "", "", ""],
        ["", "# #", "", "", ""],
        ["<urn:a> <urn:p> \"", "#", "", "", ""],
    ];
    let xml = [
        ["<a>", "<b>#</b>", "</a>", "", ""],
        ["", "<a><b>", "", "</b></a>", ""],
        ["", "<a rdf:ID='i#'/>", "", "", ""],
        [
            "",
            "<a rdf:nodeID='i#'><b rdf:nodeID='j#'/></a>",
            "",
            "",
            "",
        ],
        ["<rdf:Seq>", "<rdf:li>#</rdf:li>", "</rdf:Seq>", "", ""],
        ["<a><b>", "text &lt; #", "</b></a>", "", ""],
        ["<a><b>", "<![CDATA[#]]>", "</b></a>", "", ""],
        ["<a>", "<!-- # -->", "</a>", "", ""],
        ["<a>", "<?p #?>", "</a>", "", ""],
        ["<a u:b='", "&amp;#", "'/>", "", ""],
        [
            "<a><b rdf:parseType='Literal'>",
            "<c>",
            "#",
            "</c>",
            "</b></a>",
        ],
        [
            "<a><b rdf:parseType='Literal'>",
            "<u:c d='#'/>",
            "</b></a>",
            "",
            "",
        ],
        [
            "<a><b rdf:parseType='Collection'>",
            "<c/>",
            "</b></a>",
            "",
            "",
        ],
        [
            "<a>",
            "<b rdf:parseType='Collection'><c>",
            "",
            "</c></b>",
            "</a>",
        ],
        ["<a>", "<b rdf:parseType='Resource'>", "", "</b>", "</a>"],
        [
            "<a>",
            "<b xml:lang='en'><c xml:base='http://h/#/'>",
            "",
            "</c></b>",
            "</a>",
        ],
        ["", "<a xmlns:v='urn:v#'><v:b>#</v:b></a>", "", "", ""],
        // These are wrong at their end.
        ["<a>", "<b>", "", "", ""],
        ["<a><b>", "#", "", "", ""],
        ["<a u:b='", "#", "", "", ""],
        ["<a>", "<b>#</b>", "</b>", "", ""],
    ];
    let json = [
        ["{\"urn:p\":[0", ",\"#\"", "]}", "", ""],
        ["{\"@id\":\"\"", ",\"urn:p#\":#", "}", "", ""],
        [
            "[{}",
            ",{\"@id\":\"a#\",\"urn:p\":{\"@id\":\"b#\"}}",
            "]",
            "",
            "",
        ],
        ["{\"@graph\":[{}", ",{\"urn:p\":#}", "]}", "", ""],
        ["{\"urn:p\":{\"@list\":[0", ",#", "]}}", "", ""],
        ["{\"urn:p\":{\"@set\":[0", ",#.5", "]}}", "", ""],
        ["{\"@type\":[\"urn:t\"", ",\"urn:t#\"", "]}", "", ""],
        ["{\"@included\":[{}", ",{\"urn:p\":#}", "]}", "", ""],
        ["{\"urn:p\":\"", "\\u00e9#", "\"}", "", ""],
        ["{\"urn:p\":", "1234567890", "}", "", ""],
        ["{\"urn:p\":1", "         ", "}", "", ""],
        [
            "{\"@context\":{\"a\":\"urn:a\"",
            ",\"t#\":\"urn:t#\"",
            "},\"a\":1}",
            "",
            "",
        ],
        [
            "{\"@context\":{\"a\":\"urn:a:\"",
            ",\"t#\":\"a:t#\"",
            "},\"t1\":1}",
            "",
            "",
        ],
        [
            "{\"@context\":[{\"a\":\"urn:a\"}",
            ",{\"t\":\"urn:t#\"}",
            "],\"t\":1}",
            "",
            "",
        ],
        [
            "{\"@reverse\":{\"urn:p\":[{}",
            ",{\"@id\":\"a#\"}",
            "]}}",
            "",
            "",
        ],
        [
            "{\"@context\":{\"l\":{\"@id\":\"urn:l\",\"@container\":\"@language\"}},\"l\":{\"en\":\"0\"",
            ",\"en-a#\":\"#\"",
            "}}",
            "",
            "",
        ],
        [
            "{\"@context\":{\"l\":{\"@id\":\"urn:l\",\"@container\":\"@index\"}},\"l\":{\"a\":\"0\"",
            ",\"i#\":\"#\"",
            "}}",
            "",
            "",
        ],
        // These are wrong at their end, or too deep.
        ["{\"urn:p\":[0", ",#", "", "", ""],
        ["{\"urn:p\":\"", "#", "", "", ""],
        ["", "{\"urn:a\":", "1", "}", ""],
        ["{\"urn:a\":", "[", "1", "]", "}"],
        ["{\"urn:a\":", "{\"@list\":[", "1", "]}", "}"],
        ["", "{\"@graph\":[", "1", "]}", ""],
        [
            "",
            "{\"@context\":{\"t\":{\"@id\":\"urn:t\",\"@context\":",
            "{}",
            "}}}",
            "",
        ],
        [
            "{\"@context\":{",
            "\"t#\":\"t1#:x\",",
            "\"a\":\"urn:a\"}}",
            "",
            "",
        ],
    ];
    let of = |format, shapes: &[[&'static str; 5]]| -> Vec<Shape> {
        shapes.iter().map(|shape| (format, *shape)).collect()
    };
    let xml = of(RdfXml, &xml).into_iter();
    [
        of(Turtle, &turtle),
        of(NTriples, &lines),
        of(JsonLd, &json),
        xml.collect(),
    ]
    .concat()
}

/// Set in the process in which no other test runs.
const ALONE: &str = "LDP_TEST_ALONE";

#[test]
fn time_memory_and_stack_are_in_proportion_to_the_document() {
    if std::env::var_os(ALONE).is_none() {
        let name = "growth::time_memory_and_stack_are_in_proportion_to_the_document";
        let alone = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .output()
            .expect("a process");
        let told = String::from_utf8_lossy(&alone.stderr);
        assert!(alone.status.success(), "{told}");
        return;
    }
    let mut much = Vec::new();
    for shape in shapes() {
        let wrapped = |count| match shape.0 {
            Format::RdfXml => format!("{XML}{}</rdf:RDF>", document(&shape, count)),
            _ => document(&shape, count),
        };
        let (few, many) = (wrapped(FEW), wrapped(FEW * TIMES));
        // A square is out of proportion in every round. Work beside this test (a cache that is shared,
        // pages that are given out late) is not, so the least of as many rounds as it takes is compared.
        let (mut least, mut most) = (f64::INFINITY, f64::INFINITY);
        for round in 1..=ROUNDS {
            let large = cost(shape.0, &many);
            if round == 1 && large.bytes > MEMORY * many.len() + SMALL {
                let each = large.bytes / many.len();
                much.push(format!("{shape:?}: {each} bytes each, {:?}", large.result));
            }
            most = most.min(large.seconds);
            least = least.min(cost(shape.0, &few).seconds);
            // What is done in a few milliseconds is no danger, and too short to compare.
            if round > 1 && most <= MOST * least.max(0.002) {
                break;
            }
        }
        if most > MOST * least.max(0.002) {
            much.push(format!("{shape:?}: {least:.4} s, then {most:.4} s"));
        }
    }
    assert!(much.is_empty(), "{}", much.join("\n"));
}

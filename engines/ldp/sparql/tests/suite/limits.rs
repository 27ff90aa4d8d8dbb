//! Limits and errors: what is refused is refused in time, with a reason, and nothing breaks.

use crate::common::Fixture;
use ldp_rdf::Graph;
use ldp_sparql::{Error, Form, Format, Limits, Options, Stop, update};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

fn limits(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = Options::default();
    change(&mut options.limits);
    options
}

fn error(fixture: &Fixture, text: &str, options: &Options) -> Error {
    let (answer, _) = fixture.query(text, Format::Json, options);
    match answer {
        Err(error) => error,
        Ok(answer) => panic!("{text}: {answer:?}"),
    }
}

/// A text as an update: what a query looks for, or what it makes, is to be inserted.
fn as_update(text: &str) -> String {
    match text.split_once(' ') {
        Some(("ASK", pattern)) => format!("INSERT {{}} WHERE {pattern}"),
        Some(("CONSTRUCT", template)) => format!("INSERT {template}"),
        Some(("INSERT", _)) => text.to_owned(),
        _ => format!("INSERT {{}} WHERE {{ {text} }}"),
    }
}

/// Takes a text as a query and as an update, for a caller that has little stack and waits for 2 s.
fn taken(fixture: &Fixture, text: &str) -> [Result<(), Error>; 2] {
    let options = limits(|limits| limits.time = Duration::from_secs(2));
    let both = || {
        let (answer, _) = fixture.query(text, Format::Json, &options);
        let (graph, text, base) = (Graph::default(), as_update(text), "http://h/ldp/a");
        let (root, stop) = (&fixture.root, Stop::default());
        let updated = update(&graph, &text, base, root, &options.limits, &stop);
        [answer.map(drop), updated.map(drop)]
    };
    thread::scope(|scope| {
        let caller = thread::Builder::new().stack_size(256 << 10);
        let caller = caller.spawn_scoped(scope, both).expect("a thread");
        caller.join().expect("no panic")
    })
}

#[test]
fn syntax_errors_have_a_line_and_a_column() {
    let fixture = Fixture::empty();
    for (text, place) in [
        ("SELECT * WHERE { ?s ?p }", Some((1, 25))),
        ("SELECT *\nWHERE { ?ü ?p \"ü\" . x }", Some((2, 24))),
        ("PREFIX a: <b c>", Some((1, 16))),
        ("", Some((1, 1))),
    ] {
        match error(&fixture, text, &Options::default()) {
            Error::Syntax(error) => assert_eq!(error.place, place, "{text}: {}", error.message),
            other => panic!("{text}: {other}"),
        }
    }
}

#[test]
fn endless_queries_end() {
    let fixture = Fixture::new();
    let options = limits(|limits| limits.time = Duration::from_millis(200));
    let cross = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r";
    for text in [
        format!("SELECT (COUNT(*) AS ?count) WHERE {{ {cross} }}"),
        format!("SELECT * WHERE {{ {cross} FILTER(STR(?a) != STR(?r)) }} ORDER BY ?a"),
        format!("ASK {{ {cross} FILTER(STR(?a) = CONCAT(STR(?r), STR(?l))) }}"),
    ] {
        let start = Instant::now();
        let error = error(&fixture, &text, &options);
        assert!(matches!(error, Error::Timeout(_)), "{text}: {error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{text}");
    }
}

#[test]
fn queries_that_fill_the_memory_end() {
    let fixture = Fixture::new();
    let options = limits(|limits| limits.memory = 64 << 20);
    let text = "SELECT * WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?i ?f ?c";
    let error = error(&fixture, text, &options);
    assert!(matches!(error, Error::Memory(_)), "{error}");
}

#[test]
fn what_a_write_left_to_do_counts_for_no_query() {
    let fixture = Fixture::with(|options| options.store.apply = false);
    let objects = (0..50_000).map(|i| format!("<urn:{i}>"));
    let turtle = format!("<> <urn:p> {} .", objects.collect::<Vec<_>>().join(", "));
    fixture.put("/large", &turtle, |_| {});
    fixture.put("/small", "<> <urn:q> 1 .", |_| {});
    let options = limits(|limits| limits.memory = 1 << 20);
    let text = "SELECT * { ?s <urn:q> ?o . ?s <urn:q> ?again }";
    let (answer, _) = fixture.query(text, Format::Json, &options);
    assert_eq!(answer.expect("an answer").rows, 1);
}

#[test]
fn rows_are_counted() {
    let fixture = Fixture::new();
    for (text, format) in [
        ("SELECT * WHERE { ?s ?p ?o }", Format::Tsv),
        (
            "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
            Format::Rdf(ldp_rdf::Format::NTriples),
        ),
    ] {
        let (answer, written) = fixture.query(text, format, &limits(|limits| limits.rows = 7));
        assert!(matches!(answer, Err(Error::Rows(7))), "{text}: {answer:?}");
        let lines = String::from_utf8(written).expect("UTF-8").lines().count();
        let head = usize::from(format == Format::Tsv);
        assert!(lines <= 7 + head, "{lines}");
    }
    let (answer, _) = fixture.query(
        "SELECT * WHERE { ?s ?p ?o } LIMIT 7",
        Format::Tsv,
        &limits(|l| l.rows = 7),
    );
    assert_eq!(answer.expect("an answer").rows, 7);
}

#[test]
fn nothing_but_the_repository_is_asked() {
    let fixture = Fixture::empty();
    for text in [
        "SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT (<urn:function>(1) AS ?x) WHERE {}",
    ] {
        let error = error(&fixture, text, &Options::default());
        assert!(matches!(error, Error::Unsupported(_)), "{text}: {error}");
    }
}

#[test]
fn the_format_is_chosen_by_the_form() {
    let fixture = Fixture::empty();
    let ask = |text: &str, form: Form, format: Format| {
        let mut written = Vec::new();
        let choose = |found| {
            assert_eq!(found, form);
            Some(format)
        };
        let options = Options::default();
        ldp_sparql::query(
            &fixture.view(),
            &fixture.root,
            text,
            &options,
            choose,
            &mut written,
        )
    };
    let turtle = Format::Rdf(ldp_rdf::Format::Turtle);
    assert!(ask("ASK {}", Form::Boolean, Format::Xml).is_ok());
    assert!(ask("SELECT * {}", Form::Rows, Format::Csv).is_ok());
    assert!(ask("DESCRIBE <http://h/ldp/>", Form::Triples, turtle).is_ok());
    assert!(matches!(
        ask("SELECT * {}", Form::Rows, turtle),
        Err(Error::Format(_))
    ));
    assert!(matches!(
        ask("DESCRIBE <urn:x>", Form::Triples, Format::Json),
        Err(Error::Format(_))
    ));
}

/// The parser reads some brackets twice, and what they stand in again: it never ends where many do so.
#[test]
fn nested_texts_end() {
    let fixture = Fixture::empty();
    for (head, open, middle, close, tail) in [
        ("ASK { FILTER(", "!(", "true", ")", ") }"),
        ("ASK { FILTER(", "!str(", "true", ")", ") }"),
        ("ASK { FILTER(", "! <urn:f> (", "true", ")", ") }"),
        ("ASK { FILTER(", "! EXISTS { FILTER(", "true", ") }", ") }"),
        ("ASK { FILTER(", "regex('a', ", "'a'", ")", ") }"),
        ("ASK { FILTER(", "REGEX(", "'a'", ", 'a')", ") }"),
        ("ASK { FILTER(", "Substr(", "'a'", ", 1)", ") }"),
        ("ASK { FILTER(", "replace(", "'a'", ", 'a', 'b')", ") }"),
        ("SELECT (", "group_concat(", "1", ")", " AS ?x) {}"),
        ("ASK { FILTER(", "(", "true", ")", ") }"),
        ("ASK { FILTER(1 = ", "-(", "1", ")", ") }"),
        ("ASK { FILTER(", "1 IN (", "1", ")", ") }"),
        ("ASK { FILTER(", "if(true, ", "true", ", false)", ") }"),
        ("ASK { FILTER(", "<urn:f>(", "true", ")", ") }"),
        ("ASK { ", "{", "", "}", " }"),
        ("ASK { ", "{} UNION {", "", "}", " }"),
        ("ASK { ", "OPTIONAL {", "", "}", " }"),
        ("ASK { ", "GRAPH ?g {", "", "}", " }"),
        ("ASK { ", "FILTER NOT EXISTS {", "", "}", " }"),
        ("ASK { ", "{ SELECT * {", "", "} }", " }"),
        ("ASK { ?s ", "(", "<urn:a>", ")", " ?o }"),
        ("ASK { ?s ", "(", "<urn:a>", ")*", " ?o }"),
        ("ASK { ?s ?p ", "[ ?p ", "1", " ]", " }"),
        ("ASK { ?s ?p ", "( ", "1", " )", " }"),
        ("ASK { ", "( ", "1", " )", " ?p ?o }"),
        ("ASK { ?s ?p ?o ", "{| ?p ?o ", "", " |}", " }"),
        ("ASK { ", "<< ", "?a ?b ?c", " >>", " ?p ?o }"),
        ("ASK { ?a ?b ", "<<( ?a ?b ", "?c", " )>>", " }"),
        ("CONSTRUCT { ?s ?p ", "[ ?p ", "1", " ]", " } WHERE {}"),
        ("INSERT DATA { <> <urn:p> ", "[ <urn:p> ", "1", " ]", " }"),
        ("INSERT DATA { <> <urn:p> ", "( ", "1", " )", " }"),
    ] {
        // Whole, and cut off at its deepest place.
        for (depth, ends) in [(8, 8), (40, 40), (40, 0), (110, 0)] {
            let text = [head, &open.repeat(depth), middle, &close.repeat(ends), tail].concat();
            for result in taken(&fixture, &text) {
                let refused = matches!(result, Err(Error::Syntax(_)));
                assert!(ends > 0 || refused, "{text}: {result:?}");
            }
        }
    }
}

/// An escape that no name has, before characters of more than one byte, in every place.
#[test]
fn what_is_escaped_may_be_no_ascii() {
    let fixture = Fixture::empty();
    for escaped in ["\\é", "\\ՙa", "\\é true", "\\\u{1F600}", "\\"] {
        for (head, tail) in [
            ("ASK { ", " }"),
            ("ASK { ?s ?p ex:", " }"),
            ("ASK { ?s ?p \"", "\" }"),
            ("ASK { ?s ?p '''", "''' }"),
            ("ASK { ?s ?p <", "> }"),
            ("ASK { FILTER(?s<", ") }"),
            ("ASK {} #", "\n{"),
            ("ASK {} ", ""),
        ] {
            let text = [head, escaped, tail].concat();
            for result in taken(&fixture, &text) {
                assert!(
                    matches!(result, Err(Error::Syntax(_))),
                    "{text}: {result:?}"
                );
            }
        }
    }
}

/// Long and deep texts end in an answer or in an error, never in a full stack.
#[test]
fn texts_of_any_shape_are_read_or_refused() {
    let fixture = Fixture::empty();
    let repeat = |head: &str, piece: &str, tail: &str| {
        format!("{head}{}{tail}", piece.repeat((256 << 10) / piece.len()))
    };
    for text in [
        repeat("SELECT (1", "+1", " AS ?x) {}"),
        repeat("SELECT (1", "*-1", " AS ?x) {}"),
        repeat("ASK { FILTER(true", "&&true", ") }"),
        repeat("ASK { FILTER(", "!", "true) }"),
        repeat("ASK { FILTER(", "(", ""),
        repeat("ASK { ?s <urn:a>", "/<urn:a>", " ?o }"),
        repeat("ASK { ?s <urn:a>", "|<urn:a>", " ?o }"),
        repeat("ASK { ?s ?p ?o", " . ?s ?p ?o", " }"),
        repeat("ASK { {}", " UNION {}", " }"),
        repeat("ASK { {}", " {}", " }"),
        repeat("ASK { {}", " OPTIONAL {}", " }"),
        repeat("ASK { {}", " MINUS {?s ?p ?o}", " }"),
        repeat("ASK { ", "FILTER(true) ", " }"),
        repeat("ASK { FILTER(1 IN (1", ",1", ")) }"),
        repeat("ASK { VALUES ?x { 1", " 1", " } }"),
        repeat("ASK { ?s ?p ", "[ ?p ", ""),
        repeat("SELECT * { ?s ?p \"", "x", "\" }"),
        repeat("", "#\n", "ASK {}"),
        repeat("INSERT DATA { <> <urn:p> 1", ", 1", " }"),
        repeat("INSERT DATA { <> <urn:p> ", "( ", ""),
        repeat("INSERT DATA { <> <urn:p> (1", " 1", ") }"),
        repeat("INSERT DATA {}", " ; INSERT DATA {}", ""),
    ] {
        for error in taken(&fixture, &text).into_iter().filter_map(Result::err) {
            let shown: String = text.chars().take(30).collect();
            assert!(
                matches!(error, Error::Syntax(_) | Error::Timeout(_)),
                "{shown}: {error}"
            );
        }
    }
}

/// The planner looks at no limit: it must not be given what takes it long, or makes it large.
#[test]
fn plans_end() {
    let fixture = Fixture::new();
    let nested = [
        ("{ SELECT (COUNT(*) AS ?n) {", "?s ?p ?o", "} }", 40),
        // Some that are planned, as far as it goes.
        ("{ SELECT (COUNT(*) AS ?n) {", "?s ?p ?o", "} }", 20),
        ("OPTIONAL { ?s ?p ?o ", "MINUS { ?s ?p 1 }", "}", 12),
        ("{ SELECT * { ?s ?p ?o FILTER(?p != 1) ", "", "} }", 50),
        ("OPTIONAL { ?s ?p ?o ", "MINUS { ?s ?p 1 }", "}", 80),
        ("{} UNION { ?s ?p ?o OPTIONAL { ?s ?p ?o ", "", "} }", 40),
        (
            "FILTER EXISTS { ?s ?p ?o OPTIONAL { ?s ?q ?o ",
            "",
            "} }",
            30,
        ),
        ("{ ?s ?p ?o } MINUS { ?s ?p ?o ", "", "}", 60),
        ("BIND(EXISTS { ?s ?q ?r ", "", "} AS ?x)", 40),
    ];
    let nested = nested.map(|(open, middle, close, depth)| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("?s ?p ?o {open}{middle}{close}")
    });
    let each = |count: usize, piece: fn(usize) -> String| (0..count).map(piece).collect::<String>();
    let (triples, list) = ("?s ?p ?o . ".repeat(150), "1,".repeat(300_000) + "1");
    let steps = "/<urn:p>".repeat(120);
    let ins = "IN (1,1,1,1,1,1,1,1,1,1,1)) ".repeat(20);
    let flat = [
        each(190, |_| "?s ?p ?o . ".to_owned()),
        each(85, |_| "?s ?p ?o . ".to_owned()),
        each(60, |i| format!("OPTIONAL {{ ?s <urn:p{i}> ?o{i} }} ")),
        each(190, |i| format!("?v{i} <urn:p> ?v{} . ", i + 1)),
        each(190, |i| format!("?s{i} <urn:p{i}> ?o{i} . ")),
        each(190, |i| format!("?s <urn:p{i}> ?o{i} . ")),
        each(90, |i| format!("OPTIONAL {{ ?s <urn:p{i}> ?o{i} }} ")),
        each(60, |i| format!("{{ ?s <urn:p{i}> ?o }} UNION ")) + "{}",
        format!("<urn:s> (<urn:p>{steps})* ?o . ?o ?p ?q"),
        format!("VALUES ?s {{ {} }} {triples}", "1 ".repeat(400_000)),
        format!("VALUES ?s {{ {} }} ?s ?p ?o", "1 ".repeat(400_000)),
        format!("{triples} FILTER(?s IN ({list}))"),
        format!(
            "{} {{}} FILTER(?s IN ({list}))",
            "{ ?s ?p ?o } UNION ".repeat(60)
        ),
        format!("?s ?p ?o FILTER((1{}) IN ({list}))", "+?o".repeat(400)),
        format!("?s ?p ?o FILTER({}?o {ins})", "(".repeat(20)),
    ];
    for pattern in nested.into_iter().chain(flat) {
        let start = Instant::now();
        let options = limits(|l| l.time = Duration::from_secs(2));
        let (answer, _) = fixture.query(&format!("ASK {{ {pattern} }}"), Format::Json, &options);
        let (time, shown) = (
            start.elapsed(),
            pattern.chars().take(60).collect::<String>(),
        );
        println!("{shown}: {time:?}, {answer:?}");
        assert!(time < Duration::from_secs(20), "{shown}");
        if let Err(error) = answer {
            let expected = matches!(
                error,
                Error::Timeout(_) | Error::Memory(_) | Error::Unsupported(_)
            );
            assert!(expected, "{shown}: {error}");
        }
    }
}

#[test]
fn what_is_not_planned_has_the_same_answer() {
    let fixture = Fixture::new();
    let rows = |text: &str| {
        let (answer, written) = fixture.query(text, Format::Csv, &Options::default());
        assert!(answer.is_ok(), "{text}: {answer:?}");
        String::from_utf8(written).expect("UTF-8")
    };
    let count = "SELECT (COUNT(?s) AS ?n0) { ?s ?p ?o OPTIONAL { ?o ?q ?r } }";
    // Each is the one row of the one in it.
    let within = |depth| {
        let text = (0..depth).fold(count.to_owned(), |inner, i| {
            format!("SELECT (MAX(?n{i}) AS ?n{}) {{ {{ {inner} }} }}", i + 1)
        });
        rows(&text).lines().nth(1).map(str::to_owned)
    };
    assert!(within(0).is_some());
    assert_eq!(within(30), within(0));
}

/// Evaluates the texts that the fuzzer begins with, of which some are answered.
fn seeds_end(target: &str, evaluate: impl Fn(&str) -> Result<(), Error>) {
    let seeds = format!("{}/../fuzz/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut answered = 0;
    for seed in fs::read_dir(seeds).expect("seeds") {
        let path = seed.expect("a seed").path();
        let text = fs::read_to_string(&path).expect("its text");
        let start = Instant::now();
        let answer = evaluate(&text);
        assert!(start.elapsed() < Duration::from_secs(5), "{path:?}");
        assert!(
            !matches!(answer, Err(Error::Store(_) | Error::Write(_))),
            "{path:?}: {answer:?}"
        );
        answered += usize::from(answer.is_ok());
    }
    assert!(answered > 0, "{target}");
}

#[test]
fn seeds_are_answered_or_refused() {
    let fixture = Fixture::new();
    let options = limits(|limits| limits.time = Duration::from_secs(2));
    seeds_end("query", |text| {
        fixture.query(text, Format::Json, &options).0.map(drop)
    });
    seeds_end("patch", |text| {
        let (graph, base, stop) = (Graph::default(), "http://h/ldp/a", Stop::default());
        update(&graph, text, base, &fixture.root, &options.limits, &stop).map(drop)
    });
}

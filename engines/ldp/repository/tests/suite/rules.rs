//! The rules of LDP, one by one.

use crate::common::{Home, graph, if_match, lenient, root};
use ldp_rdf::Format;
use ldp_repository::{
    Body, Conditions, Constraint, Error, Found, Match, Options, Preferences, References,
    Representation, WriteOptions,
};
use ldp_store::{Content, Model};
use std::io::Write;

fn home() -> Home {
    Home::new(Options::default())
}

fn with_references(references: References) -> Home {
    Home::new(Options {
        references,
        ..Options::default()
    })
}

fn rule(result: Result<impl Sized, Error>) -> Constraint {
    match result.err() {
        Some(Error::Constraint { rule, .. }) => rule,
        other => panic!("expected a constraint, got {other:?}"),
    }
}

fn binary(home: &Home, bytes: &[u8]) -> Content {
    let mut writer = home.store().new_content().unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish("text/plain", Some("a.txt")).unwrap()
}

fn etag(home: &Home, uid: &str) -> String {
    let view = home.view();
    let of = Representation::Rdf(Format::Turtle, Preferences::default());
    view.etag(&view.get(uid).unwrap(), of).unwrap()
}

#[test]
fn put_makes_the_containers_above() {
    let home = home();
    assert!(
        home.put_turtle("/a/b/c", "<> :p <#x> . <#x> :q _:b .")
            .unwrap()
            .created
    );
    assert_eq!(home.children_of("/"), ["a"]);
    assert_eq!(home.children_of("/a"), ["b"]);
    assert_eq!(
        home.user("/a/b/c"),
        [
            "<info:fcres/a/b/c#x> <urn:x:q> _:b0",
            "<info:fcres/a/b/c> <urn:x:p> <info:fcres/a/b/c#x>"
        ]
    );
    assert!(!home.put_turtle("/a/b/c", "").unwrap().created);
    assert!(home.user("/a/b/c").is_empty());
    let all = home.triples("/a/b", &Preferences::default());
    for triple in [
        "<info:fcres/a/b> <http://www.w3.org/ns/ldp#contains> <info:fcres/a/b/c>",
        "<info:fcres/a/b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/ldp#BasicContainer>",
        "<info:fcres/a/b> <http://fedora.info/definitions/v4/repository#hasParent> <info:fcres/a>",
    ] {
        assert!(all.contains(triple), "{triple} in {all:#?}");
    }
    let empty = Preferences {
        containment: false,
        ..Preferences::default()
    };
    assert_eq!(home.triples("/a/b", &empty).len() + 1, all.len());
}

#[test]
fn post_uses_the_slug_where_it_is_free() {
    let home = home();
    assert_eq!(
        home.post("/", "a b", "<> :p 1 .").unwrap().resource.uid,
        "/a-b"
    );
    let second = home.post("/", "a b", "<> :p 1 .").unwrap().resource.uid;
    assert_eq!(second.len(), 37, "{second}");
    assert_eq!(
        home.user(&second),
        [format!(
            "<info:fcres{second}> <urn:x:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"
        )]
    );
    home.remove("/a-b").unwrap();
    assert_eq!(home.post("/", "a b", "").unwrap().resource.uid.len(), 37);
    assert!(matches!(
        home.post("/no", "x", ""),
        Err(Error::NotFound { .. })
    ));
    home.put_turtle("/leaf", "<> a ldp:RDFSource .").unwrap();
    assert!(matches!(
        home.post("/leaf", "x", ""),
        Err(Error::NotAllowed { .. })
    ));
    assert_eq!(rule(home.put_turtle("/leaf/x", "")), Constraint::Parent);
}

#[test]
fn what_the_server_says_is_refused_or_dropped() {
    let home = home();
    for turtle in [
        "<> ldp:contains <x> .",
        "<> fcrepo:created \"2020-01-01T00:00:00Z\" .",
        "<> a ldp:NonRDFSource, ldp:Resource . <> a fcrepo:Binary .",
        "<> a fcrepo:RepositoryRoot .",
    ] {
        assert_eq!(
            rule(home.put_turtle("/a", turtle)),
            Constraint::ServerManaged,
            "{turtle}"
        );
    }
    home.put_with("/a", "<> ldp:contains <x> ; :p :o .", &lenient())
        .unwrap();
    assert_eq!(home.user("/a"), ["<info:fcres/a> <urn:x:p> <urn:x:o>"]);
    // What came from the server may go back.
    home.put_turtle("/a/x", "").unwrap();
    let all = home.triples("/a", &Preferences::default());
    let text: String = all.iter().map(|triple| format!("{triple} .\n")).collect();
    let text = text.replace("info:fcres", "http://host/ldp");
    home.put_turtle("/a", &text).unwrap();
    assert_eq!(home.user("/a"), ["<info:fcres/a> <urn:x:p> <urn:x:o>"]);
    home.remove("/a/x").unwrap();
    assert_eq!(
        rule(home.put_turtle("/a", "<> ldp:contains <a/x> .")),
        Constraint::ServerManaged
    );
}

#[test]
fn subjects_are_the_resource_and_its_fragments() {
    let home = home();
    for turtle in [
        "<http://host/ldp/b> :p 1 .",
        "<urn:x> :p 1 .",
        "<http://host/ldp/ab> :p 1 .",
    ] {
        assert_eq!(
            rule(home.put_turtle("/a", turtle)),
            Constraint::ForeignSubject,
            "{turtle}"
        );
    }
    assert!(matches!(home.view().find("/a").unwrap(), Found::Missing));
    let open = Home::new(Options {
        foreign_subjects: true,
        ..Options::default()
    });
    open.put_turtle("/a", "<urn:x> :p 1 . <http://host/ldp/b> :p 1 .")
        .unwrap();
    assert_eq!(open.user("/a").len(), 2);
    assert!(open.view().has_foreign_subjects().unwrap());
    assert!(!home.view().has_foreign_subjects().unwrap());
}

#[test]
fn models_come_from_the_link_or_the_body_and_stay() {
    let home = home();
    let model = |uid: &str| home.view().get(uid).unwrap().model;
    for (uid, turtle, expected) in [
        ("/1", "<> a ldp:RDFSource .", Model::RdfSource),
        (
            "/2",
            "<> a ldp:Container, ldp:RDFSource .",
            Model::BasicContainer,
        ),
        ("/3", "<> a ldp:DirectContainer .", Model::DirectContainer),
        (
            "/4",
            "<> ldp:hasMemberRelation :p .",
            Model::DirectContainer,
        ),
        (
            "/5",
            "<> ldp:insertedContentRelation :p ; ldp:isMemberOfRelation :q .",
            Model::IndirectContainer,
        ),
        (
            "/6",
            "<> a :Thing . <#x> a ldp:RDFSource .",
            Model::BasicContainer,
        ),
    ] {
        home.put_turtle(uid, turtle).unwrap();
        assert_eq!(model(uid), expected, "{turtle}");
    }
    let as_source = WriteOptions {
        model: Some(Model::RdfSource),
        ..WriteOptions::default()
    };
    home.put_with("/7", "", &as_source).unwrap();
    assert_eq!(model("/7"), Model::RdfSource);
    assert_eq!(rule(home.put_with("/2", "", &as_source)), Constraint::Model);
    assert_eq!(
        rule(home.put_turtle("/7", "<> a ldp:Container .")),
        Constraint::ServerManaged
    );
    let as_binary = WriteOptions {
        model: Some(Model::Binary),
        ..WriteOptions::default()
    };
    assert_eq!(rule(home.put_with("/8", "", &as_binary)), Constraint::Model);
}

#[test]
fn binaries_have_content_and_a_description() {
    let home = home();
    let options = WriteOptions::default();
    let put = |body| {
        home.put("/b", body, &options)
            .and_then(|pending| pending.wait())
    };
    let made = put(Body::Binary(binary(&home, b"one"))).unwrap();
    assert_eq!(made.resource.model, Model::Binary);
    let content_tag = |home: &Home| {
        let view = home.view();
        view.etag(&view.get("/b").unwrap(), Representation::Content)
            .unwrap()
    };
    let (tag, description) = (content_tag(&home), etag(&home, "/b"));
    assert!(matches!(put(Body::Empty), Err(Error::Kind { .. })));
    let rdf = Body::Graph(graph("/b", "<> :p 1 ."));
    home.put_description("/b", rdf, &options)
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(content_tag(&home), tag);
    assert_ne!(etag(&home, "/b"), description);
    home.put("/b", Body::Binary(binary(&home, b"two")), &if_match(&tag))
        .unwrap()
        .wait()
        .unwrap();
    assert_ne!(content_tag(&home), tag);
    assert_eq!(home.user("/b").len(), 1);
    let all = home.triples("/b", &Preferences::default());
    for part in [
        "hasSize> \"3\"",
        "hasMimeType> \"text/plain\"",
        "filename> \"a.txt\"",
        "urn:sha-256:",
    ] {
        assert!(
            all.iter().any(|triple| triple.contains(part)),
            "{part} in {all:#?}"
        );
    }
    home.put_turtle("/r", "").unwrap();
    let onto_rdf = home.put("/r", Body::Binary(binary(&home, b"x")), &options);
    assert!(matches!(onto_rdf, Err(Error::Kind { .. })));
    assert!(matches!(
        home.post("/b", "x", ""),
        Err(Error::NotAllowed { .. })
    ));
}

#[test]
fn conditions_are_of_the_present_state() {
    let home = home();
    home.put_turtle("/a", "<> :p 1 .").unwrap();
    let tag = etag(&home, "/a");
    assert!(home.put_with("/a", "<> :p 2 .", &if_match(&tag)).is_ok());
    for stale in [&tag, &format!("W/{}", etag(&home, "/a")), "nonsense", "\""] {
        let refused = home.put_with("/a", "<> :p 3 .", &if_match(stale));
        assert!(
            matches!(refused, Err(Error::Precondition { .. })),
            "{stale}"
        );
    }
    // Whatever representation a tag is of, it names the state.
    let view = home.view();
    let of = Representation::Rdf(Format::JsonLd, Preferences::from_iris([], ["urn:none"]));
    let json = view.etag(&view.get("/a").unwrap(), of).unwrap();
    assert!(home.put_with("/a", "<> :p 3 .", &if_match(&json)).is_ok());
    let none_match = WriteOptions {
        conditions: Conditions {
            if_none_match: Some(Match::Any),
            ..Conditions::default()
        },
        ..WriteOptions::default()
    };
    assert!(matches!(
        home.put_with("/a", "", &none_match),
        Err(Error::Precondition { .. })
    ));
    assert!(home.put_with("/new", "", &none_match).unwrap().created);
    let missing = home.put_with("/none", "", &if_match(&tag));
    assert!(matches!(missing, Err(Error::Precondition { .. })));
    let modified = home.view().get("/a").unwrap().modified;
    let unmodified_since = |time| WriteOptions {
        conditions: Conditions {
            if_unmodified_since: Some(time),
            ..Conditions::default()
        },
        ..WriteOptions::default()
    };
    let late = home.put_with("/a", "", &unmodified_since(modified - 1_000_000));
    assert!(matches!(late, Err(Error::Precondition { .. })));
    assert!(home.put_with("/a", "", &unmodified_since(modified)).is_ok());

    let strict = Home::new(Options {
        require_if_match: true,
        ..Options::default()
    });
    strict.put_turtle("/a", "").unwrap();
    assert!(matches!(
        strict.put_turtle("/a", ""),
        Err(Error::PreconditionRequired { .. })
    ));
    assert!(
        strict
            .put_with("/a", "", &if_match(&etag(&strict, "/a")))
            .is_ok()
    );
}

#[test]
fn tags_change_with_children_and_only_then() {
    let home = home();
    home.put_turtle("/a", "").unwrap();
    let before = etag(&home, "/a");
    home.put_turtle("/a/b", "").unwrap();
    let after = etag(&home, "/a");
    assert_ne!(before, after);
    home.put_turtle("/a/b", "<> :p 1 .").unwrap();
    home.put_turtle("/c", "<> :p <http://host/ldp/a> .")
        .unwrap();
    assert_eq!(etag(&home, "/a"), after);
    home.remove("/a/b").unwrap();
    assert_ne!(etag(&home, "/a"), after);
}

#[test]
fn edits_see_the_graph_and_keep_the_rules() {
    let home = home();
    home.put_turtle("/a", "<> :p 1 .").unwrap();
    let options = WriteOptions::default();
    let outcome = home.edit("/a", &options, |old| {
        assert_eq!(old.len(), 1);
        Ok::<_, Error>(graph("/a", "<> :p 2, 3 ."))
    });
    assert!(!outcome.unwrap().wait().unwrap().created);
    assert_eq!(home.user("/a").len(), 2);
    let refused = home.edit("/a", &options, |_| {
        Ok::<_, Error>(graph("/a", "<> ldp:contains <x> ."))
    });
    assert_eq!(rule(refused), Constraint::ServerManaged);
    let missing = home.edit("/no", &options, |_| Ok::<_, Error>(graph("/no", "")));
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    // Another writer comes between the first look and the write.
    let mut seen = Vec::new();
    home.edit("/a", &options, |old| {
        seen.push(old.len());
        if seen.len() == 1 {
            home.put_turtle("/a", "").unwrap();
        }
        Ok::<_, Error>(graph("/a", &format!("<> :n {} .", old.len())))
    })
    .unwrap()
    .wait()
    .unwrap();
    assert_eq!(seen, [2, 0]);
    assert!(home.user("/a")[0].contains("\"0\""));
}

#[test]
fn an_edit_that_others_outrun_gives_up_and_holds_up_nobody() {
    let home = home();
    home.put_turtle("/a", "").unwrap();
    let mut tries = 0;
    let edited = home.edit("/a", &WriteOptions::default(), |_| {
        tries += 1;
        home.put_turtle("/a", &format!("<> :p {tries} .")).unwrap();
        Ok::<_, Error>(graph("/a", ""))
    });
    assert!(matches!(edited, Err(Error::Busy { .. })));
    assert!(tries > 1);
    assert!(home.user("/a")[0].contains(&tries.to_string()));
}

#[test]
fn deletion_leaves_a_tombstone() {
    let home = home();
    for uid in ["/a/b/c", "/a/d", "/e"] {
        home.put_turtle(uid, "<> :p 1 .").unwrap();
    }
    home.remove("/a").unwrap();
    assert_eq!(home.children_of("/"), ["e"]);
    for uid in ["/a", "/a/b", "/a/b/c", "/a/d"] {
        match home.view().get(uid) {
            Err(Error::Gone { tombstone, .. }) => assert_eq!(tombstone, "/a"),
            other => panic!("{uid}: {other:?}"),
        }
        assert!(
            matches!(home.put_turtle(uid, ""), Err(Error::Gone { .. })),
            "{uid}"
        );
    }
    assert!(matches!(
        home.put_turtle("/a/new", ""),
        Err(Error::Gone { .. })
    ));
    assert!(matches!(
        home.resurrect("/a/b", None),
        Err(Error::Gone { .. })
    ));
    assert!(matches!(
        home.forget("/e", None),
        Err(Error::NotAllowed { .. })
    ));
    home.resurrect("/a", None).unwrap().wait().unwrap();
    assert_eq!(home.children_of("/a"), ["b", "d"]);
    assert_eq!(home.user("/a/b/c").len(), 1);
    home.remove("/a/b").unwrap();
    home.remove("/a").unwrap();
    home.forget("/a", None).unwrap().wait().unwrap();
    assert!(matches!(
        home.view().get("/a/d"),
        Err(Error::NotFound { .. })
    ));
    assert!(home.put_turtle("/a", "").unwrap().created);
    // Its own deletion came first, so its tombstone is its own.
    assert!(matches!(
        home.put_turtle("/a/b", ""),
        Err(Error::Gone { .. })
    ));
    home.resurrect("/a/b", None).unwrap().wait().unwrap();
    assert_eq!(home.children_of("/a"), ["b"]);
    home.delete("/e", false, &WriteOptions::default())
        .unwrap()
        .wait()
        .unwrap();
    assert!(home.put_turtle("/e", "").unwrap().created);
    assert!(matches!(home.remove("/"), Err(Error::NotAllowed { .. })));
}

#[test]
fn references_are_kept_whole() {
    let lenient = with_references(References::Lenient);
    lenient
        .put_turtle("/a", "<> :p <b>, <b#x>, <#own>, <urn:x> .")
        .unwrap();
    assert_eq!(lenient.user("/a").len(), 2);
    lenient.put_turtle("/b", "").unwrap();
    lenient.put_turtle("/a", "<> :p <b>, <b#x>, <> .").unwrap();
    assert_eq!(lenient.user("/a").len(), 3);
    let before = etag(&lenient, "/a");
    lenient.remove("/b").unwrap();
    assert_eq!(
        lenient.user("/a"),
        ["<info:fcres/a> <urn:x:p> <info:fcres/a>"]
    );
    assert_ne!(etag(&lenient, "/a"), before);

    let strict = with_references(References::Strict);
    assert_eq!(
        rule(strict.put_turtle("/a", "<> :p <b> .")),
        Constraint::DanglingReference
    );
    // The containers that are made with it are there.
    strict.put_turtle("/c/d", "<> :p </ldp/c> .").unwrap();
    strict.put_turtle("/b", "<> :p <c/d> .").unwrap();
    strict.remove("/b").unwrap();
    strict.remove("/c").unwrap();
    strict.resurrect("/b", None).unwrap().wait().unwrap();
    assert!(strict.user("/b").is_empty());

    let off = with_references(References::Off);
    off.put_turtle("/a", "<> :p <b> .").unwrap();
    assert_eq!(off.user("/a").len(), 1);
}

#[test]
fn inbound_references_and_children_are_shown_on_demand() {
    let home = home();
    home.put_turtle("/a/b", "<> :p _:x . _:x :q 1 .").unwrap();
    home.put_turtle("/c", "<> :p <a>, <a#x> .").unwrap();
    let mut wanted = Preferences {
        managed: false,
        containment: false,
        ..Preferences::default()
    };
    assert!(home.triples("/a", &wanted).is_empty());
    wanted.inbound = true;
    assert_eq!(home.triples("/a", &wanted).len(), 2);
    wanted.embedded = true;
    let embedded = home.triples("/a", &wanted);
    assert!(
        embedded
            .iter()
            .any(|triple| triple.starts_with("_:r") && triple.contains("urn:x:q"))
    );
    // Such a tag knows of other resources.
    let of = Representation::Rdf(Format::Turtle, wanted);
    let tag = || {
        home.view()
            .etag(&home.view().get("/a").unwrap(), of)
            .unwrap()
    };
    let before = tag();
    home.put_turtle("/c", "").unwrap();
    assert_ne!(tag(), before);
}

#[test]
fn versions_keep_states() {
    let home = home();
    home.put_turtle("/a", "<> :p 1 .").unwrap();
    let one = home
        .create_version("/a", Some("one"), None)
        .unwrap()
        .wait()
        .unwrap();
    let tag = etag(&home, "/a");
    home.put_turtle("/a", "<> :p 2, 3 .").unwrap();
    let two = home
        .create_version("/a", None, None)
        .unwrap()
        .wait()
        .unwrap();
    assert!(matches!(
        home.create_version("/a", Some("one"), None),
        Err(Error::VersionTaken { .. })
    ));
    let view = home.view();
    let resource = view.get("/a").unwrap();
    assert_eq!(
        view.versions(&resource).unwrap(),
        [one.clone(), two.clone()]
    );
    assert_eq!(view.version(&resource, "one").unwrap().graph.len(), 1);
    assert!(matches!(
        view.version(&resource, "none"),
        Err(Error::NoVersion { .. })
    ));
    for (time, label) in [
        (0, "one"),
        (one.at, "one"),
        (two.at - 1, "one"),
        (two.at, &*two.label),
        (u64::MAX, &two.label),
    ] {
        assert_eq!(
            view.version_at(&resource, time).unwrap().label,
            label,
            "{time}"
        );
    }
    home.revert_to_version("/a", "one", true, &WriteOptions::default())
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(home.user("/a").len(), 1);
    assert_ne!(etag(&home, "/a"), tag);
    let view = home.view();
    assert_eq!(view.versions(&view.get("/a").unwrap()).unwrap().len(), 3);
    home.delete_version("/a", "one", None)
        .unwrap()
        .wait()
        .unwrap();
    let view = home.view();
    assert_eq!(view.versions(&view.get("/a").unwrap()).unwrap().len(), 2);
}

#[test]
fn bad_bodies_name_the_place() {
    let home = home();
    match home.put_turtle("/a", "\n<> :p .") {
        Err(Error::Syntax(error)) => assert_eq!(error.place.map(|(line, _)| line), Some(2)),
        other => panic!("{other:?}"),
    }
    let text = b"<> a <x>";
    let body = Body::Text {
        format: Format::Turtle,
        text,
        root: &root(),
    };
    assert!(home.put("/a//b", body, &WriteOptions::default()).is_err());
    assert!(matches!(home.view().find("/a").unwrap(), Found::Missing));
}

#[test]
fn readers_of_a_closed_repository_cannot_write() {
    let home = home();
    home.put_turtle("/a/b", "<> :p 1 .").unwrap();
    let home = home.reopen(true);
    assert_eq!(home.children_of("/a"), ["b"]);
    assert!(matches!(home.put_turtle("/c", ""), Err(Error::Store(_))));
    assert!(matches!(home.begin(), Err(Error::Store(_))));
    let home = home.reopen(false);
    assert!(home.put_turtle("/c", "").unwrap().created);
    assert_eq!(home.children_of("/"), ["a", "c"]);
}

//! Many writers and readers at once.

use crate::common::{Home, graph, if_match, within};
use ldp_rdf::Format;
use ldp_repository::{
    Body, Conditions, Error, Match, Options, Preferences, Representation, WriteOptions,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;

const WRITERS: usize = 8;

fn home() -> Home {
    Home::new(Options::default())
}

fn etag(home: &Home, uid: &str) -> String {
    let view = home.view();
    let of = Representation::Rdf(Format::Turtle, Preferences::default());
    view.etag(&view.get(uid).unwrap(), of).unwrap()
}

#[test]
fn no_child_is_lost() {
    const EACH: usize = 30;
    let home = home();
    home.put_turtle("/p", "").unwrap();
    let done = AtomicBool::new(false);
    scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let home = &home;
                scope.spawn(move || {
                    let mut made = BTreeSet::new();
                    for at in 0..EACH {
                        let uid = match at % 3 {
                            0 => home.post("/p", "same", "<> :p 1 .").unwrap().resource.uid,
                            1 => {
                                home.put_turtle(&format!("/p/{writer}-{at}"), "")
                                    .unwrap()
                                    .resource
                                    .uid
                            }
                            _ => {
                                let id = home.begin().unwrap();
                                let uid = format!("/p/tx-{writer}-{at}");
                                home.put_with(&uid, "", &within(&id)).unwrap();
                                home.commit(&id).unwrap().wait().unwrap();
                                uid
                            }
                        };
                        made.insert(uid["/p/".len()..].to_string());
                        if at % 5 == 4 {
                            let gone = made.pop_first().unwrap();
                            home.remove(&format!("/p/{gone}")).unwrap();
                        }
                    }
                    made
                })
            })
            .collect();
        // What a reader sees belongs together.
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let view = home.view();
                    let parent = view.get("/p").unwrap();
                    let mut count = 0;
                    for child in view.children(parent.rid, None) {
                        let child = view.live(child.unwrap().1).unwrap().unwrap();
                        assert_eq!(child.parent, Some(parent.rid));
                        assert!(child.modified <= parent.modified);
                        count += 1;
                    }
                    assert_eq!(view.children_count(parent.rid).unwrap(), count);
                }
            });
        }
        let made: Vec<BTreeSet<String>> = writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect();
        done.store(true, Ordering::Relaxed);
        let all: BTreeSet<String> = made.iter().flatten().cloned().collect();
        assert_eq!(all.len(), made.iter().map(BTreeSet::len).sum::<usize>());
        assert_eq!(home.children_of("/p"), all.into_iter().collect::<Vec<_>>());
        let parent = home.view().get("/p").unwrap();
        // One for itself, one for each child that came, and one for each that went.
        assert_eq!(parent.revision as usize, 1 + WRITERS * (EACH + EACH / 5));
    });
}

#[test]
fn a_race_by_entity_tag_has_one_winner() {
    let home = home();
    home.put_turtle("/a", "").unwrap();
    for round in 0..10 {
        let tag = etag(&home, "/a");
        let new = format!("/new{round}");
        let none = Conditions {
            if_none_match: Some(Match::Any),
            ..Conditions::default()
        };
        let none = WriteOptions {
            conditions: none,
            ..WriteOptions::default()
        };
        let (won, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
        scope(|scope| {
            for writer in 0..WRITERS {
                let (home, tag, new, none) = (&home, &tag, &new, &none);
                let (won, made) = (&won, &made);
                scope.spawn(move || {
                    match home.put_with("/a", &format!("<> :by {writer} ."), &if_match(tag)) {
                        Ok(_) => _ = won.fetch_add(1, Ordering::Relaxed),
                        Err(Error::Precondition { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                    match home.put_with(new, "", none) {
                        Ok(outcome) => {
                            assert!(outcome.created);
                            made.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(Error::Precondition { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                });
            }
        });
        assert_eq!((won.into_inner(), made.into_inner()), (1, 1));
    }
}

#[test]
fn no_edit_is_lost() {
    const EACH: usize = 20;
    let home = home();
    home.put_turtle("/a", "").unwrap();
    scope(|scope| {
        for writer in 0..WRITERS {
            let home = &home;
            scope.spawn(move || {
                for at in 0..EACH {
                    let more = graph("/a", &format!("<> :p {} .", writer * EACH + at));
                    let edited = loop {
                        let edited = home.edit("/a", &WriteOptions::default(), |old| {
                            let all: Vec<_> = old.triples().chain(more.triples()).collect();
                            Ok::<_, Error>(ldp_rdf::Graph::encode(&all))
                        });
                        // The others were faster too often.
                        if !matches!(edited, Err(Error::Busy { .. })) {
                            break edited;
                        }
                    };
                    edited.unwrap().wait().unwrap();
                }
            });
        }
    });
    assert_eq!(home.user("/a").len(), WRITERS * EACH);
}

#[test]
fn transactions_show_as_a_whole() {
    let home = home();
    home.put_turtle("/x", "<> :p 0 .").unwrap();
    home.put_turtle("/y", "<> :p 0 .").unwrap();
    let done = AtomicBool::new(false);
    scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let view = home.view();
                let number = |uid: &str| {
                    let graph = view.graph(view.get(uid).unwrap().rid).unwrap();
                    graph.triples().next().unwrap().object.to_string()
                };
                assert_eq!(number("/x"), number("/y"));
            }
        });
        let writers: Vec<_> = (1..WRITERS)
            .map(|writer| {
                let home = &home;
                scope.spawn(move || {
                    let mut conflicts = 0;
                    for at in 0..15 {
                        let turtle = format!("<> :p {} .", writer * 100 + at);
                        let id = home.begin().unwrap();
                        let both = home
                            .put_with("/x", &turtle, &within(&id))
                            .and_then(|_| home.put_with("/y", &turtle, &within(&id)));
                        match both {
                            Ok(_) => home.commit(&id).unwrap().wait().unwrap(),
                            Err(Error::Held { transaction, .. }) => {
                                assert_ne!(transaction, id);
                                conflicts += 1;
                                home.rollback(&id).unwrap();
                            }
                            Err(other) => panic!("{other}"),
                        }
                    }
                    conflicts
                })
            })
            .collect();
        let conflicts: usize = writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum();
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        let committed = home.view().get("/x").unwrap().revision as usize - 1;
        assert_eq!(committed + conflicts, (WRITERS - 1) * 15);
    });
    home.put("/x", Body::Empty, &WriteOptions::default())
        .unwrap()
        .wait()
        .unwrap();
}

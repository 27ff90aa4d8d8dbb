//! Transactions: what they see, what they hold, how they end.

use crate::common::{Home, graph, within};
use ldp_rdf::Format;
use ldp_repository::{
    Body, Error, Found, Options, Preferences, References, Representation, View, WriteOptions,
};
use std::collections::HashMap;
use std::time::Duration;

fn home() -> Home {
    Home::new(Options::default())
}

fn put(home: &Home, transaction: &str, uid: &str) -> Result<(), Error> {
    home.put_with(uid, "<> :p 1 .", &within(transaction))
        .map(|_| ())
}

fn held_by(result: Result<impl Sized, Error>) -> String {
    match result.err() {
        Some(Error::Held { transaction, .. }) => transaction,
        other => panic!("expected a held resource, got {other:?}"),
    }
}

#[test]
fn changes_show_to_others_at_the_end_and_at_once() {
    let home = home();
    let id = home.begin().unwrap();
    put(&home, &id, "/a/b").unwrap();
    put(&home, &id, "/c").unwrap();
    assert!(home.children_of("/").is_empty());
    let own = home.view_in(&id).unwrap();
    assert_eq!(own.children(own.get("/a").unwrap().rid, None).count(), 1);
    home.put_turtle("/other", "").unwrap();
    let own = home.view_in(&id).unwrap();
    assert_eq!(own.children(0, None).count(), 3);
    let lsn = home.view().snapshot().lsn();
    home.commit(&id).unwrap().wait().unwrap();
    assert_eq!(home.view().snapshot().lsn(), lsn + 1);
    assert_eq!(home.children_of("/"), ["a", "c", "other"]);
    assert!(matches!(home.commit(&id), Err(Error::NotOpen { .. })));
    assert!(matches!(put(&home, &id, "/d"), Err(Error::NotOpen { .. })));
}

#[test]
fn what_was_rolled_back_never_was() {
    let home = home();
    home.put_turtle("/a", "<> :p 1 .").unwrap();
    let id = home.begin().unwrap();
    home.delete("/a", true, &within(&id))
        .unwrap()
        .wait()
        .unwrap();
    assert!(home.view_in(&id).unwrap().get("/a").is_err());
    held_by(home.put_turtle("/a", ""));
    home.rollback(&id).unwrap();
    assert_eq!(home.user("/a").len(), 1);
    home.put_turtle("/a", "").unwrap();
    let empty = home.begin().unwrap();
    home.commit(&empty).unwrap().wait().unwrap();
}

#[test]
fn what_one_changes_others_cannot() {
    let home = home();
    home.put_turtle("/a/b", "").unwrap();
    let (one, two) = (home.begin().unwrap(), home.begin().unwrap());
    put(&home, &one, "/a/b").unwrap();
    assert_eq!(held_by(put(&home, &two, "/a/b")), one);
    assert_eq!(held_by(home.remove("/a/b")), one);
    assert_eq!(held_by(home.remove("/a")), one);
    assert_eq!(held_by(home.create_version("/a/b", None, Some(&two))), one);
    // A new resource is held before anybody sees it.
    put(&home, &one, "/a/new").unwrap();
    assert_eq!(held_by(put(&home, &two, "/a/new")), one);
    let minted = home.post("/a", "new", "").unwrap().resource.uid;
    assert_eq!(minted.len(), 3 + 36);
    home.commit(&one).unwrap().wait().unwrap();
    put(&home, &two, "/a/b").unwrap();
}

#[test]
fn adding_children_is_no_conflict() {
    let home = home();
    home.put_turtle("/p", "").unwrap();
    let (one, two) = (home.begin().unwrap(), home.begin().unwrap());
    put(&home, &one, "/p/1").unwrap();
    put(&home, &two, "/p/2").unwrap();
    home.put_turtle("/p/3", "").unwrap();
    // Nor is a change of the container itself.
    home.put_turtle("/p", "<> :p 1 .").unwrap();
    assert!([&one, &two].contains(&&held_by(home.remove("/p"))));
    let before = home.view().get("/p").unwrap().revision;
    home.commit(&two).unwrap().wait().unwrap();
    home.commit(&one).unwrap().wait().unwrap();
    assert_eq!(home.children_of("/p"), ["1", "2", "3"]);
    assert_eq!(home.view().get("/p").unwrap().revision, before + 2);
    assert_eq!(home.user("/p").len(), 1);
}

#[test]
fn nothing_is_made_below_what_a_transaction_deletes() {
    let home = home();
    home.put_turtle("/p/1", "").unwrap();
    let id = home.begin().unwrap();
    home.delete("/p", true, &within(&id))
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(held_by(home.put_turtle("/p/2", "")), id);
    assert_eq!(held_by(home.put_turtle("/p/1", "")), id);
    assert_eq!(held_by(home.post("/p", "x", "")), id);
    home.commit(&id).unwrap().wait().unwrap();
    assert!(matches!(
        home.view().find("/p/1").unwrap(),
        Found::Dead { .. }
    ));
}

#[test]
fn edits_and_tombstones_work_within() {
    let home = home();
    let id = home.begin().unwrap();
    put(&home, &id, "/a").unwrap();
    home.edit("/a", &within(&id), |old| {
        assert_eq!(old.len(), 1);
        Ok::<_, Error>(graph("/a", "<> :p 1, 2, 3 ."))
    })
    .unwrap();
    home.create_version("/a", Some("v"), Some(&id)).unwrap();
    home.delete("/a", true, &within(&id)).unwrap();
    home.resurrect("/a", Some(&id)).unwrap();
    home.put("/b", Body::Empty, &within(&id)).unwrap();
    home.delete("/b", true, &within(&id)).unwrap();
    home.forget("/b", Some(&id)).unwrap();
    home.commit(&id).unwrap().wait().unwrap();
    assert_eq!(home.user("/a").len(), 3);
    let view = home.view();
    assert_eq!(view.versions(&view.get("/a").unwrap()).unwrap().len(), 1);
    assert!(matches!(view.find("/b").unwrap(), Found::Missing));
}

#[test]
fn references_are_checked_within() {
    let home = Home::new(Options {
        references: References::Strict,
        ..Options::default()
    });
    home.put_turtle("/a", "").unwrap();
    let id = home.begin().unwrap();
    home.put_with("/b", "<> :p <a> .", &within(&id)).unwrap();
    home.put_with("/c", "<> :p <b> .", &within(&id)).unwrap();
    // The deletion would change what the transaction holds only if it could see it.
    home.remove("/a").unwrap();
    match home.commit(&id) {
        Err(Error::Constraint { .. }) => {}
        other => panic!("{:?}", other.map(|_| ())),
    }
    assert!(
        home.put_turtle("/b", "").is_err(),
        "the transaction is still open"
    );
    home.rollback(&id).unwrap();
    home.put_turtle("/b", "").unwrap();
}

#[test]
fn transactions_are_bounded() {
    let home = Home::new(Options {
        transaction_life: Duration::ZERO,
        ..Options::default()
    });
    let id = home.begin().unwrap();
    assert!(matches!(put(&home, &id, "/a"), Err(Error::NotOpen { .. })));
    assert!(matches!(
        home.transaction(&id, true),
        Err(Error::NotOpen { .. })
    ));

    let home = Home::new(Options {
        transaction_bytes: 1000,
        ..Options::default()
    });
    let id = home.begin().unwrap();
    assert!(home.transaction(&id, false).unwrap() > Duration::from_secs(170));
    put(&home, &id, "/a").unwrap();
    let long = format!("<> :p \"{}\" .", "x".repeat(1000));
    // Short, but the index has an entry for each.
    let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let many = format!("<> :p {} .", many.join(", "));
    for text in [long, many] {
        let more = home.put_with("/b", &text, &within(&id));
        assert!(matches!(more, Err(Error::Full { most: 1000, .. })));
    }
    home.commit(&id).unwrap().wait().unwrap();
    assert_eq!(home.children_of("/"), ["a"]);
    let plain = home.put("/e", Body::Empty, &WriteOptions::default());
    plain.unwrap().wait().unwrap();
}

#[test]
fn all_transactions_together_are_bounded() {
    let home = Home::new(Options {
        transaction_bytes: 4000,
        ..Options::default()
    });
    let mut ids = Vec::new();
    let refused = loop {
        match home.begin() {
            Ok(id) if ids.len() < 10_000 => ids.push(id),
            other => break other,
        }
    };
    assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
    home.rollback(&ids.remove(0)).unwrap();
    ids.push(home.begin().unwrap());
    // Each is far from full.
    let text = format!("<> :p \"{}\" .", "x".repeat(2000));
    let fill = |id: &String| home.put_with(&format!("/{id}"), &text, &within(id));
    let full = ids.iter().position(|id| fill(id).is_err()).unwrap();
    assert!((4..8).contains(&full), "{full}");
    assert!(matches!(fill(&ids[full]), Err(Error::Busy { .. })));
    home.put_turtle("/outside", &text).unwrap();
    home.commit(&ids[0]).unwrap().wait().unwrap();
    fill(&ids[full]).unwrap();
}

#[test]
fn tags_within_are_of_one_state_each() {
    let home = home();
    home.put_turtle("/p", "").unwrap();
    let ids = [home.begin().unwrap(), home.begin().unwrap()];
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    let mut look = |view: View| {
        let resource = view.get("/p").unwrap();
        let of = Representation::Rdf(Format::Turtle, Preferences::default());
        let children: Vec<String> = view
            .children(resource.rid, None)
            .map(|child| child.unwrap().0)
            .collect();
        let tag = view.etag(&resource, of).unwrap();
        assert_eq!(*known.entry(tag).or_insert(children.clone()), children);
    };
    for at in 0..5 {
        for (by, id) in ids.iter().enumerate() {
            put(&home, id, &format!("/p/{by}-{at}")).unwrap();
            look(home.view_in(id).unwrap());
        }
        // What happens elsewhere leaves the tags.
        home.put_turtle(&format!("/q/{at}"), "").unwrap();
        ids.iter().for_each(|id| look(home.view_in(id).unwrap()));
        home.put_turtle(&format!("/p/{at}"), "").unwrap();
        look(home.view());
        ids.iter().for_each(|id| look(home.view_in(id).unwrap()));
    }
    for id in &ids {
        home.commit(id).unwrap().wait().unwrap();
        look(home.view());
    }
    assert_eq!(known.len(), 5 * 5 + 2);
}

#[test]
fn tags_of_a_lost_state_never_come_back() {
    let mut home = home();
    home.put_turtle("/a", "").unwrap();
    let mut tags = Vec::new();
    // The state of an open transaction is lost when the repository closes.
    for value in 0..2 {
        home = home.reopen(false);
        let id = home.begin().unwrap();
        let turtle = format!("<> :p {value} .");
        home.put_with("/a", &turtle, &within(&id)).unwrap();
        home.put_with("/a/new", &turtle, &within(&id)).unwrap();
        let view = home.view_in(&id).unwrap();
        for uid in ["/", "/a", "/a/new"] {
            let of = Representation::Rdf(Format::Turtle, Preferences::default());
            tags.push(view.etag(&view.get(uid).unwrap(), of).unwrap());
        }
    }
    assert_eq!(tags[0], tags[3]);
    assert_ne!(tags[1], tags[4]);
    assert_ne!(tags[2], tags[5]);
}

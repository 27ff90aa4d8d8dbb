//! Random requests, answered by the repository and by a naive model, with the same answers.

use crate::common::{Home, graph, lines, within};
use crate::naive::{Fact, Facts, Life, Mode, Naive, No, Object};
use fastrand::Rng;
use ldp_rdf::Format;
use ldp_repository::{
    Body, Constraint, Error, Found, Options, Preferences, References, Representation, View,
    WriteOptions,
};
use std::collections::{BTreeMap, BTreeSet};

struct Run {
    home: Home,
    rng: Rng,
    /// The tag and the triples of each path when they were last looked at.
    seen: BTreeMap<String, (String, BTreeSet<String>)>,
}

/// A path below `top`, one to three segments of a few names.
fn path(rng: &mut Rng, top: &str) -> String {
    let mut uid = top.to_string();
    for _ in 0..rng.usize(1..=3) {
        uid.push('/');
        uid.push(rng.char('a'..='d'));
    }
    uid
}

fn facts(rng: &mut Rng, top: &str) -> Facts {
    let fact = |rng: &mut Rng| Fact {
        fragment: rng.u8(..4) == 0,
        predicate: rng.u32(0..3),
        object: if rng.bool() {
            Object::Number(rng.u32(0..10))
        } else {
            Object::Resource(path(rng, top), rng.u8(..4) == 0)
        },
    };
    (0..rng.usize(0..4)).map(|_| fact(rng)).collect()
}

fn encode(uid: &str, facts: &Facts) -> ldp_rdf::Graph {
    let text: String = facts
        .iter()
        .map(|fact| format!("{} .\n", fact.to_ntriples(uid)))
        .collect();
    graph(uid, &text.replace("info:fcres", "http://host/ldp"))
}

fn no(error: Error) -> No {
    match error {
        Error::NotFound { .. } => No::Missing,
        Error::Gone { .. } => No::Gone,
        Error::NotAllowed { .. } => No::NotAllowed,
        Error::Constraint {
            rule: Constraint::DanglingReference,
            ..
        } => No::Dangling,
        Error::NoVersion { .. } => No::Versionless,
        Error::VersionTaken { .. } => No::VersionTaken,
        other => panic!("unexpected: {other}"),
    }
}

impl Run {
    fn new(mode: Mode, seed: u64) -> Run {
        let references = match mode {
            Mode::Off => References::Off,
            Mode::Lenient => References::Lenient,
            Mode::Strict => References::Strict,
        };
        let home = Home::new(Options {
            references,
            ..Options::default()
        });
        Run {
            home,
            rng: Rng::with_seed(seed),
            seen: BTreeMap::new(),
        }
    }

    /// One random request below `top`, outside or within a transaction.
    fn step(&mut self, model: &mut Naive, top: &str, transaction: Option<&str>) {
        let rng = &mut self.rng;
        let uid = path(rng, top);
        let options = transaction.map_or(WriteOptions::default(), within);
        let label = ["one", "two"][rng.usize(..2)];
        match rng.u8(..100) {
            0..40 => {
                let facts = facts(rng, top);
                let body = Body::Graph(encode(&uid, &facts));
                let done = self.home.put(&uid, body, &options).and_then(|p| p.wait());
                assert_eq!(
                    done.map(|o| o.created).map_err(no),
                    model.put(&uid, facts),
                    "{uid}"
                );
            }
            40..50 => {
                let facts = facts(rng, top);
                let slug = rng.char('a'..='d').to_string();
                // A minted name is not known before, so the graph speaks of a blank node then.
                let known = format!("{uid}/{slug}");
                if model.entries.contains_key(&known) || known.matches('/').count() > 4 {
                    return;
                }
                let body = Body::Graph(encode(&known, &facts));
                let done = self.home.create(&uid, Some(&slug), body, &options);
                let done = done
                    .and_then(|p| p.wait())
                    .map(|o| Some(o.resource.uid))
                    .map_err(no);
                assert_eq!(done, model.post(&uid, &slug, facts));
            }
            50..65 => {
                let more = facts(rng, top);
                let keep = rng.u32(0..3);
                let edit = |facts: &mut Facts| {
                    facts.retain(|fact| fact.predicate != keep);
                    facts.extend(more.clone());
                };
                let before = model
                    .entries
                    .get(&uid)
                    .map(|e| e.facts.clone())
                    .unwrap_or_default();
                let done = self.home.edit(&uid, &options, |old| {
                    assert_eq!(lines(old), lines(&encode(&uid, &before)));
                    let mut facts = before.clone();
                    edit(&mut facts);
                    Ok::<_, Error>(encode(&uid, &facts))
                });
                let done = done.and_then(|p| p.wait()).map(|_| ()).map_err(no);
                assert_eq!(done, model.edit(&uid, edit));
            }
            65..77 => {
                let tombstone = rng.u8(..3) > 0;
                let done = self
                    .home
                    .delete(&uid, tombstone, &options)
                    .and_then(|p| p.wait());
                assert_eq!(done.map_err(no), model.delete(&uid, tombstone), "{uid}");
            }
            77..85 => {
                let done = self
                    .home
                    .resurrect(&uid, transaction)
                    .and_then(|p| p.wait());
                assert_eq!(done.map(|_| ()).map_err(no), model.resurrect(&uid), "{uid}");
            }
            85..90 => {
                let done = self.home.forget(&uid, transaction).and_then(|p| p.wait());
                assert_eq!(done.map_err(no), model.forget(&uid), "{uid}");
            }
            90..95 => {
                let done = self.home.create_version(&uid, Some(label), transaction);
                let done = done.and_then(|p| p.wait()).map(|_| ()).map_err(no);
                assert_eq!(done, model.create_version(&uid, label));
            }
            _ => {
                let done = self.home.revert_to_version(&uid, label, false, &options);
                let done = done.and_then(|p| p.wait()).map(|_| ()).map_err(no);
                assert_eq!(done, model.revert(&uid, label));
            }
        }
    }

    /// Compares the whole state, and checks what must hold in any state.
    fn compare(&mut self, view: &View, model: &Naive) {
        let mut paths: BTreeSet<String> = model.entries.keys().cloned().collect();
        let mut records = view.snapshot().records();
        while let Some(record) = records.next_ref() {
            paths.insert(record.unwrap().uid.to_string());
        }
        for uid in &paths {
            let entry = model.entries.get(uid);
            match (view.find(uid).unwrap(), entry.map(|entry| &entry.life)) {
                (Found::Missing, None) => {}
                (Found::Dead { tombstone, .. }, Some(Life::Dead(top))) => {
                    assert_eq!(tombstone, *top, "{uid}");
                }
                (Found::Live(resource), Some(Life::Live)) => {
                    let facts = &entry.unwrap().facts;
                    let graph = view.graph(resource.rid).unwrap();
                    assert_eq!(lines(&graph), lines(&encode(uid, facts)), "{uid}");
                    let children: Vec<String> = view
                        .children(resource.rid, None)
                        .map(|child| view.live(child.unwrap().1).unwrap().unwrap().uid.clone())
                        .collect();
                    assert_eq!(children, model.children(uid), "{uid}");
                    assert_eq!(
                        view.children_count(resource.rid).unwrap(),
                        children.len() as u64
                    );
                    self.inbound(view, model, uid);
                    self.tag(view, uid);
                }
                (found, expected) => panic!("{uid}: {found:?}, expected {expected:?}"),
            }
        }
        self.seen.retain(|uid, _| model.is_live(uid));
    }

    /// The index finds what a scan finds.
    fn inbound(&self, view: &View, model: &Naive, uid: &str) {
        let mut expected = BTreeSet::new();
        for (other, entry) in &model.entries {
            if entry.life == Life::Live && other != uid {
                let refers = |f: &&Fact| matches!(&f.object, Object::Resource(to, _) if to == uid);
                expected.extend(
                    entry
                        .facts
                        .iter()
                        .filter(refers)
                        .map(|f| f.to_ntriples(other)),
                );
            }
        }
        let mut found = BTreeSet::new();
        let resource = view.get(uid).unwrap();
        view.inbound_triples(&resource, &mut |triple| {
            found.insert(triple.to_string());
            Ok::<_, Error>(())
        })
        .unwrap();
        assert_eq!(found, expected, "{uid}");
    }

    /// A tag changes if and only if the triples do.
    fn tag(&mut self, view: &View, uid: &str) {
        let resource = view.get(uid).unwrap();
        let of = Representation::Rdf(Format::Turtle, Preferences::default());
        let tag = view.etag(&resource, of).unwrap();
        let mut triples = BTreeSet::new();
        view.describe(&resource, &Preferences::default(), &mut |triple| {
            triples.insert(triple.to_string());
            Ok::<_, Error>(())
        })
        .unwrap();
        if let Some((old, before)) = self.seen.get(uid) {
            assert_eq!(
                *old == tag,
                *before == triples,
                "{uid}: {before:#?} {triples:#?}"
            );
        }
        self.seen.insert(uid.to_string(), (tag, triples));
    }
}

fn requests(mode: Mode, seed: u64) {
    let mut run = Run::new(mode, seed);
    let mut model = Naive::new(mode);
    for at in 0..4000 {
        run.step(&mut model, "", None);
        if at % 80 == 0 {
            run.compare(&run.home.view(), &model);
        }
        if at % 1000 == 500 {
            run.home = run.home.reopen(false);
        }
    }
    run.compare(&run.home.view(), &model);
    let report = run.home.store().check().unwrap();
    assert!(report.damages.is_empty(), "{report:?}");
}

#[test]
fn without_integrity_of_references() {
    requests(Mode::Off, 1);
}

#[test]
fn with_lenient_integrity() {
    requests(Mode::Lenient, 2);
}

#[test]
fn with_strict_integrity() {
    requests(Mode::Strict, 3);
}

/// A transaction below `/t`, while others write below `/o`.
#[test]
fn with_transactions() {
    for (mode, seed) in [(Mode::Off, 4), (Mode::Lenient, 5), (Mode::Strict, 6)] {
        let mut run = Run::new(mode, seed);
        let mut model = Naive::new(mode);
        for top in ["/t", "/o"] {
            run.home.put_turtle(top, "").unwrap();
            model.put(top, Facts::new()).unwrap();
        }
        for _ in 0..20 {
            let id = run.home.begin().unwrap();
            let mut own = model.clone();
            for _ in 0..run.rng.usize(0..30) {
                if run.rng.bool() {
                    run.step(&mut own, "/t", Some(&id));
                } else {
                    run.step(&mut model, "/o", None);
                }
            }
            own.take(model.clone(), "/o");
            run.compare(&run.home.view_in(&id).unwrap(), &own);
            run.compare(&run.home.view(), &model);
            if run.rng.u8(..4) == 0 {
                run.home.rollback(&id).unwrap();
            } else {
                run.home.commit(&id).unwrap().wait().unwrap();
                model = own;
            }
            run.seen.clear();
            run.compare(&run.home.view(), &model);
        }
    }
}

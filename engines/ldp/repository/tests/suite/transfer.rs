//! Export, import, export: the same files.

use ldp_rdf::{Format, Graph, Root, iri_of, parse};
use ldp_repository::transfer::{Error, export, import};
use ldp_repository::{Body, FOREIGN_SUBJECTS, Pending, Repository, WriteOptions};
use ldp_store::{Content, Model, Op, Options, Resource, State, Store, Version};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn graph(uid: &str, text: &str) -> Graph {
    parse(
        Format::Turtle,
        text.as_bytes(),
        &iri_of(uid),
        &Root::inside_only(),
    )
    .unwrap()
}

fn resource(rid: u64, uid: &str, parent: Option<u64>) -> Resource {
    Resource {
        rid,
        uid: uid.to_owned(),
        parent,
        model: Model::BasicContainer,
        state: State::Live,
        created: 1_000_000 + rid,
        modified: 2_000_000 + rid,
        revision: 3 + rid,
        content: None,
    }
}

/// A store with everything that a store can hold; numbers are not in the order of the paths.
fn fill(folder: &Path) -> Store {
    let store = Store::open(folder, Options::default()).unwrap();
    let content = store
        .put_content(&b"bytes\0of a binary"[..], "image/png", Some("a \"b\".png"))
        .unwrap();
    let old = store
        .put_content(&b"older"[..], "text/plain", None)
        .unwrap();
    let binary = |content: Content| Resource {
        model: Model::Binary,
        content: Some(content),
        ..resource(4, "/z/pic", Some(1))
    };
    let blank =
        "<> <urn:p> [ <urn:q> _:x ], 'a\\nb'@en, \"\"\"\\\"\"\"\", 7 . _:x <urn:r> <#h>, <b> .";
    let batch = vec![
        Op::Put(
            resource(0, "/", None),
            Some(graph("/", "<> <urn:title> 'Root' .")),
        ),
        Op::Put(resource(1, "/z", Some(0)), Some(graph("/z", blank))),
        Op::Put(resource(2, "/a", Some(0)), None),
        Op::Put(resource(3, "/a/ü ∞", Some(2)), Some(graph("/a/ü ∞", blank))),
        Op::Put(
            binary(content.clone()),
            Some(graph("/z/pic", "<> <urn:p> 1 .")),
        ),
        Op::Put(
            Resource {
                state: State::Tombstone,
                ..resource(5, "/gone", Some(0))
            },
            Some(graph("/gone", blank)),
        ),
        Op::Put(
            Resource {
                state: State::Gone(5),
                ..resource(6, "/gone/below", Some(5))
            },
            Some(graph("/gone/below", "<> <urn:p> 1 .")),
        ),
        Op::Put(
            Resource {
                model: Model::DirectContainer,
                ..resource(7, "/direct", Some(0))
            },
            Some(Graph::default()),
        ),
        Op::SetMeta(FOREIGN_SUBJECTS.to_owned(), Vec::new()),
        Op::PutVersion(4, version(5, "first", binary(old), "<> <urn:p> 0 .")),
        Op::PutVersion(4, version(9, "second one", binary(content), blank)),
    ];
    store
        .write()
        .unwrap()
        .commit(&batch)
        .unwrap()
        .wait()
        .unwrap();
    store
}

fn version(at: u64, label: &str, resource: Resource, text: &str) -> Version {
    let graph = graph(&resource.uid, text);
    Version {
        at,
        label: label.to_owned(),
        resource,
        graph,
    }
}

/// The files below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match path.is_dir() {
            true => found.extend(
                files(&path)
                    .into_iter()
                    .map(|(rest, b)| (format!("{name}/{rest}"), b)),
            ),
            false => _ = found.insert(name, fs::read(&path).unwrap()),
        }
    }
    found
}

#[test]
fn export_import_export_gives_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let store = fill(&at("store"));
    let first = export(&store, &store.snapshot(), &at("first")).unwrap();
    assert_eq!((first.resources, first.versions, first.contents), (8, 2, 2));
    assert_eq!(import(&at("first"), &at("copy")).unwrap(), first);
    let copy = Store::open(at("copy"), Options::default()).unwrap();
    assert_eq!(
        export(&copy, &copy.snapshot(), &at("second")).unwrap(),
        first
    );
    assert_eq!(files(&at("first")), files(&at("second")));
    assert!(!at("first.partial").exists() && !at("copy.partial").exists());

    let uids = [
        "/",
        "/z",
        "/a",
        "/a/ü ∞",
        "/z/pic",
        "/gone",
        "/gone/below",
        "/direct",
    ];
    let (before, after) = (store.snapshot(), copy.snapshot());
    for uid in uids {
        let old = before.resource(uid).unwrap().unwrap();
        let new = after.resource(uid).unwrap().unwrap();
        let state = match old.state {
            State::Gone(_) => State::Gone(after.rid("/gone").unwrap().unwrap()),
            state => state,
        };
        let parent = old
            .parent
            .map(|rid| before.resource_by_rid(rid).unwrap().unwrap());
        let parent = parent.map(|parent| after.rid(&parent.uid).unwrap().unwrap());
        let expected = Resource {
            rid: new.rid,
            state,
            parent,
            ..(*old).clone()
        };
        assert_eq!(*new, expected);
        let graphs = [(&before, old.rid), (&after, new.rid)]
            .map(|(snapshot, rid)| snapshot.graph(rid).unwrap().unwrap_or_default());
        assert_eq!(graphs[0], graphs[1], "graph of {uid}");
        assert_eq!(
            before.versions(old.rid).unwrap(),
            after.versions(new.rid).unwrap()
        );
    }
    assert!(after.meta(FOREIGN_SUBJECTS).unwrap().is_some());
    assert_eq!(
        before.children_count(0).unwrap(),
        after.children_count(0).unwrap()
    );
}

#[test]
fn a_changed_export_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let store = fill(&at("store"));
    export(&store, &store.snapshot(), &at("export")).unwrap();
    for (name, mut bytes) in files(&at("export")) {
        let intact = bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(at("export").join(&name), bytes).unwrap();
        let error = import(&at("export"), &at("copy")).unwrap_err();
        assert!(matches!(error, Error::Content { .. }), "{name}: {error}");
        assert!(!at("copy").exists() && !at("copy.partial").exists());
        fs::remove_file(at("export").join(&name)).unwrap();
        let error = import(&at("export"), &at("copy")).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{name}: {error}");
        fs::write(at("export").join(&name), intact).unwrap();
    }
    import(&at("export"), &at("copy")).unwrap();
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let store = fill(&at("store"));
    fs::create_dir(at("empty")).unwrap();
    export(&store, &store.snapshot(), &at("empty")).unwrap();
    let before = files(&at("empty"));
    for name in ["empty", "file"] {
        fs::write(at("file"), "mine").unwrap();
        let error = export(&store, &store.snapshot(), &at(name)).unwrap_err();
        assert!(matches!(error, Error::Taken(_)), "{error}");
        let error = import(&at("empty"), &at(name)).unwrap_err();
        assert!(matches!(error, Error::Taken(_)), "{error}");
    }
    assert_eq!(files(&at("empty")), before);
    assert_eq!(fs::read(at("file")).unwrap(), b"mine");
}

#[test]
fn a_tombstone_outlives_its_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let options = WriteOptions::default();
    let repository = Repository::open(&path("store"), Default::default()).unwrap();
    let done = |pending: Result<Pending<()>, _>| pending.unwrap().wait().unwrap();
    let made = repository.put("/a/b", Body::Empty, &options).unwrap();
    made.wait().unwrap();
    done(repository.delete("/a/b", true, &options));
    done(repository.delete("/a", true, &options));
    done(repository.forget("/a", None));
    let store = repository.store();
    assert_eq!(store.check().unwrap().damages, [""; 0]);
    export(store, &store.snapshot(), &path("one")).unwrap();
    import(&path("one"), &path("copy")).unwrap();
    let copy = Repository::open(&path("copy"), Default::default()).unwrap();
    export(copy.store(), &copy.store().snapshot(), &path("two")).unwrap();
    assert_eq!(files(&path("one")), files(&path("two")));
    copy.resurrect("/a/b", None).unwrap().wait().unwrap();
    assert!(copy.view().get("/a").is_ok());
}

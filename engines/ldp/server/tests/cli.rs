//! The verbs of the command line, as processes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn ldp(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ldp"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Standard output of a verb that must not fail.
fn told(arguments: &[&str], folder: &Path) -> String {
    let output = ldp(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a verb that must fail; one line.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let output = ldp(arguments, folder);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    text
}

/// A folder of documents, loaded.
fn loaded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    fs::create_dir_all(documents.join("deep")).unwrap();
    let files = [
        ("a.ttl", "<> <urn:p> <deep/b>, [ <urn:q> 'blank' ] ."),
        ("deep/b.nt", "<info:fcres/p/deep/b> <urn:p> \"1\" ."),
        (
            "deep/ü c.ttl",
            "<http://example.org/ldp/p/deep/%C3%BC%20c> <urn:p> 2 .",
        ),
        ("d.jsonld", r#"{"@id": "", "urn:p": 3}"#),
    ];
    for (name, text) in files {
        fs::write(documents.join(name), text).unwrap();
    }
    let load = [
        "load",
        "--data",
        "store",
        "--parent",
        "/p",
        "--root",
        "http://example.org/ldp",
    ];
    assert_eq!(
        told(&[&load[..], &["documents"]].concat(), folder.path()),
        "4 resources\n"
    );
    folder
}

const COUNT: &str = "SELECT (COUNT(*) AS ?n) WHERE { ?s <urn:p> ?o }";

#[test]
fn a_folder_is_loaded_and_read() {
    let folder = loaded();
    let folder = folder.path();
    let get = |uid| {
        told(
            &["get", "--data", "store", "--format", "ntriples", uid],
            folder,
        )
    };
    let listing = get("/p/deep");
    assert!(listing.contains(
        "<info:fcres/p/deep> <http://www.w3.org/ns/ldp#contains> <info:fcres/p/deep/b> ."
    ));
    assert!(listing.contains("<info:fcres/p/deep/ü%20c> ."), "{listing}");
    assert!(get("/p/a").contains("<info:fcres/p/a> <urn:p> <info:fcres/p/deep/b> ."));
    assert!(get("/p/deep/ü c").contains("<urn:p> \"2\""));
    let outside = [
        "get",
        "--data",
        "store",
        "--root",
        "https://example.org/x",
        "/p/d",
    ];
    assert!(told(&outside, folder).contains("<https://example.org/x/p/d>"));
    let query = ["query", "--data", "store", "--format", "csv"];
    assert_eq!(told(&[&query[..], &[COUNT]].concat(), folder), "n\r\n5\r\n");
    fs::write(folder.join("ask.rq"), "ASK { <info:fcres/p/d> <urn:p> 3 }").unwrap();
    assert_eq!(told(&[&query[..], &["@ask.rq"]].concat(), folder), "true");
}

#[test]
fn an_export_is_imported_and_loaded() {
    let folder = loaded();
    let folder = folder.path();
    let counts = told(&["export", "--data", "store", "export"], folder);
    assert_eq!(
        counts,
        told(&["import", "--data", "copy", "export"], folder)
    );
    told(&["export", "--data", "copy", "again"], folder);
    for name in ["manifest.json", "resources.jsonl", "data.nq", "history.nq"] {
        let [first, second] =
            ["export", "again"].map(|export| fs::read(folder.join(export).join(name)).unwrap());
        assert!(first == second, "{name} differs");
    }
    assert_eq!(
        told(&["load", "--data", "fresh", "export/data.nq"], folder),
        "4 resources\n"
    );
    let count = ["query", "--data", "fresh", "--format", "csv", COUNT];
    assert_eq!(told(&count, folder), "n\r\n5\r\n");
    told(&["recover", "--data", "fresh"], folder);
}

#[test]
fn a_store_is_looked_after() {
    let folder = loaded();
    let folder = folder.path();
    let stats = |store: &str| -> serde_json::Value {
        serde_json::from_str(&told(&["stats", "--data", store], folder)).unwrap()
    };
    // The root, /p, /p/deep and four documents.
    assert_eq!(stats("store")["records"], 7);
    assert_eq!(
        told(&["check", "--data", "store"], folder),
        "no damage in 7 resources\n"
    );
    let before = told(&["get", "--data", "store", "/p/a"], folder);
    told(&["compact", "--data", "store"], folder);
    told(&["reindex", "--data", "store"], folder);
    told(&["backup", "--data", "store", "copy"], folder);
    for store in ["store", "copy"] {
        assert_eq!(
            told(&["check", "--data", store], folder),
            "no damage in 7 resources\n"
        );
        assert_eq!(told(&["get", "--data", store, "/p/a"], folder), before);
        assert_eq!(stats(store)["records"], 7);
    }
}

#[test]
fn errors_are_one_line_and_say_where() {
    let folder = loaded();
    let folder = folder.path();
    for (name, text) in [
        ("bad.ttl", "<> <urn:p> .\n"),
        (
            "split.nq",
            "<info:fcres/a> <urn:p> 'x' <info:fcres/a> .\n<info:fcres/b> <urn:p> 'x' <info:fcres/b> .\n<info:fcres/a> <urn:p> 'y' <info:fcres/a> .\n",
        ),
        ("nameless.nq", "<urn:s> <urn:p> <urn:o> .\n"),
        ("wrong.nq", "<urn:s> <urn:p>\n"),
    ] {
        let inner = folder.join(name).with_extension("folder");
        match name.ends_with(".ttl") {
            true => {
                fs::create_dir(&inner).unwrap();
                fs::write(inner.join(name), text).unwrap();
            }
            false => fs::write(folder.join(name), text.replace('\'', "\"")).unwrap(),
        }
    }
    fs::create_dir(folder.join("photos")).unwrap();
    fs::write(folder.join("photos/photo.png"), "x").unwrap();
    let cases: [(&[&str], &str); 12] = [
        (&["get", "--data", "none", "/"], "no store"),
        (&["get", "--data", "store", "/none"], "no resource /none"),
        (&["get", "--data", "store", "none"], "path \"none\""),
        (&["query", "--data", "store", "SELECT"], "line 1"),
        (&["query", "--data", "store", "@none.rq"], "none.rq"),
        (
            &["load", "--data", "store", "bad.folder"],
            "bad.folder/bad.ttl: line 1",
        ),
        (
            &["load", "--data", "store", "photos"],
            "photo.png: expected .ttl",
        ),
        (
            &["load", "--data", "store", "split.nq"],
            "<info:fcres/a> do not stand together",
        ),
        (
            &["load", "--data", "store", "nameless.nq"],
            "expected a name like info:fcres/a",
        ),
        (&["load", "--data", "store", "wrong.nq"], "wrong.nq"),
        (
            &["export", "--data", "store", "documents"],
            "documents is there already",
        ),
        (
            &["import", "--data", "new", "documents"],
            "documents/manifest.json",
        ),
    ];
    for (arguments, words) in cases {
        let text = refused(arguments, folder);
        assert!(
            text.starts_with("ldp: ") && text.contains(words),
            "{arguments:?}: {text}"
        );
    }
}

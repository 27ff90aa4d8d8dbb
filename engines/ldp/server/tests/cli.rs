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

/// Standard error of a verb that must fail with this code; one line.
fn refused(arguments: &[&str], code: i32, folder: &Path) -> String {
    let output = ldp(arguments, folder);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {output:?}"
    );
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
    let cases: [(&[&str], i32, &str); 13] = [
        (&["get", "--data", "none", "/"], 3, "no store"),
        (&["get", "--data", "documents", "/"], 3, "expected a store"),
        (&["get", "--data", "store", "/none"], 1, "no resource /none"),
        (&["get", "--data", "store", "none"], 3, "path \"none\""),
        (&["query", "--data", "store", "SELECT"], 3, "line 1"),
        (&["query", "--data", "store", "@none.rq"], 5, "none.rq"),
        (
            &["load", "--data", "store", "bad.folder"],
            3,
            "bad.folder/bad.ttl: line 1",
        ),
        (
            &["load", "--data", "store", "photos"],
            3,
            "photo.png: expected .ttl",
        ),
        (
            &["load", "--data", "store", "split.nq"],
            3,
            "<info:fcres/a> do not stand together",
        ),
        (
            &["load", "--data", "store", "nameless.nq"],
            3,
            "expected a name like info:fcres/a",
        ),
        (&["load", "--data", "store", "wrong.nq"], 4, "wrong.nq"),
        (
            &["export", "--data", "store", "documents"],
            3,
            "documents is there already",
        ),
        (
            &["import", "--data", "new", "documents"],
            5,
            "documents/manifest.json",
        ),
    ];
    for (arguments, code, words) in cases {
        let text = refused(arguments, code, folder);
        assert!(
            text.starts_with("ldp: ") && text.contains(words),
            "{arguments:?}: {text}"
        );
    }
}

#[test]
fn each_kind_of_failure_has_its_code() {
    let folder = loaded();
    let folder = folder.path();
    let code = |arguments: &[&str]| ldp(arguments, folder).status.code();
    for wrong in [&["--none"][..], &["none"], &[], &["get", "--data", "store"]] {
        assert_eq!(code(wrong), Some(3), "{wrong:?}");
    }
    for asked in [&["--help"][..], &["--version"], &["serve", "--help"]] {
        assert_eq!(code(asked), Some(0), "{asked:?}");
    }
    let rows = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";
    let limited = ["query", "--data", "store", "--timeout", "0.01", rows];
    assert_eq!(code(&limited), Some(1));
    let busy = ldp_store::Store::open(folder.join("store"), ldp_store::Options::default());
    let text = refused(&["compact", "--data", "store"], 6, folder);
    assert!(text.contains("writes to this store"), "{text}");
    drop(busy);
    let index = folder.join("store/index/1/data.mdb");
    let mut bytes = fs::read(&index).unwrap();
    let text = b"blank";
    let at = bytes.windows(text.len()).position(|window| window == text);
    bytes[at.expect("a literal")] ^= 1;
    fs::write(&index, bytes).unwrap();
    let checked = ldp(&["check", "--data", "store"], folder);
    assert_eq!(checked.status.code(), Some(4), "{checked:?}");
}

#[test]
fn other_machines_are_not_listened_to_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let serve = ["serve", "--data", "store", "--listen", address];
        let told = refused(&serve, 3, folder.path());
        assert!(told.contains("--open-to-anyone"), "{told}");
        assert!(!folder.path().join("store").exists());
    }
    // It may, and has not this address.
    let open = [
        "serve",
        "--data",
        "store",
        "--listen",
        "192.0.2.1:0",
        "--open-to-anyone",
    ];
    let told = refused(&open, 5, folder.path());
    assert!(told.contains("cannot listen on 192.0.2.1:0"), "{told}");
}

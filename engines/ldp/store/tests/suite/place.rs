//! What a directory must be before anything in it is touched.

use crate::common::Dir;
use ldp_store::{Error, Options, Store};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a directory with their bytes, and all directories.
fn state(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    if dir.is_file() {
        found.insert(dir.to_owned(), fs::read(dir).ok());
        return found;
    }
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(state(&path));
            found.insert(path, None);
        } else {
            found.extend(state(&path));
        }
    }
    found
}

fn write(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match name.ends_with('/') {
            true => fs::create_dir_all(&path).unwrap(),
            false => fs::write(&path, text).unwrap(),
        }
    }
}

#[test]
fn what_is_no_store_stays_as_it_is() {
    for files in [
        &[("notes.txt", "mine")][..],
        &[("index/page.html", "mine")],
        &[("index/1/page.html", "mine")],
        &[("index/2/", "")],
        &[("bin/tmp/file", "mine")],
        &[
            ("bin/tool", "mine"),
            ("log/today", "mine"),
            ("index/a/b", "mine"),
        ],
        &[("log/", "")],
        &[("lock", "mine")],
        &[("lock", "12345678901234567890")],
        &[("lock/", "")],
        &[(".hidden", "")],
    ] {
        let dir = Dir::new("place");
        write(dir.path(), files);
        let before = state(dir.path());
        for (read_only, create) in [(false, true), (false, false), (true, false)] {
            let options = Options {
                read_only,
                create,
                ..Options::default()
            };
            match Store::open(dir.path(), options).err() {
                Some(Error::Foreign { path, .. }) => assert_eq!(path, dir.path(), "{files:?}"),
                other => panic!("{files:?}: {other:?}"),
            }
        }
        assert_eq!(state(dir.path()), before, "{files:?}");
    }
    let dir = Dir::new("place");
    let file = dir.path().join("file");
    fs::write(&file, "mine").unwrap();
    let opened = Store::open(&file, Options::default());
    assert!(matches!(opened.err(), Some(Error::Foreign { .. })));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[test]
fn what_a_first_start_left_is_taken_up() {
    for files in [
        &[][..],
        &[("lock", "")],
        &[("lock", "123\n"), ("index/", "")],
        &[("lock", "123\n"), ("index/1/", "")],
        &[("lost+found/", "")],
    ] {
        let dir = Dir::new("place");
        write(dir.path(), files);
        let opened = Store::open(dir.path(), Options::default());
        assert!(opened.is_ok(), "{files:?}: {:?}", opened.err());
    }
}

#[test]
fn files_beside_those_of_a_store_stay() {
    let dir = Dir::new("place");
    drop(Store::open(dir.path(), Options::default()).unwrap());
    let files = [
        ("notes.txt", "mine"),
        ("index/notes.txt", "mine"),
        ("index/notes/a", "mine"),
        ("log/notes.txt", "mine"),
        ("log/a.new", "mine"),
        ("log/spare-mine", "mine"),
        ("log/0001.log", "mine"),
    ];
    write(dir.path(), &files);
    let store = Store::open(dir.path(), Options::default()).unwrap();
    store.reindex().unwrap();
    store.close().unwrap();
    for (name, text) in files {
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), text);
    }
}

#[test]
fn a_backup_takes_no_directory_that_is_there() {
    let dir = Dir::new("place");
    let store = Store::open(dir.path().join("store"), Options::default()).unwrap();
    write(dir.path(), &[("copy.unfinished/notes.txt", "mine")]);
    assert!(store.backup(dir.path().join("copy")).is_err());
    let kept = fs::read(dir.path().join("copy.unfinished/notes.txt")).unwrap();
    assert_eq!(kept, b"mine");
    store.backup(dir.path().join("below/copy")).unwrap();
}

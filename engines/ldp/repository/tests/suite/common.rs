//! A repository in a folder of its own, and short ways to write and read it.

use ldp_rdf::{Format, Graph, Root, Triple, parse};
use ldp_repository::{
    Body, Conditions, Error, Match, Options, Outcome, Preferences, Repository, WriteOptions,
};
use ldp_store::Durability;
use std::collections::BTreeSet;
use std::ops::Deref;
use tempfile::TempDir;

pub const PREFIXES: &str = "@prefix ldp: <http://www.w3.org/ns/ldp#> . \
    @prefix fcrepo: <http://fedora.info/definitions/v4/repository#> . @prefix : <urn:x:> . ";

/// A repository that goes away with its folder.
pub struct Home {
    repository: Repository,
    options: Options,
    folder: TempDir,
}

impl Deref for Home {
    type Target = Repository;
    fn deref(&self) -> &Repository {
        &self.repository
    }
}

impl Home {
    pub fn new(mut options: Options) -> Home {
        let folder = tempfile::tempdir().unwrap();
        options.store.durability = Durability::None;
        let repository = Repository::open(folder.path(), options.clone()).unwrap();
        Home {
            repository,
            options,
            folder,
        }
    }

    /// Closes and opens it, perhaps for reading only.
    pub fn reopen(self, read_only: bool) -> Home {
        let Home {
            repository,
            mut options,
            folder,
        } = self;
        drop(repository);
        options.store.read_only = read_only;
        let repository = Repository::open(folder.path(), options.clone()).unwrap();
        Home {
            repository,
            options,
            folder,
        }
    }

    pub fn put_turtle(&self, uid: &str, turtle: &str) -> Result<Outcome, Error> {
        self.put_with(uid, turtle, &WriteOptions::default())
    }

    pub fn put_with(
        &self,
        uid: &str,
        turtle: &str,
        options: &WriteOptions,
    ) -> Result<Outcome, Error> {
        let text = [PREFIXES, turtle].concat();
        let body = Body::Text {
            format: Format::Turtle,
            text: text.as_bytes(),
            root: &root(),
        };
        self.put(uid, body, options)?.wait()
    }

    pub fn post(&self, parent: &str, slug: &str, turtle: &str) -> Result<Outcome, Error> {
        let text = [PREFIXES, turtle].concat();
        let body = Body::Text {
            format: Format::Turtle,
            text: text.as_bytes(),
            root: &root(),
        };
        self.create(parent, Some(slug), body, &WriteOptions::default())?
            .wait()
    }

    pub fn remove(&self, uid: &str) -> Result<(), Error> {
        self.delete(uid, true, &WriteOptions::default())?.wait()
    }

    /// The description, each triple once and as N-Triples.
    pub fn triples(&self, uid: &str, preferences: &Preferences) -> BTreeSet<String> {
        let view = self.view();
        let resource = view.get(uid).unwrap();
        let mut found = BTreeSet::new();
        view.describe(&resource, preferences, &mut |triple| {
            found.insert(triple.to_string());
            Ok::<_, Error>(())
        })
        .unwrap();
        found
    }

    /// What users wrote, as N-Triples.
    pub fn user(&self, uid: &str) -> Vec<String> {
        let view = self.view();
        lines(&view.graph(view.get(uid).unwrap().rid).unwrap())
    }

    pub fn children_of(&self, uid: &str) -> Vec<String> {
        let view = self.view();
        let children = view.children(view.get(uid).unwrap().rid, None);
        children.map(|child| child.unwrap().0).collect()
    }
}

pub fn root() -> Root {
    Root::new("http://host/ldp").unwrap()
}

/// A graph whose base is the resource at `uid`.
pub fn graph(uid: &str, turtle: &str) -> Graph {
    let text = [PREFIXES, turtle].concat();
    parse(Format::Turtle, text.as_bytes(), &root().url(uid), &root()).unwrap()
}

pub fn lines(graph: &Graph) -> Vec<String> {
    let mut lines: Vec<String> = graph
        .triples()
        .map(|triple: Triple| triple.to_string())
        .collect();
    lines.sort_unstable();
    lines
}

pub fn lenient() -> WriteOptions {
    WriteOptions {
        lenient: true,
        ..WriteOptions::default()
    }
}

pub fn within(transaction: &str) -> WriteOptions {
    WriteOptions {
        transaction: Some(transaction.into()),
        ..WriteOptions::default()
    }
}

pub fn if_match(tag: &str) -> WriteOptions {
    let if_match = Some(Match::Tags(vec![tag.into()]));
    let conditions = Conditions {
        if_match,
        ..Conditions::default()
    };
    WriteOptions {
        conditions,
        ..WriteOptions::default()
    }
}

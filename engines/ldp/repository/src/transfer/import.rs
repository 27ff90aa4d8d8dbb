//! A folder of plain files as a new store.

use super::export::content_path;
use super::quads::{self, Graphs};
use super::record::{ContentFields, Deleted, FORMAT, Fields, Manifest, Record, VersionRecord};
use super::{Error, folder, hashed};
use crate::FOREIGN_SUBJECTS;
use crate::membership::{MEMBERSHIP, has_members};
use crate::uid::ancestors_of;
use ldp_rdf::{Graph, NamedNode};
use ldp_store::{Content, Durability, Op, Options, Resource, Rid, State, Store, Version};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Resources that are written together.
const BATCH: usize = 1_000;

/// Makes a new store in the folder `to`, which must not be there, of what `export` wrote to `from`.
///
/// The folder has its name when all of it is on disk and every hash was right. Resources are
/// numbered anew in the order of their paths.
pub fn import(from: &Path, to: &Path) -> Result<Manifest, Error> {
    let path = from.join("manifest.json");
    let text = fs::read(&path).map_err(Error::io("read", &path))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| Error::content(&path, error))?;
    if manifest.format != FORMAT {
        let message = format!("format {}, expected {FORMAT}", manifest.format);
        return Err(Error::content(&path, message));
    }
    for (name, expected) in &manifest.sha256 {
        let path = from.join(name);
        let found = hashed::of(&path)?;
        if found != *expected {
            let message = format!("its SHA-256 is {found}, the manifest says {expected}");
            return Err(Error::content(&path, message));
        }
    }
    folder::make(to, |folder| {
        // Nobody is told of it before all is on disk, so no batch has to be.
        let options = Options {
            durability: Durability::None,
            ..Options::default()
        };
        let store = Store::open(folder, options)?;
        let mut import = Import {
            store: &store,
            data: open(from, "data.nq")?,
            history: open(from, "history.nq")?,
            contents: from.join("bin"),
            rids: HashMap::new(),
            batch: Vec::new(),
            contents_seen: HashSet::new(),
            found: Manifest {
                format: FORMAT,
                sha256: manifest.sha256.clone(),
                ..Manifest::default()
            },
        };
        if manifest.foreign_subjects {
            import.found.foreign_subjects = true;
            import
                .batch
                .push(Op::SetMeta(FOREIGN_SUBJECTS.to_owned(), Vec::new()));
        }
        import.resources(&from.join("resources.jsonl"))?;
        let found = import.finish()?;
        store.close()?;
        match found == manifest {
            true => Ok(found),
            false => {
                let message = format!("the files hold {found:?}, expected {manifest:?}");
                Err(Error::content(&path, message))
            }
        }
    })
}

fn open(folder: &Path, name: &str) -> Result<Graphs<File>, Error> {
    let path = folder.join(name);
    let file = File::open(&path).map_err(Error::io("open", &path))?;
    Graphs::new(path, file)
}

struct Import<'a> {
    store: &'a Store,
    data: Graphs<File>,
    history: Graphs<File>,
    contents: PathBuf,
    rids: HashMap<String, Rid>,
    batch: Vec<Op>,
    contents_seen: HashSet<[u8; 32]>,
    found: Manifest,
}

impl Import<'_> {
    fn resources(&mut self, path: &Path) -> Result<(), Error> {
        let mut lines = BufReader::new(File::open(path).map_err(Error::io("open", path))?);
        let mut line = String::new();
        let mut number = 0;
        while lines
            .read_line(&mut line)
            .map_err(Error::io("read", path))?
            > 0
        {
            number += 1;
            let place = |error: &dyn std::fmt::Display| {
                Error::content(path, format!("line {number}: {error}"))
            };
            let record: Record = serde_json::from_str(&line).map_err(|error| place(&error))?;
            self.resource(record, &place)?;
            line.clear();
        }
        self.write()
    }

    fn resource(
        &mut self,
        record: Record,
        place: &dyn Fn(&dyn std::fmt::Display) -> Error,
    ) -> Result<(), Error> {
        let rid = self.rids.len() as Rid;
        if self.rids.insert(record.uid.clone(), rid).is_some() {
            return Err(place(&format!("resource {} comes twice", record.uid)));
        }
        let (state, graph) = match &record.deleted {
            None => (
                State::Live,
                take(&mut self.data, quads::current(&record.uid))?,
            ),
            Some(Deleted::Tombstone) => (
                State::Tombstone,
                take(&mut self.history, quads::deleted(&record.uid))?,
            ),
            Some(Deleted::With(top)) => match self.rids.get(top) {
                Some(top) => (
                    State::Gone(*top),
                    take(&mut self.history, quads::deleted(&record.uid))?,
                ),
                None => return Err(place(&format!("went with {top}, which is not before it"))),
            },
        };
        // A tombstone may be left alone, when what was around it is deleted and forgotten later; any
        // container above serves, for it gets its own when it is brought back.
        let depth = if state == State::Live { 1 } else { usize::MAX };
        let parent = ancestors_of(&record.uid)
            .take(depth)
            .find_map(|uid| self.rids.get(uid).copied());
        let shell = Resource {
            rid,
            uid: record.uid,
            parent,
            model: record.now.model,
            state,
            created: 0,
            modified: 0,
            revision: 0,
            content: None,
        };
        let now = self.fields(&shell, record.now, place)?;
        self.found.triples += graph.len() as u64;
        if has_members(now.model) {
            let mark = Op::SetMeta(MEMBERSHIP.to_owned(), Vec::new());
            self.batch.push(mark);
        }
        self.batch.push(Op::Put(now, Some(graph)));
        for VersionRecord { at, label, then } in record.versions {
            let resource = self.fields(&shell, then, place)?;
            let graph = take(&mut self.history, quads::version(&shell.uid, at))?;
            self.found.triples += graph.len() as u64;
            self.found.versions += 1;
            self.batch.push(Op::PutVersion(
                rid,
                Version {
                    at,
                    label,
                    resource,
                    graph,
                },
            ));
        }
        self.found.resources += 1;
        if self.batch.len() >= BATCH {
            self.write()?;
        }
        Ok(())
    }

    fn fields(
        &mut self,
        shell: &Resource,
        fields: Fields,
        place: &dyn Fn(&dyn std::fmt::Display) -> Error,
    ) -> Result<Resource, Error> {
        let content = match fields.content {
            None => None,
            Some(content) => Some(self.content(&content, place)?),
        };
        Ok(Resource {
            model: fields.model,
            created: fields.created,
            modified: fields.modified,
            revision: fields.revision,
            content,
            ..shell.clone()
        })
    }

    fn content(
        &mut self,
        fields: &ContentFields,
        place: &dyn Fn(&dyn std::fmt::Display) -> Error,
    ) -> Result<Content, Error> {
        let expected = fields
            .content()
            .ok_or_else(|| place(&format!("sha256 {:?} is no SHA-256", fields.sha256)))?;
        let path = content_path(&self.contents, &fields.sha256);
        if self.contents_seen.insert(expected.sha256) {
            self.found.contents += 1;
            let file = File::open(&path).map_err(Error::io("open", &path))?;
            let filename = expected.filename.as_deref();
            let found = self
                .store
                .put_content(file, &expected.media_type, filename)?;
            if found != expected {
                let message = format!("it is {found:?}, expected {expected:?}");
                return Err(Error::content(&path, message));
            }
        }
        Ok(expected)
    }

    fn write(&mut self) -> Result<(), Error> {
        if !self.batch.is_empty() {
            self.store.write()?.commit(&self.batch)?.wait()?;
            self.batch.clear();
        }
        Ok(())
    }

    fn finish(self) -> Result<Manifest, Error> {
        self.data.finish()?;
        self.history.finish()?;
        Ok(self.found)
    }
}

fn take(graphs: &mut Graphs<File>, name: NamedNode) -> Result<Graph, Error> {
    Ok(Graph::encode(&graphs.take(&name.into())?))
}

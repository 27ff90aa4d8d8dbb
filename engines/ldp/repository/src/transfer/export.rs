//! A snapshot of a store as a folder of plain files.

use super::record::{Deleted, FORMAT, Fields, Manifest, Record, VersionRecord, hex};
use super::{Error, folder, hashed, quads};
use crate::FOREIGN_SUBJECTS;
use ldp_rdf::{Graph, NamedNode};
use ldp_store::{Content, Resource, Rid, Snapshot, State, Store};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes all that a snapshot of `store` holds to the folder `to`, which must not be there.
///
/// The folder has its name when all of it is on disk. Equal repositories give equal files, whatever
/// numbers their resources have.
pub fn export(store: &Store, snapshot: &Snapshot, to: &Path) -> Result<Manifest, Error> {
    folder::make(to, |folder| {
        let mut export = Export {
            store,
            snapshot,
            resources: hashed::Writer::create(folder.join("resources.jsonl"))?,
            data: hashed::Writer::create(folder.join("data.nq"))?,
            history: hashed::Writer::create(folder.join("history.nq"))?,
            contents: folder.join("bin"),
            manifest: Manifest {
                format: FORMAT,
                ..Manifest::default()
            },
        };
        let mut uids = Vec::new();
        let mut records = snapshot.records();
        while let Some(record) = records.next_ref() {
            let record = record?;
            uids.push((record.uid.to_owned(), record.rid));
        }
        uids.sort_unstable();
        for (_, rid) in uids {
            if let Some(resource) = snapshot.resource_by_rid(rid)? {
                export.resource(&resource)?;
            }
        }
        export.finish(folder)
    })
}

struct Export<'a> {
    store: &'a Store,
    snapshot: &'a Snapshot,
    resources: hashed::Writer,
    data: hashed::Writer,
    history: hashed::Writer,
    contents: PathBuf,
    manifest: Manifest,
}

impl Export<'_> {
    fn resource(&mut self, resource: &Resource) -> Result<(), Error> {
        let deleted = match resource.state {
            State::Live => None,
            State::Tombstone => Some(Deleted::Tombstone),
            State::Gone(top) => Some(Deleted::With(self.uid(top)?)),
        };
        if let Some(graph) = self.snapshot.graph(resource.rid)? {
            let uid = &resource.uid;
            match deleted {
                None => self.graph(true, quads::current(uid), &graph)?,
                Some(_) => self.graph(false, quads::deleted(uid), &graph)?,
            }
        }
        self.content(resource.content.as_ref())?;
        let record = Record {
            uid: resource.uid.clone(),
            deleted,
            now: Fields::from(resource),
            versions: self.versions(resource)?,
        };
        self.manifest.resources += 1;
        serde_json::to_writer(&mut self.resources, &record)
            .map_err(io::Error::from)
            .and_then(|()| self.resources.write_all(b"\n"))
            .map_err(Error::io(
                "write",
                &self.contents.with_file_name("resources.jsonl"),
            ))
    }

    fn versions(&mut self, resource: &Resource) -> Result<Vec<VersionRecord>, Error> {
        let mut records = Vec::new();
        for (at, label) in self.snapshot.versions(resource.rid)? {
            let Some(version) = self.snapshot.version(resource.rid, at)? else {
                continue;
            };
            self.graph(false, quads::version(&resource.uid, at), &version.graph)?;
            self.content(version.resource.content.as_ref())?;
            records.push(VersionRecord {
                at,
                label,
                then: Fields::from(&version.resource),
            });
            self.manifest.versions += 1;
        }
        Ok(records)
    }

    fn uid(&self, rid: Rid) -> Result<String, Error> {
        match self.snapshot.resource_by_rid(rid)? {
            Some(resource) => Ok(resource.uid.clone()),
            None => Err(ldp_store::Error::Damaged {
                place: format!("resource {rid}"),
                message: "nothing, but another resource went with it".to_owned(),
            }
            .into()),
        }
    }

    fn graph(&mut self, current: bool, name: NamedNode, graph: &Graph) -> Result<(), Error> {
        let (sink, file) = match current {
            true => (&mut self.data, "data.nq"),
            false => (&mut self.history, "history.nq"),
        };
        self.manifest.triples += graph.len() as u64;
        quads::write(sink, &name, self.manifest.resources, graph)
            .map_err(Error::io("write", &self.contents.with_file_name(file)))
    }

    /// Copies the bytes of a binary, once.
    fn content(&mut self, content: Option<&Content>) -> Result<(), Error> {
        let Some(content) = content else {
            return Ok(());
        };
        let path = content_path(&self.contents, &hex(&content.sha256));
        let folder = path.parent().unwrap_or(&self.contents);
        fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(Error::io("create", &path)(error)),
            Ok(mut file) => {
                let mut bytes = self.store.open_content(content)?;
                io::copy(&mut bytes, &mut file).map_err(Error::io("write", &path))?;
            }
        }
        self.manifest.contents += 1;
        Ok(())
    }

    fn finish(mut self, folder: &Path) -> Result<Manifest, Error> {
        self.manifest.foreign_subjects = self.snapshot.meta(FOREIGN_SUBJECTS)?.is_some();
        let files = [
            ("resources.jsonl", self.resources),
            ("data.nq", self.data),
            ("history.nq", self.history),
        ];
        for (name, file) in files {
            self.manifest.sha256.insert(name.to_owned(), file.finish()?);
        }
        let path = folder.join("manifest.json");
        let mut file = hashed::Writer::create(path.clone())?;
        serde_json::to_writer_pretty(&mut file, &self.manifest)
            .map_err(io::Error::from)
            .and_then(|()| file.write_all(b"\n"))
            .map_err(Error::io("write", &path))?;
        file.finish()?;
        Ok(self.manifest)
    }
}

/// Where the bytes of this hash lie in a folder of contents.
pub(super) fn content_path(contents: &Path, sha256: &str) -> PathBuf {
    contents.join(&sha256[..2]).join(&sha256[2..4]).join(sha256)
}

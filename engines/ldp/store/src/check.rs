//! Looks whether what is on disk is what it should be.

use std::collections::HashMap;
use std::sync::PoisonError;

use heed::RoTxn;
use ldp_rdf::Graph;

use crate::base::child_key;
use crate::batch::Version;
use crate::codec::{Reader, front_u64};
use crate::content::{hash_file, hex};
use crate::index::{Database, Index, uid_key};
use crate::run::{Pair, Side, entries};
use crate::{Content, Error, Resource, Result, Rid, State, Store};

/// Damages that are told; there may be more.
const MOST: usize = 1000;

/// What a check has found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Records, those of deleted resources too.
    pub records: u64,
    /// Resources that are there.
    pub live: u64,
    /// Graphs that were read.
    pub graphs: u64,
    /// Entries of the indexes that were compared.
    pub entries: u64,
    /// Binaries whose bytes were read.
    pub contents: u64,
    /// A sentence each: the place, what is there, what was expected. Empty for a sound store; of
    /// very many damages the first 1,000.
    pub damages: Vec<String>,
}

/// A set that is only compared: how many, and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    hashes: u128,
}

impl Sum {
    fn add(&mut self, (key, value): Pair) {
        let bytes = crate::codec::pair(key, value);
        self.count += 1;
        self.hashes = self
            .hashes
            .wrapping_add(xxhash_rust::xxh3::xxh3_128(&bytes));
    }
}

/// What the records and graphs ask for.
#[derive(Default)]
struct Expected {
    sides: [Sum; 2],
    uids: Sum,
    gone: Sum,
    links: u64,
    counts: HashMap<Rid, u64>,
    contents: HashMap<[u8; 32], u64>,
}

impl Store {
    /// Reads everything in LMDB and every binary, and compares all that depends on each other.
    ///
    /// Takes seconds for 10,000 resources; readers and writers go on. The log was read when the
    /// store was opened.
    pub fn check(&self) -> Result<Report> {
        self.check_process()?;
        let _alone = self.engine().map(|engine| {
            engine
                .maintaining
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        });
        if self.engine().is_some() {
            self.checkpoint()?;
        }
        let _reading = self.state().reading();
        let index = self.state().index();
        let txn = index.env.read_txn().map_err(Error::index("read"))?;
        let mut check = Check {
            index: &index,
            txn: &txn,
            report: Report::default(),
        };
        let mut expected = Expected::default();
        check.records(&mut expected)?;
        check.versions(&mut expected)?;
        check.totals(&expected)?;
        for (sha256, size) in &expected.contents {
            check.report.contents += 1;
            match hash_file(&self.contents().path(sha256)) {
                Ok(found) if found == (*sha256, *size) => {}
                Ok((found, len)) => check.damage(format!(
                    "binary {} has {len} bytes of the hash {}, expected {size} bytes of this hash",
                    hex(sha256),
                    hex(&found)
                )),
                Err(error) => check.damage(error.to_string()),
            }
        }
        Ok(check.report)
    }
}

struct Check<'a> {
    index: &'a Index,
    txn: &'a RoTxn<'a>,
    report: Report,
}

impl<'a> Check<'a> {
    fn damage(&mut self, sentence: String) {
        if self.report.damages.len() < MOST {
            self.report.damages.push(sentence);
        }
    }

    fn get(&self, database: &Database, key: &[u8]) -> Result<Option<&'a [u8]>> {
        database.get(self.txn, key).map_err(Error::index("read"))
    }

    fn each(
        &mut self,
        database: Database,
        mut each: impl FnMut(&mut Self, &'a [u8], &'a [u8]) -> Result<()>,
    ) -> Result<()> {
        let items = database.iter(self.txn).map_err(Error::index("read"))?;
        for item in items.move_through_duplicate_values() {
            let (key, value) = item.map_err(Error::index("read"))?;
            each(self, key, value)?;
        }
        Ok(())
    }

    fn records(&mut self, expected: &mut Expected) -> Result<()> {
        let (_, next_rid) = self.index.checkpoint(self.txn)?;
        self.each(self.index.records, |check, key, value| {
            check.report.records += 1;
            let Some(rid) = front_u64(key).filter(|_| key.len() == 8) else {
                check.damage(format!("a record has the key {}", key.escape_ascii()));
                return Ok(());
            };
            let mut bytes = Reader::new(value);
            match Resource::decode(rid, &mut bytes).and_then(|r| bytes.end().map(|()| r)) {
                Err(message) => check.damage(format!("record {rid} holds {message}")),
                Ok(record) => {
                    if rid >= next_rid {
                        check.damage(format!("record {rid} exists, expected below {next_rid}"));
                    }
                    check.record(&record, expected)?;
                }
            }
            Ok(())
        })
    }

    fn record(&mut self, record: &Resource, expected: &mut Expected) -> Result<()> {
        let rid = record.rid;
        let uid = &record.uid;
        let index = self.index;
        expected.uids.add((u64::from_be_bytes(uid_key(uid)), rid));
        expected.want(record.content.as_ref());
        // A tombstone may be left alone, when what was around it is deleted and forgotten later.
        if let Some(parent) = record.parent
            && record.state == State::Live
            && self.get(&index.records, &parent.to_be_bytes())?.is_none()
        {
            self.damage(format!(
                "{uid} is in the resource {parent}, which is not there"
            ));
        }
        if let Some((parent, segment)) = record.link() {
            expected.links += 1;
            *expected.counts.entry(parent).or_default() += 1;
            let child = self.get(&index.children, &child_key(parent, segment))?;
            if child != Some(&rid.to_be_bytes()[..]) {
                self.damage(format!("{uid} is not listed by its parent {parent}"));
            }
        }
        match record.state {
            State::Live => self.report.live += 1,
            State::Tombstone => {}
            State::Gone(top) => expected.gone.add((top, rid)),
        }
        let Some(bytes) = self.get(&index.graphs, &rid.to_be_bytes())? else {
            return Ok(());
        };
        self.report.graphs += 1;
        match Graph::from_bytes(bytes) {
            Err(message) => self.damage(format!("the graph of {uid} holds {message}")),
            Ok(graph) if record.state == State::Live => {
                let sides = entries(rid, &graph);
                sides
                    .predicates
                    .into_iter()
                    .for_each(|pair| expected.sides[0].add(pair));
                sides
                    .objects
                    .into_iter()
                    .for_each(|pair| expected.sides[1].add(pair));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    fn versions(&mut self, expected: &mut Expected) -> Result<()> {
        self.each(self.index.versions, |check, key, value| {
            let rid = front_u64(key).unwrap_or(Rid::MAX);
            let at = front_u64(key.get(8..).unwrap_or_default()).unwrap_or_default();
            if check
                .get(&check.index.records, &rid.to_be_bytes())?
                .is_none()
            {
                check.damage(format!(
                    "version {at} is of the resource {rid}, which is not there"
                ));
            }
            let mut bytes = Reader::new(value);
            match Version::decode(at, &mut bytes).and_then(|v| bytes.end().map(|()| v)) {
                Ok(version) => expected.want(version.resource.content.as_ref()),
                Err(message) => check.damage(format!("version {at} of {rid} holds {message}")),
            }
            Ok(())
        })
    }

    fn totals(&mut self, expected: &Expected) -> Result<()> {
        let index = self.index;
        let sides = [Side::Predicates, Side::Objects].map(|side| *index.side(side));
        let pairs = [
            ("predicates", sides[0], expected.sides[0]),
            ("objects", sides[1], expected.sides[1]),
            ("uids", index.uids, expected.uids),
            ("gone", index.gone, expected.gone),
        ];
        for (name, database, expected) in pairs {
            let mut found = Sum::default();
            self.each(database, |check, key, value| {
                match (front_u64(key), front_u64(value)) {
                    (Some(key), Some(value)) => found.add((key, value)),
                    _ => check.damage(format!("`{name}` has the key {}", key.escape_ascii())),
                }
                Ok(())
            })?;
            self.report.entries += found.count;
            if found != expected {
                self.damage(format!(
                    "`{name}` has {} entries, expected {} that the records ask for, or the same \
                     number of others; `reindex` makes it anew",
                    found.count, expected.count
                ));
            }
        }
        let links = index.children.len(self.txn).map_err(Error::index("read"))?;
        if links != expected.links {
            let wanted = expected.links;
            self.damage(format!("{links} children are listed, expected {wanted}"));
        }
        let graphs = index.graphs.len(self.txn).map_err(Error::index("read"))?;
        if graphs != self.report.graphs {
            self.damage(format!(
                "{graphs} graphs, expected {} with a record",
                self.report.graphs
            ));
        }
        let mut counts = expected.counts.clone();
        self.each(index.counts, |check, key, value| {
            let (parent, found) = (front_u64(key).unwrap_or(Rid::MAX), front_u64(value));
            let wanted = counts.remove(&parent).unwrap_or(0);
            if found != Some(wanted) {
                check.damage(format!(
                    "{parent} counts {found:?} children, expected {wanted}"
                ));
            }
            Ok(())
        })?;
        for (parent, wanted) in counts {
            self.damage(format!("{parent} counts no children, expected {wanted}"));
        }
        Ok(())
    }
}

impl Expected {
    fn want(&mut self, content: Option<&Content>) {
        self.contents
            .extend(content.map(|content| (content.sha256, content.size)));
    }
}

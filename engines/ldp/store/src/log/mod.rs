//! The log: what was written, in order, so that a crash loses nothing that was acknowledged.
//!
//! It is a row of segments, files of a fixed size that are filled with zeros beforehand and
//! overwritten, for that syncs fastest. A segment whose records are all in LMDB becomes a spare,
//! which is used again under another name.

mod frame;
mod scan;
mod segment;

pub(crate) use scan::{Scan, scan, sync};
pub(crate) use segment::Segment;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use crate::content::sync_dir;
use crate::delta::Lsn;
use crate::{Error, Faults, Result};

/// Segments that are kept for reuse: about as many as fill up from one transaction of LMDB to the next.
const SPARES: usize = 4;

/// The directory of segments.
pub(crate) struct Log {
    dir: PathBuf,
    faults: Option<Arc<dyn Faults>>,
    spares: Mutex<Spares>,
}

#[derive(Default)]
struct Spares {
    ready: Vec<PathBuf>,
    /// Names further ones.
    next: u64,
}

/// Where the next record goes.
pub(crate) struct Appender {
    log: Arc<Log>,
    /// With the number of its first record; the last one is written to.
    segments: VecDeque<(Lsn, Arc<Segment>)>,
    /// Where in the last one the next record goes.
    end: u64,
}

/// Bytes for a place in a segment.
pub(crate) struct Chunk {
    pub segment: Arc<Segment>,
    pub offset: u64,
    pub bytes: Vec<u8>,
}

impl Log {
    pub fn open(dir: &Path, faults: Option<Arc<dyn Faults>>) -> Result<Log> {
        fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
        let mut spares = Spares::default();
        for path in scan::paths(dir)? {
            if scan::is_spare(&path) {
                // Of an earlier process, half filled perhaps.
                fs::remove_file(&path).map_err(Error::io("remove", &path))?;
                spares.next += 1;
            }
        }
        Ok(Log {
            dir: dir.to_owned(),
            faults,
            spares: Mutex::new(spares),
        })
    }

    fn fault(&self, step: crate::Step) -> io::Result<()> {
        self.faults
            .as_ref()
            .map_or(Ok(()), |faults| faults.before(step))
    }

    /// Makes a spare if there is none, so that a writer need not.
    pub fn prepare(&self) -> Result<()> {
        let path = {
            let mut spares = self.spares.lock().unwrap_or_else(PoisonError::into_inner);
            if !spares.ready.is_empty() {
                return Ok(());
            }
            spares.next += 1;
            self.dir.join(format!("spare-{}", spares.next))
        };
        self.fault(crate::Step::Allocate)
            .map_err(Error::io("make", &path))?;
        segment::fill(&path, segment::SIZE, true).inspect_err(|_| _ = fs::remove_file(&path))?;
        self.spares
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ready
            .push(path);
        Ok(())
    }

    /// A segment that takes a record of `len` bytes, by name and header on disk.
    fn start(&self, first: Lsn, len: u64) -> Result<Arc<Segment>> {
        let size = segment::SIZE.max(segment::HEADER + len);
        let path = self.dir.join(scan::name(first));
        self.fault(crate::Step::Allocate)
            .map_err(Error::io("make", &path))?;
        let spare = if size == segment::SIZE {
            self.spares
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .ready
                .pop()
        } else {
            None
        };
        let spare = match spare {
            Some(spare) => spare,
            None => {
                let path = path.with_extension("new");
                segment::fill(&path, size, false).inspect_err(|_| _ = fs::remove_file(&path))?;
                path
            }
        };
        let segment = Segment::begin(&spare, &path, first, size, self.faults.clone())?;
        sync_dir(&self.dir)?;
        Ok(Arc::new(segment))
    }

    /// Makes spares of segments that nobody needs, or removes them.
    fn retire(&self, segments: impl Iterator<Item = Arc<Segment>>) -> Result<()> {
        let mut spares = self.spares.lock().unwrap_or_else(PoisonError::into_inner);
        let mut renamed = Vec::new();
        for segment in segments {
            if segment.size == segment::SIZE && spares.ready.len() + renamed.len() < SPARES {
                spares.next += 1;
                let spare = self.dir.join(format!("spare-{}", spares.next));
                fs::rename(&segment.path, &spare).map_err(Error::io("rename", &segment.path))?;
                renamed.push(spare);
            } else {
                fs::remove_file(&segment.path).map_err(Error::io("remove", &segment.path))?;
            }
        }
        // Before they are overwritten: else a crash could bring them back under the old names.
        sync_dir(&self.dir)?;
        spares.ready.append(&mut renamed);
        Ok(())
    }

    /// Removes all files: everything is in LMDB.
    pub fn clear(&self) -> Result<()> {
        for path in scan::paths(&self.dir)? {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
        sync_dir(&self.dir)
    }
}

impl Appender {
    /// Behind the segments that a recovery found; the next record begins a new one.
    pub fn new(log: Arc<Log>, segments: Vec<(Lsn, Arc<Segment>)>) -> Appender {
        Appender {
            log,
            segments: segments.into(),
            end: u64::MAX,
        }
    }

    /// Gives a record its place. An error leaves everything as it was.
    pub fn append(&mut self, lsn: Lsn, payload: &[u8]) -> Result<Chunk> {
        let len = frame::HEAD as u64 + payload.len() as u64;
        let fits = self.segments.back().is_some_and(|(_, segment)| {
            self.end
                .checked_add(len)
                .is_some_and(|end| end <= segment.size)
        });
        if !fits {
            let segment = self.log.start(lsn, len)?;
            self.segments.push_back((lsn, segment));
            self.end = segment::HEADER;
        }
        let Some((_, segment)) = self.segments.back() else {
            unreachable!("one was just added")
        };
        let bytes = frame::encode(segment.seed, lsn, payload)?;
        let chunk = Chunk {
            segment: segment.clone(),
            offset: self.end,
            bytes,
        };
        self.end += len;
        Ok(chunk)
    }

    /// Lets go of the segments that hold nothing above the checkpoint.
    pub fn retire(&mut self, checkpoint: Lsn) -> Result<()> {
        let mut done = Vec::new();
        while self
            .segments
            .get(1)
            .is_some_and(|(next_first, _)| *next_first <= checkpoint + 1)
        {
            done.extend(self.segments.pop_front().map(|(_, segment)| segment));
        }
        if done.is_empty() {
            Ok(())
        } else {
            self.log.retire(done.into_iter())
        }
    }
}

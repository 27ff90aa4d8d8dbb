//! Scans over LMDB and the delta together, a page at a time.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use crate::codec::{Reader, Writer};
use crate::resource::is_live;
use crate::{Error, Resource, ResourceRef, Result, Rid, Snapshot};

/// Entries that are copied at once while the read transaction is held.
const PAGE: usize = 512;

/// The children of a resource in the order of the bytes of their segments.
///
/// As an iterator it gives owned segments; [`Children::next_ref`] lends them instead.
pub struct Children {
    snapshot: Snapshot,
    parent: Rid,
    after: Option<String>,
    page: Page,
    next: usize,
    last: bool,
}

/// Segments and numbers of children; the segments lie one behind the other.
#[derive(Default)]
pub(crate) struct Page {
    text: String,
    ends: Vec<(usize, Rid)>,
}

impl Page {
    pub fn push(&mut self, segment: &str, rid: Rid) {
        self.text.push_str(segment);
        self.ends.push((self.text.len(), rid));
    }

    fn get(&self, i: usize) -> Option<(&str, Rid)> {
        let (end, rid) = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
        Some((&self.text[start..end], rid))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}

impl Children {
    pub(crate) fn new(snapshot: Snapshot, parent: Rid, after: Option<&str>) -> Children {
        Children {
            snapshot,
            parent,
            after: after.map(str::to_owned),
            page: Page::default(),
            next: 0,
            last: false,
        }
    }

    /// The next child: its segment and number.
    pub fn next_ref(&mut self) -> Option<Result<(&str, Rid)>> {
        while self.next == self.page.ends.len() {
            if self.last {
                return None;
            }
            if let Err(error) = self.fill() {
                self.last = true;
                return Some(Err(error));
            }
        }
        self.next += 1;
        self.page.get(self.next - 1).map(Ok)
    }

    fn fill(&mut self) -> Result<()> {
        let mut base = std::mem::take(&mut self.page);
        base.clear();
        self.next = 0;
        let after = self.after.as_deref();
        self.last = self
            .snapshot
            .base
            .children(self.parent, after, PAGE, &mut base)?;
        let reached = base
            .get(base.ends.len().wrapping_sub(1))
            .map(|(segment, _)| segment);
        // The delta over the same stretch of segments.
        let low = match after {
            Some(segment) => Excluded((self.parent, Arc::from(segment))),
            None => Included((self.parent, Arc::from(""))),
        };
        let high = match reached {
            Some(segment) if !self.last => Included((self.parent, Arc::from(segment))),
            _ => Excluded((self.parent + 1, Arc::from(""))),
        };
        let delta = self.snapshot.delta.clone();
        let mut above = delta.children.range((low, high)).peekable();
        let next_after = if self.last {
            None
        } else {
            reached.map(str::to_owned)
        };
        if above.peek().is_none() {
            self.page = base;
        } else {
            let mut below = 0;
            for ((_, segment), (_, rid)) in above {
                while let Some((older, rid)) =
                    base.get(below).filter(|(older, _)| *older < &**segment)
                {
                    self.page.push(older, rid);
                    below += 1;
                }
                below += usize::from(base.get(below).is_some_and(|(same, _)| same == &**segment));
                rid.iter().for_each(|rid| self.page.push(segment, *rid));
            }
            while let Some((older, rid)) = base.get(below) {
                self.page.push(older, rid);
                below += 1;
            }
        }
        self.after = next_after;
        Ok(())
    }
}

impl Iterator for Children {
    type Item = Result<(String, Rid)>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(
            self.next_ref()?
                .map(|(segment, rid)| (segment.to_owned(), rid)),
        )
    }
}

/// The records of a store in the order of their numbers.
///
/// As an iterator it gives owned records with contents; [`Resources::next_ref`] lends them.
pub struct Resources {
    snapshot: Snapshot,
    dead: bool,
    from: Rid,
    page: RecordPage,
    next: usize,
    last: bool,
}

/// Encoded records; they lie one behind the other.
#[derive(Default)]
pub(crate) struct RecordPage {
    bytes: Vec<u8>,
    ends: Vec<(usize, Rid)>,
}

impl RecordPage {
    pub fn push(&mut self, rid: Rid, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push((self.bytes.len(), rid));
    }

    fn get(&self, i: usize) -> Option<(Rid, &[u8])> {
        let (end, rid) = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
        Some((rid, &self.bytes[start..end]))
    }
}

impl Resources {
    /// `dead`: those that were deleted, too.
    pub(crate) fn new(snapshot: Snapshot, dead: bool) -> Resources {
        Resources {
            snapshot,
            dead,
            from: 0,
            page: RecordPage::default(),
            next: 0,
            last: false,
        }
    }

    /// The next record, without its content.
    pub fn next_ref(&mut self) -> Option<Result<ResourceRef<'_>>> {
        let i = match self.advance() {
            Ok(i) => i?,
            Err(error) => return Some(Err(error)),
        };
        let (rid, bytes) = self.page.get(i)?;
        let place = format_args!("record {rid}");
        Some(ResourceRef::decode(rid, bytes).map_err(Error::damaged(place)))
    }

    /// The place of the next record in the page.
    fn advance(&mut self) -> Result<Option<usize>> {
        loop {
            while self.next == self.page.ends.len() {
                if self.last {
                    return Ok(None);
                }
                self.fill().inspect_err(|_| self.last = true)?;
            }
            self.next += 1;
            let i = self.next - 1;
            if self.dead || self.page.get(i).is_some_and(|(_, bytes)| is_live(bytes)) {
                return Ok(Some(i));
            }
        }
    }

    fn fill(&mut self) -> Result<()> {
        let mut base = std::mem::take(&mut self.page);
        base.bytes.clear();
        base.ends.clear();
        self.next = 0;
        self.last = self.snapshot.base.records(self.from, PAGE, &mut base)?;
        let reached = base.ends.last().map(|(_, rid)| *rid);
        let high = match reached {
            Some(rid) if !self.last => Included(rid),
            _ => Unbounded,
        };
        let delta = self.snapshot.delta.clone();
        let mut above = delta.records.range((Included(self.from), high)).peekable();
        if above.peek().is_none() {
            self.page = base;
        } else {
            let mut below = 0;
            for (rid, (_, record)) in above {
                while let Some((older, bytes)) = base.get(below).filter(|(older, _)| older < rid) {
                    self.page.push(older, bytes);
                    below += 1;
                }
                below += usize::from(base.get(below).is_some_and(|(same, _)| same == *rid));
                if let Some(record) = record {
                    let mut out = Writer::default();
                    record.encode(&mut out);
                    self.page.push(*rid, &out.0);
                }
            }
            while let Some((older, bytes)) = base.get(below) {
                self.page.push(older, bytes);
                below += 1;
            }
        }
        self.from = reached.map_or(self.from, |rid| rid + 1);
        Ok(())
    }
}

impl Iterator for Resources {
    type Item = Result<Resource>;

    fn next(&mut self) -> Option<Self::Item> {
        let i = match self.advance() {
            Ok(i) => i?,
            Err(error) => return Some(Err(error)),
        };
        let (rid, bytes) = self.page.get(i)?;
        let place = format_args!("record {rid}");
        Some(Resource::decode(rid, &mut Reader::new(bytes)).map_err(Error::damaged(place)))
    }
}

//! Reads a log back.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Segment, frame, segment};
use crate::delta::Lsn;
use crate::{Error, Faults, Result, Step};

/// What a log held.
pub(crate) struct Scan {
    /// Those with a record: the number of the first one, path, size, and seed of the checksums.
    pub segments: Vec<(Lsn, PathBuf, u64, u32)>,
    /// The last record: the checkpoint at least.
    pub last: Lsn,
    /// What is wrong, before the end of the log; the records before it were given.
    pub damage: Option<Error>,
}

impl Scan {
    /// Takes up the segments.
    pub fn reopen(&self) -> Result<Vec<(Lsn, Arc<Segment>)>> {
        self.segments
            .iter()
            .map(|(first, path, size, seed)| {
                Ok((*first, Arc::new(Segment::reopen(path, *size, *seed)?)))
            })
            .collect()
    }
}

pub(super) fn name(first: Lsn) -> String {
    format!("{first:016x}.log")
}

/// The number that the name of a segment tells; none for other files.
pub(super) fn first_of(path: &Path) -> Option<Lsn> {
    let name = path.file_name()?.to_str()?;
    let digits = name
        .strip_suffix(".log")
        .filter(|digits| digits.len() == 16)?;
    Lsn::from_str_radix(digits, 16).ok()
}

/// Whether the name is that of a spare, or of a segment in the making.
pub(super) fn is_spare(path: &Path) -> bool {
    let spare = |name: &str| {
        let number = name.strip_prefix("spare-");
        number.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(spare) || is_unnamed(path)
}

fn is_unnamed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "new")
        && first_of(&path.with_extension("log")).is_some()
}

/// All files of the log, the segments by number: the earlier ones go first, when all go.
pub(super) fn paths(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::io("list", dir))?,
    };
    let paths = entries.map(|entry| Ok(entry.map_err(Error::io("list", dir))?.path()));
    let mut paths = paths.collect::<Result<Vec<_>>>()?;
    paths.retain(|path| first_of(path).is_some() || is_spare(path));
    paths.sort();
    Ok(paths)
}

/// Brings all segments to disk, for a killed process may not have: later records build on them.
pub(crate) fn sync(dir: &Path, faults: Option<&dyn Faults>) -> Result<()> {
    for path in paths(dir)? {
        faults
            .map_or(Ok(()), |faults| faults.before(Step::Sync))
            .and_then(|()| File::open(&path)?.sync_data())
            .map_err(Error::io("sync", &path))?;
    }
    Ok(())
}

/// Gives each record above the checkpoint to `each`, in order.
///
/// The log ends at the first record that is not whole. That is no damage when nothing shows that
/// more was there: a later segment, or a checkpoint above it.
pub(crate) fn scan(
    dir: &Path,
    checkpoint: Lsn,
    mut each: impl FnMut(Lsn, &[u8]) -> Result<()>,
) -> Result<Scan> {
    let files = paths(dir)?
        .into_iter()
        .filter_map(|path| Some((first_of(&path)?, path)));
    let mut scan = Scan {
        segments: Vec::new(),
        last: checkpoint,
        damage: None,
    };
    let mut next = None;
    for (first, path) in files {
        let damage = |message: String| Error::Damaged {
            place: path.display().to_string(),
            message,
        };
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        let header = segment::parse_header(&bytes).filter(|(number, _)| *number == first);
        let Some((_, seed)) = header else {
            scan.damage = Some(damage(format!(
                "no header of a segment that begins with {first}"
            )));
            return Ok(scan);
        };
        // Segments that are all in LMDB may be missing between those that are there.
        let expected = next.unwrap_or(0).max(checkpoint + 1);
        if first > expected {
            let found = format!("record {first} first, expected {expected} in the segment before");
            scan.damage = Some(damage(found));
            return Ok(scan);
        }
        let size = bytes.len() as u64;
        let mut lsn = first;
        let mut rest = bytes.get(segment::HEADER as usize..).unwrap_or_default();
        while let Some(payload) = frame::decode(seed, lsn, rest) {
            if lsn > checkpoint {
                each(lsn, payload)?;
                scan.last = lsn;
            }
            rest = &rest[frame::HEAD + payload.len()..];
            lsn += 1;
        }
        next = Some(lsn);
        if lsn > first {
            scan.segments.push((first, path, size, seed));
        }
    }
    if let Some(next) = next
        && next <= checkpoint
    {
        scan.damage = Some(Error::Damaged {
            place: dir.display().to_string(),
            message: format!("no whole record {next}, expected them up to {checkpoint} at least"),
        });
    }
    Ok(scan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_listed_by_number() {
        let dir = std::env::temp_dir().join(format!("ldp-store-paths-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let firsts: Vec<Lsn> = (0..50).map(|i| i * 7919 % 4001).collect();
        for first in &firsts {
            fs::write(dir.join(name(*first)), "").unwrap();
        }
        let listed: Vec<_> = paths(&dir).unwrap();
        let listed: Vec<Lsn> = listed.iter().filter_map(|path| first_of(path)).collect();
        fs::remove_dir_all(&dir).unwrap();
        let mut expected = firsts;
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}

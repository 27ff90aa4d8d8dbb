//! One file of the log.
//!
//! Its first 4,096 bytes are the header: `LDPLOG01`, the number of its first record (8 bytes), the
//! time of its begin in nanoseconds since 1970 (8), and the CRC-32C of these 24 bytes (4); numbers
//! are little-endian, the rest is 0.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::delta::Lsn;
use crate::{Error, Faults, Result, Step};

/// Bytes of a segment, unless a single record needs more.
pub(super) const SIZE: u64 = 8 << 20;
/// Bytes before the first record: a page of its own.
pub(super) const HEADER: u64 = 4096;
const MAGIC: &[u8; 8] = b"LDPLOG01";

/// An open file of the log.
pub(crate) struct Segment {
    pub path: PathBuf,
    pub size: u64,
    /// What the checksums of its records begin with.
    pub seed: u32,
    file: File,
    faults: Option<Arc<dyn Faults>>,
}

/// Makes a file of zeros.
pub(super) fn fill(path: &Path, size: u64, sync: bool) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = File::create(path)?;
        let zeros = vec![0; 1 << 20];
        let mut left = size;
        while left > 0 {
            let n = left.min(zeros.len() as u64);
            file.write_all(&zeros[..n as usize])?;
            left -= n;
        }
        if sync { file.sync_all() } else { Ok(()) }
    };
    write().map_err(Error::io("fill", path))
}

impl Segment {
    /// Makes a file of zeros, or of an earlier use, into a segment: header first, then the name.
    pub fn begin(
        from: &Path,
        path: &Path,
        first: Lsn,
        size: u64,
        faults: Option<Arc<dyn Faults>>,
    ) -> Result<Segment> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut header = Vec::with_capacity(28);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&first.to_le_bytes());
        header.extend_from_slice(&(now.as_nanos() as u64).to_le_bytes());
        let seed = crc32c::crc32c(&header);
        header.extend_from_slice(&seed.to_le_bytes());
        let file = File::options()
            .write(true)
            .open(from)
            .map_err(Error::io("open", from))?;
        file.write_all_at(&header, 0)
            .map_err(Error::io("write", from))?;
        file.sync_all().map_err(Error::io("sync", from))?;
        fs::rename(from, path).map_err(Error::io("rename", from))?;
        Ok(Segment {
            path: path.to_owned(),
            size,
            seed,
            file,
            faults,
        })
    }

    /// Takes up a file whose bytes a recovery has read.
    pub fn reopen(path: &Path, size: u64, seed: u32) -> Result<Segment> {
        let file = File::options()
            .write(true)
            .open(path)
            .map_err(Error::io("open", path))?;
        Ok(Segment {
            path: path.to_owned(),
            size,
            seed,
            file,
            faults: None,
        })
    }

    pub fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.fault(Step::Write)
            .and_then(|()| self.file.write_all_at(bytes, offset))
            .map_err(Error::io("write", &self.path))
    }

    pub fn sync(&self) -> Result<()> {
        self.fault(Step::Sync)
            .and_then(|()| self.file.sync_data())
            .map_err(Error::io("sync", &self.path))
    }

    fn fault(&self, step: Step) -> io::Result<()> {
        self.faults
            .as_ref()
            .map_or(Ok(()), |faults| faults.before(step))
    }
}

/// The number of the first record, and what the checksums begin with; none for a damaged header.
pub(super) fn parse_header(bytes: &[u8]) -> Option<(Lsn, u32)> {
    let header = bytes.get(..24)?;
    let crc = u32::from_le_bytes(*bytes.get(24..)?.first_chunk()?);
    let first = u64::from_le_bytes(*header.get(8..)?.first_chunk()?);
    (header.starts_with(MAGIC) && crc32c::crc32c(header) == crc).then_some((first, crc))
}

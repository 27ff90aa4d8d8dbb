//! Files whose SHA-256 is computed on the way.

use super::Error;
use super::record::hex;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// A new file.
pub struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    hash: Sha256,
}

impl Writer {
    pub fn create(path: PathBuf) -> Result<Writer, Error> {
        let file = File::create_new(&path).map_err(Error::io("create", &path))?;
        Ok(Writer {
            path,
            file: BufWriter::new(file),
            hash: Sha256::new(),
        })
    }

    /// The hash of all that was written, in hexadecimal.
    pub fn finish(mut self) -> Result<String, Error> {
        self.file.flush().map_err(Error::io("write", &self.path))?;
        Ok(hex(&self.hash.finalize()))
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.file.write(bytes)?;
        self.hash.update(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The hash of a file in hexadecimal.
pub fn of(path: &Path) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(Error::io("read", path))? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&buffer[..length]),
        }
    }
}

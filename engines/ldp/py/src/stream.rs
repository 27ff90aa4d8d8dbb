//! The bytes of a binary as they come from Python, and their digest.

use crate::error::ChecksumValidationError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha256, Sha512};
use std::io::{self, Read};

/// `bytes`, or anything with `read(n)`. It computes a digest on the way if one was given.
pub struct Source {
    from: From,
    expected: Option<(Box<dyn DynDigest + Send>, String)>,
    /// What `read(n)` raised.
    raised: Option<PyErr>,
}

enum From {
    Bytes(io::Cursor<Vec<u8>>),
    Stream(Py<PyAny>),
}

impl Source {
    /// From `bytes` or a stream.
    pub fn new(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let from = match value.cast::<PyBytes>() {
            Ok(bytes) => From::Bytes(io::Cursor::new(bytes.as_bytes().to_vec())),
            Err(_) => From::Stream(value.clone().unbind()),
        };
        Ok(Source {
            from,
            expected: None,
            raised: None,
        })
    }

    /// The bytes must have this digest, in hexadecimal.
    pub fn expect(&mut self, algorithm: &str, digest: &str) -> PyResult<()> {
        let hasher: Box<dyn DynDigest + Send> = match algorithm.to_lowercase().as_str() {
            "md5" => Box::new(md5::Md5::default()),
            "sha1" => Box::new(Sha1::default()),
            "sha256" => Box::new(Sha256::default()),
            "sha512" => Box::new(Sha512::default()),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "prov_cksum_algo is md5, sha1, sha256 or sha512, not {algorithm:?}"
                )));
            }
        };
        self.expected = Some((hasher, digest.to_lowercase()));
        Ok(())
    }

    /// After the last byte: what Python raised, or that the digest is another one.
    pub fn finish(self) -> PyResult<()> {
        if let Some(error) = self.raised {
            return Err(error);
        }
        let Some((hasher, expected)) = self.expected else {
            return Ok(());
        };
        let found: String = hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if found == expected {
            return Ok(());
        }
        Err(ChecksumValidationError::new_err(format!(
            "the bytes have the digest {found}, not {expected}"
        )))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match &mut self.from {
            From::Bytes(bytes) => bytes.read(buffer)?,
            From::Stream(stream) => {
                let read = Python::attach(|py| -> PyResult<usize> {
                    let read = stream.bind(py).call_method1("read", (buffer.len(),))?;
                    let bytes: &[u8] = read.extract()?;
                    let room = buffer
                        .get_mut(..bytes.len())
                        .ok_or_else(|| PyValueError::new_err("read(n) gave more than n bytes"))?;
                    room.copy_from_slice(bytes);
                    Ok(bytes.len())
                });
                read.map_err(|error| {
                    self.raised = Some(error);
                    io::Error::other("the stream raised an exception")
                })?
            }
        };
        if let Some((hasher, _)) = &mut self.expected {
            hasher.update(&buffer[..length]);
        }
        Ok(length)
    }
}

//! One record: length (4 bytes), CRC-32C (4), number (8), payload; all numbers little-endian.
//!
//! The CRC begins with that of the header of the segment, so what an earlier use of the same file
//! left behind is no record of this one.

use crate::delta::Lsn;
use crate::{Error, Result};

/// Bytes before the payload.
pub(super) const HEAD: usize = 16;

pub(super) fn encode(seed: u32, lsn: Lsn, payload: &[u8]) -> Result<Vec<u8>> {
    let len = u32::try_from(payload.len())
        .map_err(|_| Error::Invalid(format!("{} bytes, at most 2^32", payload.len())))?;
    let mut out = Vec::with_capacity(HEAD + payload.len());
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&checksum(seed, len, lsn, payload).to_le_bytes());
    out.extend_from_slice(&lsn.to_le_bytes());
    out.extend_from_slice(payload);
    Ok(out)
}

/// The payload of the record at the front of `bytes`, if a whole one with this number is there.
pub(super) fn decode(seed: u32, lsn: Lsn, bytes: &[u8]) -> Option<&[u8]> {
    let (len, rest) = bytes.split_first_chunk()?;
    let (crc, rest) = rest.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let len = u32::from_le_bytes(*len);
    let payload = rest.get(..usize::try_from(len).ok()?)?;
    let whole = u64::from_le_bytes(*number) == lsn
        && u32::from_le_bytes(*crc) == checksum(seed, len, lsn, payload);
    whole.then_some(payload)
}

fn checksum(seed: u32, len: u32, lsn: Lsn, payload: &[u8]) -> u32 {
    let crc = crc32c::crc32c_append(seed, &len.to_le_bytes());
    let crc = crc32c::crc32c_append(crc, &lsn.to_le_bytes());
    crc32c::crc32c_append(crc, payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_record_of_the_right_segment_and_number_is_read() {
        let bytes = encode(7, 42, b"payload").unwrap();
        assert_eq!(decode(7, 42, &bytes), Some(&b"payload"[..]));
        assert_eq!(decode(8, 42, &bytes), None);
        assert_eq!(decode(7, 41, &bytes), None);
        for i in 0..bytes.len() {
            assert_eq!(decode(7, 42, &bytes[..i]), None, "cut at {i}");
            let mut flipped = bytes.clone();
            flipped[i] ^= 1;
            assert_eq!(decode(7, 42, &flipped), None, "flipped at {i}");
        }
        assert_eq!(decode(7, 0, &[0; 64]), None, "zeros are no record");
    }
}

//! Bytes of records: numbers of variable length (LEB128), byte strings with their length before.

/// What was wrong with stored bytes, in words.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Appends to a buffer.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// 7 bits a byte, the lowest first; the highest bit says that more follow.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
}

/// Takes from the front of a slice.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or("the end, expected a byte")?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn number(&mut self) -> Result<u64> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            n |= bits << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err("a number above 2^64".to_owned())
    }

    pub fn raw(&mut self, len: usize) -> Result<&'a [u8]> {
        let (first, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| format!("{} bytes to the end, expected {len}", self.0.len()))?;
        self.0 = rest;
        Ok(first)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.raw(N)?);
        Ok(out)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.number()?;
        self.raw(usize::try_from(len).unwrap_or(usize::MAX))
    }

    pub fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|e| format!("text that is not UTF-8: {e}"))
    }

    /// Nothing may follow.
    pub fn end(&self) -> Result<()> {
        match self.0.len() {
            0 => Ok(()),
            n => Err(format!("{n} bytes behind the end")),
        }
    }
}

/// A big-endian number at the front of a key.
pub(crate) fn front_u64(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|b| u64::from_be_bytes(*b))
}

/// Two big-endian numbers: a key of two parts.
pub(crate) fn pair(a: u64, b: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&a.to_be_bytes());
    key[8..].copy_from_slice(&b.to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_come_back_and_longer_ones_are_refused() {
        for n in (0..64)
            .flat_map(|b| [(1u64 << b) - 1, 1 << b])
            .chain([u64::MAX])
        {
            let mut out = Writer::default();
            out.number(n);
            let mut from = Reader::new(&out.0);
            assert_eq!(from.number(), Ok(n));
            assert_eq!(from.end(), Ok(()));
        }
        assert!(Reader::new(&[0xff; 9]).number().is_err());
        assert!(Reader::new(&[0xff; 10]).number().is_err());
        assert!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2])
                .number()
                .is_err()
        );
    }

    #[test]
    fn short_bytes_are_refused() {
        let mut out = Writer::default();
        out.text("a path");
        assert_eq!(Reader::new(&out.0).text(), Ok("a path"));
        for cut in 0..out.0.len() {
            assert!(Reader::new(&out.0[..cut]).text().is_err());
        }
        assert!(Reader::new(&[1, 0xff]).text().is_err());
    }
}

//! Numbers as LEB128: seven bits a byte, the lowest first, the highest bit set on all but the last.

/// Appends `n`.
pub(crate) fn write(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes a number from the front of `bytes`; none if there is no whole one, or a longer one than
/// needed, so that each number has one encoding.
#[inline]
pub(crate) fn read(bytes: &mut &[u8]) -> Option<usize> {
    // Most numbers have one byte.
    match **bytes {
        [byte @ 0..0x80, ref rest @ ..] => {
            *bytes = rest;
            Some(usize::from(byte))
        }
        _ => read_long(bytes),
    }
}

fn read_long(bytes: &mut &[u8]) -> Option<usize> {
    let mut n = 0usize;
    for (i, &byte) in bytes.iter().enumerate() {
        let bits = usize::from(byte & 0x7f);
        let shifted = bits.checked_shl(7 * i as u32)?;
        if shifted >> (7 * i) != bits {
            return None;
        }
        n |= shifted;
        if byte < 0x80 {
            *bytes = &bytes[i + 1..];
            return (byte > 0).then_some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for n in (0..300).chain([0x3fff, 0x4000, usize::MAX - 1, usize::MAX]) {
            let mut bytes = Vec::new();
            write(&mut bytes, n);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest), Some(n));
            assert_eq!(rest, [7]);
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let too_long = [0xff; 9];
        for bytes in [
            &[][..],
            &[0x80],
            &[0x80, 0],
            &[0xff, 0x80, 0],
            &[&too_long[..], &[2]].concat(),
            &[&too_long[..], &[0x81, 1]].concat(),
        ] {
            assert_eq!(read(&mut &bytes[..]), None, "{bytes:?}");
        }
    }
}

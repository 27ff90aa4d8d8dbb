//! `Range: bytes=…` (RFC 9110, section 14).

/// Which bytes of a content to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All: there is no range, or it is none that is known.
    All,
    /// These, each `start..end`, within the content.
    Parts(Vec<std::ops::Range<u64>>),
    /// None of the ranges touches the content: 416.
    Nothing,
}

/// More ranges than this, or ranges that together are longer than the content, are an attack or a
/// mistake: they get the whole.
const MAX_PARTS: usize = 32;

/// Reads the header's text for a content of `size` bytes.
pub fn select(text: &str, size: u64) -> Selection {
    let Some(list) = text.trim().strip_prefix("bytes=") else {
        return Selection::All;
    };
    let mut parts = Vec::new();
    for text in list
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let Some(part) = part(text, size) else {
            return Selection::All;
        };
        parts.extend(part.filter(|part| part.start < part.end));
        if parts.len() > MAX_PARTS {
            return Selection::All;
        }
    }
    let sum: u64 = parts.iter().map(|part| part.end - part.start).sum();
    match parts.len() {
        0 => Selection::Nothing,
        1 => Selection::Parts(parts),
        _ if sum > size => Selection::All,
        _ => Selection::Parts(parts),
    }
}

/// None if the text is no range; an inner none if it begins behind the end.
fn part(text: &str, size: u64) -> Option<Option<std::ops::Range<u64>>> {
    let (first, last) = text.split_once('-')?;
    if first.is_empty() {
        let suffix: u64 = last.parse().ok()?;
        return Some(Some(size.saturating_sub(suffix)..size));
    }
    let first: u64 = first.parse().ok()?;
    let last = if last.is_empty() {
        u64::MAX
    } else {
        last.parse().ok()?
    };
    if last < first {
        return None;
    }
    Some((first < size).then(|| first..last.saturating_add(1).min(size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_content() {
        let one = |range| Selection::Parts(vec![range]);
        for (text, expected) in [
            ("bytes=0-0", one(0..1)),
            ("bytes=2-", one(2..10)),
            ("bytes=-3", one(7..10)),
            ("bytes=-30", one(0..10)),
            ("bytes=8-99", one(8..10)),
            ("bytes=0-1, 4-5", Selection::Parts(vec![0..2, 4..6])),
            ("bytes=10-", Selection::Nothing),
            ("bytes=-0", Selection::Nothing),
            ("bytes=5-2", Selection::All),
            ("bytes=a-b", Selection::All),
            ("bytes=0-,0-", Selection::All),
            ("lines=1-2", Selection::All),
            ("bytes=0-18446744073709551615", one(0..10)),
        ] {
            assert_eq!(select(text, 10), expected, "{text}");
        }
        assert_eq!(select("bytes=0-", 0), Selection::Nothing);
    }
}

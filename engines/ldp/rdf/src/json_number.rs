//! Numbers of JSON-LD that oxjsonld reads as another type.

/// Whether JSON-LD has a whole number for the text, an `xsd:integer`, where oxjsonld has an `xsd:double`:
/// one of 21 digits. (JSON-LD 1.1 API, section 8.2.2: whole numbers below 10^21 are integers.)
pub(crate) fn is_misread(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let Ok(exponent) = exponent.parse::<i64>() else {
        return false;
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole.bytes().chain(part.bytes()).collect();
    let is_set = |digit: &u8| *digit != b'0';
    let (Some(first), Some(last)) = (
        digits.iter().position(is_set),
        digits.iter().rposition(is_set),
    ) else {
        return false;
    };
    // How many digits stand before the point, and how many count.
    let before = exponent.saturating_add(whole.len() as i64 - first as i64);
    before == 21 && last - first < 21
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_21_digits_are_misread() {
        for text in [
            "100000000000000000000",
            "-100000000000000000000",
            "999999999999999999999",
            "123456789012345678901.0",
            "1e20",
            "1.5E+20",
            "0.001e23",
            "10e19",
        ] {
            assert!(is_misread(text), "{text}");
        }
        for text in [
            "0",
            "-0.0",
            "0e20",
            "1",
            "99999999999999999999",
            "1e19",
            "1000000000000000000000",
            "1e21",
            "123456789012345678901.5",
            "1.5",
            "1e-20",
            "1e99999999999999999999",
        ] {
            assert!(!is_misread(text), "{text}");
        }
    }
}

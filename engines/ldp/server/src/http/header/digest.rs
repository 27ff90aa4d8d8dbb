//! Digests of a content: `Digest` and `Want-Digest` (RFC 3230), `Repr-Digest` and
//! `Want-Repr-Digest` (RFC 9530).

use super::list::elements;
use crate::http::problem::Problem;
use axum::http::{HeaderMap, HeaderName};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::digest::DynDigest;

/// The algorithms that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// `md5`
    Md5,
    /// `sha` (RFC 3230), also sent as `sha1` and `sha-1`.
    Sha1,
    /// `sha-256`
    Sha256,
    /// `sha-512`
    Sha512,
}

impl Algorithm {
    /// By any name that clients use, in any case.
    pub fn named(name: &str) -> Option<Algorithm> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "md5" => Algorithm::Md5,
            "sha" | "sha1" | "sha-1" => Algorithm::Sha1,
            "sha256" | "sha-256" => Algorithm::Sha256,
            "sha512" | "sha-512" => Algorithm::Sha512,
            _ => return None,
        })
    }

    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Sha1 => "sha",
            Algorithm::Sha256 => "sha-256",
            Algorithm::Sha512 => "sha-512",
        }
    }

    /// A hash to feed.
    pub fn hasher(self) -> Box<dyn DynDigest + Send> {
        match self {
            Algorithm::Md5 => Box::<md5::Md5>::default(),
            Algorithm::Sha1 => Box::<sha1::Sha1>::default(),
            Algorithm::Sha256 => Box::<sha2::Sha256>::default(),
            Algorithm::Sha512 => Box::<sha2::Sha512>::default(),
        }
    }
}

/// What the client says the hash of its body is.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// By which algorithm.
    pub algorithm: Algorithm,
    /// The value.
    pub value: Vec<u8>,
}

/// The claims of a request, one an algorithm at most: a head has room for thousands, and each would be
/// a hash of the whole body. Names that are not known are refused, as what cannot be checked must not
/// look checked.
pub fn claims(headers: &HeaderMap) -> Result<Vec<Claim>, Problem> {
    let old = elements(headers, HeaderName::from_static("digest"));
    let new = elements(headers, HeaderName::from_static("repr-digest"));
    let mut claims: Vec<Claim> = Vec::new();
    for element in old.chain(new) {
        let claim = claim(element)?;
        match claims.iter().find(|c| c.algorithm == claim.algorithm) {
            None => claims.push(claim),
            Some(first) if first.value == claim.value => {}
            Some(_) => {
                return Err(Problem::bad_request(format!(
                    "the digest {element:?} is the second value of its algorithm"
                )));
            }
        }
    }
    Ok(claims)
}

fn claim(element: &str) -> Result<Claim, Problem> {
    let (name, value) = element.split_once('=').ok_or_else(|| {
        Problem::bad_request(format!("the digest {element:?} is not algorithm=value"))
    })?;
    let algorithm = Algorithm::named(name).ok_or_else(|| {
        Problem::bad_request(format!(
            "the digest algorithm {name:?} is not known; expected md5, sha, sha-256 or sha-512"
        ))
    })?;
    let length = algorithm.hasher().output_size();
    let value = value.trim();
    // RFC 9530 puts the base64 between colons.
    let value = value
        .strip_prefix(':')
        .and_then(|v| v.strip_suffix(':'))
        .unwrap_or(value);
    let bytes = if value.len() == length * 2 {
        hex(value)
    } else {
        STANDARD.decode(value).ok()
    };
    match bytes {
        Some(value) if value.len() == length => Ok(Claim { algorithm, value }),
        _ => Err(Problem::bad_request(format!(
            "the digest {element:?} is no base64 or hexadecimal of {length} bytes"
        ))),
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text
        .chars()
        .map(|c| c.to_digit(16))
        .collect::<Option<Vec<u32>>>()?;
    Some(
        digits
            .chunks(2)
            .map(|pair| (pair[0] * 16 + pair[1]) as u8)
            .collect(),
    )
}

/// The algorithms that the client wants in the answer: of `Want-Digest`, and of `Want-Repr-Digest`.
pub fn wanted(headers: &HeaderMap) -> (Option<Algorithm>, Option<Algorithm>) {
    let first = |header| {
        elements(headers, HeaderName::from_static(header)).find_map(|element| {
            Algorithm::named(element.split([';', '=']).next().unwrap_or_default())
        })
    };
    (first("want-digest"), first("want-repr-digest"))
}

/// `sha-256=…` for `Digest`.
pub fn old_style(algorithm: Algorithm, value: &[u8]) -> String {
    format!("{}={}", algorithm.name(), STANDARD.encode(value))
}

/// `sha-256=:…:` for `Repr-Digest`.
pub fn new_style(algorithm: Algorithm, value: &[u8]) -> String {
    format!("{}=:{}:", algorithm.name(), STANDARD.encode(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_in_three_spellings() {
        let hello = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("digest", text.parse().unwrap());
            claims(&headers).map_err(|p| p.detail)
        };
        let mut hash = Algorithm::Sha1.hasher();
        hash.update(b"hello");
        let expected = Ok(vec![Claim {
            algorithm: Algorithm::Sha1,
            value: hash.finalize().to_vec(),
        }]);
        assert_eq!(
            hello("sha=aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"),
            expected
        );
        assert_eq!(hello("SHA=qvTGHdzF6KLavt4PO0gs2a6pQ00="), expected);
        assert_eq!(hello("sha1=:qvTGHdzF6KLavt4PO0gs2a6pQ00=:"), expected);
        assert!(hello("sha=aaf4").is_err() && hello("crc=1").is_err() && hello("sha").is_err());
        let one = "sha=aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d, ";
        assert_eq!(hello(&one.repeat(1000)), expected);
        let another = hello(&format!("{one}sha={}", "0".repeat(40)));
        assert!(another.is_err_and(|why| why.contains("the second value")));
    }
}

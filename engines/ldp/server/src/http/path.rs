//! From the path of a request to the resource it names.

use super::problem::Problem;
use axum::http::StatusCode;
use percent_encoding::percent_decode_str;

/// Paths longer than this are answered by 414.
pub const MAX_PATH: usize = 4096;

/// What a path below the root of the repository names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// `/` or `/a/b`, decoded.
    pub uid: String,
    /// Which side of the resource.
    pub aspect: Aspect,
}

/// The resource itself or something that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The resource.
    Itself,
    /// `fcr:metadata`: the description of a binary.
    Metadata,
    /// `fcr:content`: the bytes of a binary.
    Content,
    /// `fcr:versions`: the list of versions.
    Versions,
    /// `fcr:versions/NAME`: one version, by label or time.
    Version(String),
    /// `fcr:tombstone`
    Tombstone,
    /// `fcr:fixity`
    Fixity,
    /// `fcr:events`: changes of the resource and of all below it.
    Events,
    /// `fcr:tx`, of the root only.
    Transactions,
    /// `fcr:tx/ID`
    Transaction(String),
}

/// Reads `path`, which begins behind the prefix of the repository: empty, or with a slash.
pub fn parse(path: &str) -> Result<Target, Problem> {
    if path.len() > MAX_PATH {
        return Err(Problem::new(
            StatusCode::URI_TOO_LONG,
            format!(
                "the path has {} bytes, at most {MAX_PATH} are taken",
                path.len()
            ),
        ));
    }
    let mut uid = String::with_capacity(path.len());
    let mut segments = path.strip_suffix('/').unwrap_or(path).split('/').skip(1);
    while let Some(raw) = segments.next() {
        let segment = decode(raw)?;
        if let Some(name) = segment.strip_prefix("fcr:") {
            let argument = segments.next().map(decode).transpose()?;
            if segments.next().is_some() {
                return Err(bad(format!("nothing can stand below fcr:{name}")));
            }
            let aspect = aspect(name, argument, uid.is_empty())?;
            return Ok(Target {
                uid: or_root(uid),
                aspect,
            });
        }
        uid.push('/');
        uid.push_str(&segment);
    }
    Ok(Target {
        uid: or_root(uid),
        aspect: Aspect::Itself,
    })
}

fn aspect(name: &str, argument: Option<String>, of_root: bool) -> Result<Aspect, Problem> {
    Ok(match (name, argument) {
        ("metadata", None) => Aspect::Metadata,
        ("content", None) => Aspect::Content,
        ("versions", None) => Aspect::Versions,
        ("versions", Some(version)) => Aspect::Version(version),
        ("tombstone", None) => Aspect::Tombstone,
        ("fixity", None) => Aspect::Fixity,
        ("events", None) => Aspect::Events,
        ("tx", None) if of_root => Aspect::Transactions,
        ("tx", Some(id)) if of_root => Aspect::Transaction(id),
        _ => {
            return Err(bad(format!(
                "fcr:{name} is no part of a resource here; names that begin with fcr: are kept \
                 for metadata, content, versions, tombstone, fixity, events and, of the root, tx"
            )));
        }
    })
}

/// One segment, decoded and checked.
fn decode(raw: &str) -> Result<String, Problem> {
    if raw.is_empty() {
        return Err(bad("the path has an empty segment".into()));
    }
    let bytes = raw.as_bytes();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%') {
        let digits = bytes.get(at + 1..at + 3).unwrap_or_default();
        if digits.len() != 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(bad(format!(
                "the segment {raw:?} has a % without two hexadecimal digits behind it"
            )));
        }
    }
    let text = percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| bad(format!("the segment {raw:?} is not UTF-8")))?;
    if text == "." || text == ".." {
        return Err(bad(format!("the path has the segment {text:?}")));
    }
    if let Some(found) = text.chars().find(|c| c.is_control() || *c == '/') {
        return Err(bad(format!(
            "the segment {raw:?} has the character {found:?}"
        )));
    }
    Ok(text.into_owned())
}

fn or_root(uid: String) -> String {
    if uid.is_empty() { "/".into() } else { uid }
}

fn bad(detail: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_resources() {
        for (path, uid, aspect) in [
            ("", "/", Aspect::Itself),
            ("/", "/", Aspect::Itself),
            ("/a/b", "/a/b", Aspect::Itself),
            ("/a/b/", "/a/b", Aspect::Itself),
            ("/%C3%A9%20x", "/é x", Aspect::Itself),
            ("/a/fcr:metadata", "/a", Aspect::Metadata),
            ("/a/fcr%3Atombstone/", "/a", Aspect::Tombstone),
            ("/fcr:events", "/", Aspect::Events),
            ("/a/fcr:events", "/a", Aspect::Events),
            ("/fcr:tx", "/", Aspect::Transactions),
            ("/fcr:tx/7", "/", Aspect::Transaction("7".into())),
            ("/a/fcr:versions/v1", "/a", Aspect::Version("v1".into())),
        ] {
            let target = Target {
                uid: uid.into(),
                aspect,
            };
            assert_eq!(parse(path).map_err(|p| p.detail), Ok(target), "{path}");
        }
    }

    #[test]
    fn bad_paths_are_refused() {
        for path in [
            "//",
            "/a//b",
            "/a/./b",
            "/..",
            "/%2e%2e",
            "/a%",
            "/a%4",
            "/a%zz",
            "/a%00",
            "/a%FF",
            "/a%2Fb",
            "/fcr:other",
            "/a/fcr:tx",
            "/a/fcr:metadata/b",
            "/a/fcr:versions/1/2",
        ] {
            assert_eq!(
                parse(path).unwrap_err().status,
                StatusCode::BAD_REQUEST,
                "{path}"
            );
        }
        let long = format!("/{}", "a".repeat(MAX_PATH));
        assert_eq!(parse(&long).unwrap_err().status, StatusCode::URI_TOO_LONG);
    }
}

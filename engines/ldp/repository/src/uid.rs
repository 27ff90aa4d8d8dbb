//! Paths of resources.

use crate::Error;

/// The longest path, in bytes.
pub const MAX_UID: usize = 4096;
/// The longest segment of a path, in bytes: it is a part of a key of the index.
pub const MAX_SEGMENT: usize = 255;

/// Whether a resource can have this path. It begins with a slash; its segments are not empty, nor
/// `.`, `..` or `fcr:…`; it holds no control characters; it has at most [`MAX_UID`] bytes, and a
/// segment at most [`MAX_SEGMENT`]. The root is `/`; other paths do not end in a slash.
pub fn check_uid(uid: &str) -> Result<(), Error> {
    let refuse = |why: String, too_long| {
        let uid = uid.chars().take(200).collect();
        Err(Error::Path { uid, why, too_long })
    };
    if uid.len() > MAX_UID {
        return refuse(
            format!("it has {} bytes, more than {MAX_UID}", uid.len()),
            true,
        );
    }
    let Some(rest) = uid.strip_prefix('/') else {
        return refuse("it does not begin with a slash".into(), false);
    };
    if rest.is_empty() {
        return Ok(());
    }
    for segment in rest.split('/') {
        if segment.len() > MAX_SEGMENT {
            let why = format!(
                "a segment has {} bytes, more than {MAX_SEGMENT}",
                segment.len()
            );
            return refuse(why, true);
        }
        if let Some(why) = fault(segment) {
            return refuse(why.into(), false);
        }
    }
    Ok(())
}

/// Why a path cannot have this segment, if it cannot.
fn fault(segment: &str) -> Option<&'static str> {
    match segment {
        "" => Some("it has an empty segment"),
        "." | ".." => Some("it has a segment of dots"),
        _ if segment.starts_with("fcr:") => Some("names that begin with fcr: are the server's"),
        _ if segment.chars().any(char::is_control) => Some("it has a control character"),
        _ => None,
    }
}

/// The path of the container that a resource lies in; none for the root.
pub(crate) fn parent_of(uid: &str) -> Option<&str> {
    match uid.rfind('/')? {
        _ if uid == "/" => None,
        0 => Some("/"),
        at => Some(&uid[..at]),
    }
}

/// The paths above a resource, from its container to the root.
pub(crate) fn ancestors_of(uid: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent_of(uid), |uid| parent_of(uid))
}

/// The path of a child.
pub(crate) fn join(parent: &str, segment: &str) -> String {
    let parent = if parent == "/" { "" } else { parent };
    [parent, "/", segment].concat()
}

/// The segment that a slug asks for: what a path cannot hold or a URL would escape to no use
/// becomes `-`. None if nothing is left to name a resource by.
pub fn segment_of_slug(slug: &str) -> Option<String> {
    let mut segment: String = slug
        .trim()
        .chars()
        .map(|c| match c {
            '/' | '\\' | '?' | '#' | '%' => '-',
            c if c.is_whitespace() || c.is_control() => '-',
            c => c,
        })
        .collect();
    while segment.len() > MAX_SEGMENT {
        segment.pop();
    }
    fault(&segment).is_none().then_some(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_checked() {
        for uid in ["/", "/a", "/a/b.c", "/ä b/…", "/a/.b"] {
            assert!(check_uid(uid).is_ok(), "{uid}");
        }
        let long = "/abc".repeat(1025);
        for uid in [
            "",
            "a",
            "//",
            "/a/",
            "/a//b",
            "/.",
            "/a/..",
            "/a\0",
            "/fcr:tx",
            "/a/fcr:x/b",
        ] {
            assert!(
                matches!(
                    check_uid(uid),
                    Err(Error::Path {
                        too_long: false,
                        ..
                    })
                ),
                "{uid}"
            );
        }
        for uid in [long.as_str(), &["/", &"x".repeat(256)].concat()] {
            assert!(matches!(
                check_uid(uid),
                Err(Error::Path { too_long: true, .. })
            ));
        }
    }

    #[test]
    fn ancestors_end_at_the_root() {
        assert_eq!(
            ancestors_of("/a/b/c").collect::<Vec<_>>(),
            ["/a/b", "/a", "/"]
        );
        assert_eq!(ancestors_of("/").count(), 0);
        assert_eq!([join("/", "a"), join("/a", "b")], ["/a", "/a/b"]);
    }

    #[test]
    fn slugs_become_segments() {
        assert_eq!(segment_of_slug(" a b/c?d#e%20 ").unwrap(), "a-b-c-d-e-20");
        assert_eq!(segment_of_slug("Grüße").unwrap(), "Grüße");
        assert_eq!(segment_of_slug(&"ü".repeat(300)).unwrap().len(), 254);
        for slug in ["", "  ", "..", "fcr:tombstone"] {
            assert_eq!(segment_of_slug(slug), None);
        }
    }
}

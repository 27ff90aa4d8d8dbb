//! The IRIs of the children of a container.

use ldp_rdf::{NamedNodeRef, iri_of};

/// Makes the IRIs of the children of one container of their path segments, all in one buffer.
#[derive(Clone, Debug, Default)]
pub struct ChildIris {
    /// The IRI of the container and a slash, and the segment of the last child.
    iri: String,
    prefix: usize,
}

impl ChildIris {
    /// Those of the container at `uid`.
    pub fn new(uid: &str) -> ChildIris {
        let mut iri = iri_of(uid);
        if !iri.ends_with('/') {
            iri.push('/');
        }
        let prefix = iri.len();
        ChildIris { iri, prefix }
    }

    /// That of the child of this segment, escaped as in [`iri_of`].
    pub fn of(&mut self, segment: &str) -> NamedNodeRef<'_> {
        self.iri.truncate(self.prefix);
        // No branch, so that a compiler can look at many bytes at a time.
        if segment.bytes().fold(true, |all, byte| all & is_plain(byte)) {
            self.iri.push_str(segment);
        } else {
            let path = iri_of(&["/", segment].concat());
            let escaped = path.rsplit('/').next().unwrap_or_default();
            self.iri.push_str(escaped);
        }
        NamedNodeRef::new_unchecked(&self.iri)
    }
}

/// Whether no path of an IRI escapes the byte. There are others.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() | (byte == b'-') | (byte == b'.') | (byte == b'_') | (byte == b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iris_are_those_of_the_paths() {
        for container in ["/", "/a b", "/ä"] {
            let mut iris = ChildIris::new(container);
            for segment in ["c", "d e", "ü%", "f:g", "-._~"] {
                let path = [container.trim_end_matches('/'), segment].join("/");
                assert_eq!(iris.of(segment).as_str(), iri_of(&path));
            }
        }
    }
}

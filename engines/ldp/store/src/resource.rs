//! The record of a resource, and its bytes.

use crate::codec::{Reader, Result, Writer};

/// The number of a resource: from 0 (the root), below 2^48, never given twice.
pub type Rid = u64;
/// Microseconds since 1970 in UTC.
pub type Time = u64;

/// What a resource is to LDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// `ldp:RDFSource` that contains nothing.
    RdfSource,
    /// `ldp:BasicContainer`
    BasicContainer,
    /// `ldp:DirectContainer`
    DirectContainer,
    /// `ldp:IndirectContainer`
    IndirectContainer,
    /// `ldp:NonRDFSource`; its graph is its description.
    Binary,
}

/// Whether a resource is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// There.
    Live,
    /// Deleted; it left a tombstone of its own.
    Tombstone,
    /// Deleted together with the ancestor of this number, whose tombstone stands for it.
    Gone(Rid),
}

/// The record of a resource, all but its graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its number.
    pub rid: Rid,
    /// Its path: `/` is the root, else `/a/b`, without percent encoding and without a slash at the end.
    pub uid: String,
    /// The container that it is in; none for the root.
    pub parent: Option<Rid>,
    /// What it is.
    pub model: Model,
    /// Whether it is there.
    pub state: State,
    /// When it was made.
    pub created: Time,
    /// When it last changed, its containment included.
    pub modified: Time,
    /// Grows by 1 with each change of anything that a representation of it shows.
    pub revision: u64,
    /// The content of a binary.
    pub content: Option<Content>,
}

/// The content of a binary; the bytes lie in a file named by their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// How many bytes.
    pub size: u64,
    /// As the client named it.
    pub media_type: String,
    /// From Content-Disposition.
    pub filename: Option<String>,
}

/// A record as a scan lends it: [`Resource`] without allocations, less the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceRef<'a> {
    /// As in [`Resource`].
    pub rid: Rid,
    /// As in [`Resource`].
    pub uid: &'a str,
    /// As in [`Resource`].
    pub parent: Option<Rid>,
    /// As in [`Resource`].
    pub model: Model,
    /// As in [`Resource`].
    pub state: State,
    /// As in [`Resource`].
    pub created: Time,
    /// As in [`Resource`].
    pub modified: Time,
    /// As in [`Resource`].
    pub revision: u64,
}

const HAS_PARENT: u8 = 1;
const HAS_CONTENT: u8 = 2;
const HAS_FILENAME: u8 = 4;

impl Resource {
    /// Whether it is there and contained by its parent: such a resource is listed.
    pub(crate) fn link(&self) -> Option<(Rid, &str)> {
        match (self.state, self.parent) {
            (State::Live, Some(parent)) => Some((parent, segment(&self.uid))),
            _ => None,
        }
    }

    /// Writes all but the number, which is the key.
    pub(crate) fn encode(&self, out: &mut Writer) {
        out.byte(self.model as u8);
        let (state, top) = match self.state {
            State::Live => (0, None),
            State::Tombstone => (1, None),
            State::Gone(top) => (2, Some(top)),
        };
        out.byte(state);
        let filename = self.content.as_ref().and_then(|c| c.filename.as_ref());
        out.byte(
            if self.parent.is_some() { HAS_PARENT } else { 0 }
                | if self.content.is_some() {
                    HAS_CONTENT
                } else {
                    0
                }
                | if filename.is_some() { HAS_FILENAME } else { 0 },
        );
        self.parent
            .into_iter()
            .chain(top)
            .for_each(|n| out.number(n));
        out.number(self.created);
        out.number(self.modified);
        out.number(self.revision);
        out.text(&self.uid);
        if let Some(content) = &self.content {
            out.raw(&content.sha256);
            out.number(content.size);
            out.text(&content.media_type);
        }
        filename.into_iter().for_each(|name| out.text(name));
    }

    /// Reads what [`Resource::encode`] wrote.
    pub(crate) fn decode(rid: Rid, from: &mut Reader) -> Result<Resource> {
        let (flags, head) = ResourceRef::decode_flagged(rid, from)?;
        let content = if flags & HAS_CONTENT == 0 {
            None
        } else {
            Some(Content {
                sha256: from.array()?,
                size: from.number()?,
                media_type: from.text()?.to_owned(),
                filename: (flags & HAS_FILENAME != 0)
                    .then(|| from.text().map(str::to_owned))
                    .transpose()?,
            })
        };
        Ok(Resource {
            content,
            ..head.into()
        })
    }
}

impl<'a> ResourceRef<'a> {
    /// Reads the beginning of what [`Resource::encode`] wrote.
    pub(crate) fn decode(rid: Rid, bytes: &'a [u8]) -> Result<ResourceRef<'a>> {
        Ok(Self::decode_flagged(rid, &mut Reader::new(bytes))?.1)
    }

    fn decode_flagged(rid: Rid, from: &mut Reader<'a>) -> Result<(u8, ResourceRef<'a>)> {
        let model = match from.byte()? {
            0 => Model::RdfSource,
            1 => Model::BasicContainer,
            2 => Model::DirectContainer,
            3 => Model::IndirectContainer,
            4 => Model::Binary,
            other => return Err(format!("the model {other}, expected 0 to 4")),
        };
        let state = from.byte()?;
        let flags = from.byte()?;
        let parent = (flags & HAS_PARENT != 0)
            .then(|| from.number())
            .transpose()?;
        let state = match state {
            0 => State::Live,
            1 => State::Tombstone,
            2 => State::Gone(from.number()?),
            other => return Err(format!("the state {other}, expected 0 to 2")),
        };
        let (created, modified, revision) = (from.number()?, from.number()?, from.number()?);
        let uid = from.text()?;
        Ok((
            flags,
            ResourceRef {
                rid,
                uid,
                parent,
                model,
                state,
                created,
                modified,
                revision,
            },
        ))
    }
}

impl<'a> From<&'a Resource> for ResourceRef<'a> {
    fn from(r: &'a Resource) -> Self {
        ResourceRef {
            rid: r.rid,
            uid: &r.uid,
            parent: r.parent,
            model: r.model,
            state: r.state,
            created: r.created,
            modified: r.modified,
            revision: r.revision,
        }
    }
}

/// Without the content.
impl From<ResourceRef<'_>> for Resource {
    fn from(r: ResourceRef) -> Self {
        Resource {
            rid: r.rid,
            uid: r.uid.to_owned(),
            parent: r.parent,
            model: r.model,
            state: r.state,
            created: r.created,
            modified: r.modified,
            revision: r.revision,
            content: None,
        }
    }
}

/// Whether an encoded record is of a resource that is there: its second byte.
pub(crate) fn is_live(record: &[u8]) -> bool {
    record.get(1) == Some(&0)
}

/// What follows the last slash of a path.
pub(crate) fn segment(uid: &str) -> &str {
    uid.rsplit_once('/').map_or(uid, |(_, last)| last)
}

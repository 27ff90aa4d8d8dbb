//! The lines of `resources.jsonl`, and the manifest.

use ldp_store::{Content, Model, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub(super) const FORMAT: u32 = 1;

/// What an export holds.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format: 1.
    pub format: u32,
    /// How many records, deleted resources among them.
    pub resources: u64,
    /// How many versions.
    pub versions: u64,
    /// How many triples, those of deleted resources and of versions among them.
    pub triples: u64,
    /// How many contents of binaries.
    pub contents: u64,
    /// Whether a graph may speak of subjects beside its resource.
    pub foreign_subjects: bool,
    /// The SHA-256 of each text file.
    pub sha256: BTreeMap<String, String>,
}

/// One line: a resource and its versions.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    pub uid: String,
    /// Missing if the resource is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Deleted>,
    pub now: Fields,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<VersionRecord>,
}

/// How a resource was deleted.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Deleted {
    /// It left a tombstone.
    Tombstone,
    /// Together with the resource at this path.
    With(String),
}

/// What a version keeps of a record as well.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    #[serde(with = "ModelName")]
    pub model: Model,
    /// Microseconds since 1970, as all times here.
    pub created: Time,
    pub modified: Time,
    pub revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentFields>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VersionRecord {
    pub at: Time,
    pub label: String,
    pub then: Fields,
}

/// The content of a binary; the hash in hexadecimal.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContentFields {
    pub sha256: String,
    pub size: u64,
    pub media_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Model", rename_all = "kebab-case")]
enum ModelName {
    RdfSource,
    BasicContainer,
    DirectContainer,
    IndirectContainer,
    Binary,
}

impl From<&ldp_store::Resource> for Fields {
    fn from(resource: &ldp_store::Resource) -> Fields {
        Fields {
            model: resource.model,
            created: resource.created,
            modified: resource.modified,
            revision: resource.revision,
            content: resource.content.as_ref().map(|content| ContentFields {
                sha256: hex(&content.sha256),
                size: content.size,
                media_type: content.media_type.clone(),
                filename: content.filename.clone(),
            }),
        }
    }
}

impl ContentFields {
    /// The content, unless the hash is none.
    pub fn content(&self) -> Option<Content> {
        Some(Content {
            sha256: unhex(&self.sha256)?,
            size: self.size,
            media_type: self.media_type.clone(),
            filename: self.filename.clone(),
        })
    }
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

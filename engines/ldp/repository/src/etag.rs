//! Entity tags, and the conditions that name them.

use crate::managed::hex;
use crate::{Conditions, Error, Match, Preferences, View};
use ldp_rdf::Format;
use ldp_store::{Content, Resource};
use sha2::{Digest, Sha256};

/// Which representation of a resource an entity tag names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Its triples (a binary's: its description) in a syntax.
    Rdf(Format, Preferences),
    /// Its triples as HTML.
    Html(Preferences),
    /// The bytes of a binary.
    Content,
}

impl View {
    /// The entity tag of a representation, with its quotes. It is strong: equal tags mean equal
    /// triples, and the tag stays while they do. Inbound references and embedded children are the
    /// exception: such a tag changes with any change of the repository.
    ///
    /// Before the hyphen stands the state, behind it the representation.
    pub fn etag(&self, resource: &Resource, of: Representation) -> Result<String, Error> {
        let (letter, preferences) = match of {
            Representation::Content => {
                return Ok(match &resource.content {
                    Some(content) => format!("\"{}\"", content_state(resource, content)),
                    None => format!("\"{}\"", self.state(resource)?),
                });
            }
            Representation::Rdf(Format::Turtle, preferences) => ('t', preferences),
            Representation::Rdf(Format::NTriples, preferences) => ('n', preferences),
            Representation::Rdf(Format::RdfXml, preferences) => ('x', preferences),
            Representation::Rdf(Format::JsonLd, preferences) => ('j', preferences),
            Representation::Html(preferences) => ('h', preferences),
        };
        let mut tag = format!(
            "\"{}-{letter}{:02x}",
            self.state(resource)?,
            preferences.bits()
        );
        if preferences.inbound || preferences.embedded {
            tag.push_str(&format!("-{:x}", self.snapshot().lsn()));
        }
        tag.push('"');
        Ok(tag)
    }

    /// The state of a resource's description: its own revision, and those of the containers whose
    /// membership triples it shows. Numbers and revisions of a state that was lost (rolled back, or
    /// by power loss if not synced) are given again: the time tells such states apart.
    fn state(&self, resource: &Resource) -> Result<String, Error> {
        let mut hash = Sha256::new();
        let mut add = |resource: &Resource| {
            for number in [resource.rid, resource.revision, resource.modified] {
                hash.update(number.to_be_bytes());
            }
        };
        add(resource);
        for (container, _) in self.membership_containers(resource)? {
            add(&container);
        }
        Ok(hex(&hash.finalize()[..8]))
    }

    /// Whether the conditions hold for a live resource, as [`Error::Precondition`].
    pub fn check(&self, resource: &Resource, conditions: &Conditions) -> Result<(), Error> {
        let refuse = |why: String| {
            Err(Error::Precondition {
                uid: resource.uid.clone(),
                why,
            })
        };
        if let Some(Match::Tags(tags)) = &conditions.if_match
            && !self.is_current(resource, tags, false)?
        {
            return refuse(format!(
                "none of the entity tags {} of If-Match is that of its present state, \"{}\"",
                tags.join(", "),
                self.state(resource)?
            ));
        }
        if let Some(time) = conditions.if_unmodified_since
            && conditions.if_match.is_none()
            && resource.modified / 1_000_000 > time / 1_000_000
        {
            return refuse("it changed after the time of If-Unmodified-Since".into());
        }
        match &conditions.if_none_match {
            Some(Match::Any) => refuse("it is there, against If-None-Match: *".into()),
            Some(Match::Tags(tags)) if self.is_current(resource, tags, true)? => refuse(format!(
                "its present state is one of {} of If-None-Match",
                tags.join(", ")
            )),
            _ => Ok(()),
        }
    }

    /// Whether one of the tags is of the present state, in whatever representation.
    fn is_current(&self, resource: &Resource, tags: &[String], weak: bool) -> Result<bool, Error> {
        let description = self.state(resource)?;
        let content = resource
            .content
            .as_ref()
            .map(|content| content_state(resource, content));
        Ok(tags.iter().any(|tag| {
            let tag = if weak {
                tag.strip_prefix("W/").unwrap_or(tag)
            } else {
                tag
            };
            let Some(tag) = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')) else {
                return false;
            };
            let state = tag.split('-').next().unwrap_or(tag);
            state == description || Some(state) == content.as_deref()
        }))
    }
}

/// The state of a binary's bytes.
fn content_state(resource: &Resource, content: &Content) -> String {
    let mut hash = Sha256::new();
    hash.update(b"content");
    hash.update(resource.rid.to_be_bytes());
    hash.update(content.sha256);
    hash.update(&content.media_type);
    hex(&hash.finalize()[..8])
}

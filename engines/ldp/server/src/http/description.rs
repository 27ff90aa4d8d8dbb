//! Writing the triples of a resource in the syntax that the client takes.

use super::html;
use super::problem::Problem;
use super::stream;
use axum::body::Body;
use ldp_rdf::{Format, Graph, Root, TripleRef, Writer};
use ldp_repository::vocabulary::PREFIXES;
use ldp_repository::{Preferences, Representation, View};
use ldp_store::Resource;
use std::io::Write;
use std::sync::Arc;

/// Children and triples from this number on are written while they are sent.
const LARGE: u64 = 500;

/// The media types of representations, best first.
pub const OFFERS: [&str; 5] = [
    "text/turtle",
    "application/ld+json",
    "application/n-triples",
    "application/rdf+xml",
    "text/html",
];

/// A representation of the triples of a resource.
pub struct Description {
    pub view: View,
    pub resource: Arc<Resource>,
    pub root: Root,
    /// None is HTML.
    pub format: Option<Format>,
    pub preferences: Preferences,
    /// The triples of a version, instead of those that the resource has now.
    version: Option<Graph>,
}

impl Description {
    /// A resource as it is in the view.
    pub fn new(
        view: View,
        resource: Arc<Resource>,
        root: Root,
        format: Option<Format>,
        preferences: Preferences,
    ) -> Self {
        Description {
            view,
            resource,
            root,
            format,
            preferences,
            version: None,
        }
    }

    /// A version: its record, its triples, and nothing that other resources say now.
    pub fn of_version(
        view: View,
        resource: Arc<Resource>,
        graph: Graph,
        root: Root,
        format: Option<Format>,
    ) -> Self {
        let preferences = Preferences {
            containment: false,
            membership: false,
            ..Preferences::default()
        };
        Description {
            view,
            resource,
            root,
            format,
            preferences,
            version: Some(graph),
        }
    }

    /// Gives each triple to `each`.
    pub fn triples(
        &self,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Some(graph) = &self.version else {
            return self.view.describe(&self.resource, &self.preferences, each);
        };
        for triple in self
            .view
            .server_triples(&self.resource, &self.preferences)?
        {
            each(triple.as_ref())?;
        }
        graph.triples().try_for_each(|triple| each(triple.as_ref()))
    }

    /// What an entity tag names it by.
    pub fn representation(&self) -> Representation {
        match self.format {
            Some(format) => Representation::Rdf(format, self.preferences),
            None => Representation::Html(self.preferences),
        }
    }

    /// Its media type.
    pub fn media_type(&self) -> &'static str {
        self.format
            .map_or("text/html; charset=utf-8", Format::media_type)
    }

    /// Its bytes.
    pub async fn body(self) -> Result<Body, Problem> {
        let large = self.preferences.embedded
            || self.preferences.inbound
            || self.view.children_count(self.resource.rid)? > LARGE
            || self.triples_of_users()? > LARGE;
        if large {
            return stream::body(move |sink| self.write(sink)).await;
        }
        let mut bytes = Vec::with_capacity(8 << 10);
        self.write(&mut bytes)?;
        Ok(Body::from(bytes))
    }

    fn triples_of_users(&self) -> Result<u64, Problem> {
        Ok(match &self.version {
            Some(graph) => graph.len() as u64,
            None => self.view.graph(self.resource.rid)?.len() as u64,
        })
    }

    fn write(&self, sink: &mut impl Write) -> Result<(), Problem> {
        let Some(format) = self.format else {
            return html::write(self, sink);
        };
        let mut writer = Writer::new(format, &self.root, &PREFIXES, sink);
        self.triples(&mut |triple| Ok(writer.triple(triple)?))?;
        writer.finish()?;
        Ok(())
    }
}

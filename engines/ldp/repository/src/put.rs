//! Making and replacing resources.

use crate::change::{Change, is_container};
use crate::examine::{Examined, Scope, examine};
use crate::membership::{MEMBERSHIP, has_members};
use crate::rules::{Target, check_kind, name_of, settle, touch_members};
use crate::uid::{check_uid, join, segment_of_slug};
use crate::{
    Body, Conditions, Constraint, Error, Found, Outcome, Pending, References, Repository, View,
    WriteOptions,
};
use ldp_rdf::Graph;
use ldp_store::{Model, Op, Resource};
use std::time::{Duration, Instant};
use uuid::Uuid;

impl Repository {
    /// Makes a resource in the container `parent`, named by `slug` if that is free, else by a UUID.
    pub fn create(
        &self,
        parent: &str,
        slug: Option<&str>,
        body: Body<'_>,
        options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        let transaction = options.transaction.as_deref();
        let mut wanted = slug.and_then(segment_of_slug);
        loop {
            let last = wanted.is_none();
            let segment = wanted.take().unwrap_or_else(|| Uuid::new_v4().to_string());
            let uid = join(parent, &segment);
            check_uid(&uid)?;
            let examined = examine(&uid, body.clone(), self.scope())?;
            let made = self.write(transaction, |change| {
                let container = change.view.get(parent)?;
                if !is_container(&container) {
                    let why = "it contains nothing, so nothing can be made in it".into();
                    return Err(Error::NotAllowed {
                        uid: parent.into(),
                        why,
                    });
                }
                change.view.check(&container, &options.conditions)?;
                if !last && !change.is_free(&uid)? {
                    return Ok(None);
                }
                make(self, change, &uid, examined, options).map(Some)
            })?;
            // A name that is taken is only a hint; the next one is unique.
            if let Some(made) = made.transpose() {
                return Ok(made);
            }
        }
    }

    /// Makes the resource at `uid`, with missing ancestors as basic containers, or replaces its
    /// state: a binary's bytes. For a binary, RDF is [`Error::Kind`], and bytes for other resources.
    pub fn put(
        &self,
        uid: &str,
        body: Body<'_>,
        options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        check_uid(uid)?;
        let examined = examine(uid, body, self.scope())?;
        self.write(options.transaction.as_deref(), |change| {
            place(self, change, uid, examined, options, Target::Resource)
        })
    }

    /// Replaces the triples of a resource that is there: a binary's description.
    pub fn put_description(
        &self,
        uid: &str,
        body: Body<'_>,
        options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        check_uid(uid)?;
        let examined = examine(uid, body, self.scope())?;
        self.write(options.transaction.as_deref(), |change| {
            place(self, change, uid, examined, options, Target::Description)
        })
    }

    /// Changes the triples that users wrote (a binary's: its description) by a function of them.
    /// It runs outside of the write lock, and again if another write came between. After too many of
    /// these, this is [`Error::Busy`].
    pub fn edit<E: From<Error>>(
        &self,
        uid: &str,
        options: &WriteOptions,
        mut edit: impl FnMut(&Graph) -> Result<Graph, E>,
    ) -> Result<Pending<Outcome>, E> {
        let transaction = options.transaction.as_deref();
        let target = Target::Description;
        // A quick function gets many tries, a slow one few.
        const TRIES: usize = 64;
        const PATIENCE: Duration = Duration::from_secs(10);
        let begun = Instant::now();
        for _ in 0..TRIES {
            let view = self.head(transaction)?;
            let seen = view.get(uid)?;
            let before = view.graph(seen.rid)?;
            let examined = examine(uid, Body::Graph(edit(&before)?), self.scope())?;
            let done = self.write(transaction, |change| {
                let now = change.view.get(uid)?;
                let same = now.rid == seen.rid
                    && (now.revision == seen.revision || change.view.graph(now.rid)? == before);
                if !same {
                    return Ok(None);
                }
                place(self, change, uid, examined, options, target).map(Some)
            })?;
            if let Some(done) = done.transpose() {
                return Ok(done);
            }
            if begun.elapsed() > PATIENCE {
                break;
            }
        }
        let why = format!("other writes to resource {uid} always came first");
        Err(Error::Busy { why }.into())
    }

    fn scope(&self) -> Scope {
        Scope {
            foreign_subjects: self.options.foreign_subjects,
            references: self.options.references != References::Off,
        }
    }

    /// Whether the conditions of a change of a live resource hold.
    pub(crate) fn check_change(
        &self,
        view: &View,
        resource: &Resource,
        conditions: &Conditions,
    ) -> Result<(), Error> {
        if self.options.require_if_match && conditions.if_match.is_none() {
            // A condition that fails anyway says more.
            view.check(resource, conditions)?;
            return Err(Error::PreconditionRequired {
                uid: resource.uid.clone(),
            });
        }
        view.check(resource, conditions)
    }
}

/// Makes or replaces the resource at `uid`.
fn place(
    repository: &Repository,
    change: &mut Change<'_>,
    uid: &str,
    examined: Examined,
    options: &WriteOptions,
    target: Target,
) -> Result<Outcome, Error> {
    let old = match change.view.find(uid)? {
        Found::Dead { tombstone, .. } => {
            return Err(Error::Gone {
                uid: uid.into(),
                tombstone,
            });
        }
        Found::Live(old) => old,
        Found::Missing if target == Target::Description => {
            return Err(Error::NotFound { uid: uid.into() });
        }
        Found::Missing => {
            if options.conditions.if_match.is_some() {
                let why = "nothing is there that If-Match could mean".into();
                return Err(Error::Precondition {
                    uid: uid.into(),
                    why,
                });
            }
            return make(repository, change, uid, examined, options);
        }
    };
    repository.check_change(&change.view, &old, &options.conditions)?;
    check_kind(&old, &examined, options.model, target)?;
    let mut new = change.next(&old);
    if examined.content.is_some() {
        new.content = examined.content;
        change.put(new.clone(), None);
    } else {
        let graph = settle(
            repository.options.references,
            change,
            &new,
            Some(&old),
            examined,
            options.lenient,
        )?;
        touch_members(change, &old)?;
        change.put(new.clone(), Some(graph));
    }
    Ok(Outcome {
        resource: new,
        created: false,
    })
}

/// Makes the resource at `uid`, where nothing is, and the containers above it that are missing.
fn make(
    repository: &Repository,
    change: &mut Change<'_>,
    uid: &str,
    mut examined: Examined,
    options: &WriteOptions,
) -> Result<Outcome, Error> {
    let content = examined.content.take();
    let model = match (options.model.or(examined.model), &content) {
        (Some(Model::Binary) | None, Some(_)) => Model::Binary,
        (None, None) => Model::BasicContainer,
        (Some(model), None) if model != Model::Binary => model,
        (Some(model), content) => {
            let came = if content.is_some() { "bytes" } else { "RDF" };
            return Err(Error::Constraint {
                uid: uid.into(),
                rule: Constraint::Model,
                what: format!("{came} came for {}", name_of(model)),
            });
        }
    };
    let parent = change.container_for(uid)?;
    let new = Resource {
        content,
        ..change.new_resource(parent, uid, model)
    };
    let graph = settle(
        repository.options.references,
        change,
        &new,
        None,
        examined,
        options.lenient,
    )?;
    if has_members(model) && change.view.snapshot().meta(MEMBERSHIP)?.is_none() {
        change.ops.push(Op::SetMeta(MEMBERSHIP.into(), Vec::new()));
    }
    change.put(new.clone(), Some(graph));
    Ok(Outcome {
        resource: new,
        created: true,
    })
}

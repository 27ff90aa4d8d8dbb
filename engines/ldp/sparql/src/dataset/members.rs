use super::Triple;
use super::source::Source;
use super::value::Value;
use crate::Error;
use ldp_rdf::TripleRef;
use ldp_store::Model;
use std::collections::HashMap;

/// The membership triples of all direct and indirect containers, by subject.
///
/// They are computed for the first pattern that could have one, as any predicate can be that of a
/// membership. A triple whose subject is no live resource has no graph and is left out, and so is
/// one that users wrote in the same place.
#[derive(Default)]
pub struct Members(HashMap<Value, Vec<Triple>>);

impl Members {
    pub fn read(source: &Source) -> Result<Self, Error> {
        let mut members = Self::default();
        if !source.view.has_membership_containers()? {
            return Ok(members);
        }
        let mut resources = source.view.snapshot().resources();
        let mut containers = Vec::new();
        while let Some(resource) = resources.next_ref() {
            source.go_on()?;
            let resource = resource?;
            if matches!(
                resource.model,
                Model::DirectContainer | Model::IndirectContainer
            ) {
                containers.push(resource.rid);
            }
        }
        for rid in containers {
            if let Some(container) = source.view.live(rid)? {
                source
                    .view
                    .members(&container, &mut |triple| members.add(source, triple))?;
            }
        }
        Ok(members)
    }

    fn add(&mut self, source: &Source, triple: TripleRef<'_>) -> Result<(), Error> {
        source.go_on()?;
        // Both ends of a membership are IRIs, so no resource has to be named for a blank node.
        let subject = Value::of(triple.subject.into(), 0);
        let Some(owner) = subject.as_local() else {
            return Ok(());
        };
        let Some(owner) = source.known(owner)? else {
            return Ok(());
        };
        let graph = source.graph(owner.rid)?;
        let reader = graph.reader();
        let mut same = reader.matching(
            Some(triple.subject),
            Some(triple.predicate),
            Some(triple.object),
        );
        if same.next().is_none() {
            let predicate = Value::of(triple.predicate.into(), 0);
            let triples = self.0.entry(subject.clone()).or_default();
            let triple = [subject, predicate, Value::of(triple.object, 0)];
            if !triples.contains(&triple) {
                triples.push(triple);
            }
        }
        Ok(())
    }

    /// Those of a subject.
    pub fn of(&self, subject: &Value) -> &[Triple] {
        self.0.get(subject).map_or(&[], Vec::as_slice)
    }

    /// The subjects, each with its triples.
    pub fn subjects(&self) -> impl Iterator<Item = (&Value, &[Triple])> {
        self.0
            .iter()
            .map(|(subject, triples)| (subject, triples.as_slice()))
    }
}

//! Versions: states of a resource that are kept under a label and a time.

use crate::change::Change;

use crate::managed::date_time;
use crate::references::without_dangling;
use crate::rules::touch_members;
use crate::{Error, Outcome, Pending, References, Repository, View, WriteOptions};
use ldp_store::{Op, Resource, Time, Version};
use std::collections::HashSet;
use std::sync::Arc;

/// A version without its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionInfo {
    /// When it was made, in microseconds since 1970: no two of a resource are the same.
    pub at: Time,
    /// Its label: no two of a resource are the same.
    pub label: String,
}

impl View {
    /// The versions of a resource, oldest first.
    pub fn versions(&self, resource: &Resource) -> Result<Vec<VersionInfo>, Error> {
        let versions = self.snapshot().versions(resource.rid)?;
        Ok(versions
            .into_iter()
            .map(|(at, label)| VersionInfo { at, label })
            .collect())
    }

    /// The version of a label; [`Error::NoVersion`].
    pub fn version(&self, resource: &Resource, label: &str) -> Result<Arc<Version>, Error> {
        let known = self
            .versions(resource)?
            .into_iter()
            .find(|known| known.label == label);
        self.version_of(resource, known, label)
    }

    /// The version that was the newest at a time: the last one made at or before it, or the first
    /// if all are later, as a TimeGate answers; [`Error::NoVersion`] if there is none.
    pub fn version_at(&self, resource: &Resource, time: Time) -> Result<Arc<Version>, Error> {
        let versions = self.versions(resource)?;
        let later = versions.partition_point(|known| known.at <= time);
        let known = versions.into_iter().nth(later.saturating_sub(1));
        self.version_of(resource, known, &date_time(time))
    }

    fn version_of(
        &self,
        resource: &Resource,
        known: Option<VersionInfo>,
        asked: &str,
    ) -> Result<Arc<Version>, Error> {
        let found = match known {
            Some(known) => self.snapshot().version(resource.rid, known.at)?,
            None => None,
        };
        found.ok_or_else(|| Error::NoVersion {
            uid: resource.uid.clone(),
            version: asked.into(),
        })
    }
}

impl Repository {
    /// Keeps the present state of a resource as a version. Without a label, its time is the label
    /// (`20260131T235959.123456Z`).
    pub fn create_version(
        &self,
        uid: &str,
        label: Option<&str>,
        transaction: Option<&str>,
    ) -> Result<Pending<VersionInfo>, Error> {
        self.write(transaction, |change| {
            let resource = change.view.get(uid)?;
            keep(change, &resource, label)
        })
    }

    /// Makes a version the present state; with `keep`, the state that it replaces becomes a version.
    pub fn revert_to_version(
        &self,
        uid: &str,
        label: &str,
        keep_present: bool,
        options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        self.write(options.transaction.as_deref(), |change| {
            let resource = change.view.get(uid)?;
            self.check_change(&change.view, &resource, &options.conditions)?;
            let version = change.view.version(&resource, label)?;
            if keep_present {
                keep(change, &resource, None)?;
            }
            touch_members(change, &resource)?;
            let content = version.resource.content.clone();
            let new = Resource {
                content,
                ..change.next(&resource)
            };
            let mut graph = version.graph.clone();
            if self.options.references != References::Off
                && let Some(cleaned) = without_dangling(change, &graph, &HashSet::new())?
            {
                graph = cleaned;
            }
            change.put(new.clone(), Some(graph));
            Ok(Outcome {
                resource: new,
                created: false,
            })
        })
    }

    /// Forgets a version.
    pub fn delete_version(
        &self,
        uid: &str,
        label: &str,
        transaction: Option<&str>,
    ) -> Result<Pending<()>, Error> {
        self.write(transaction, |change| {
            let resource = change.view.get(uid)?;
            let version = change.view.version(&resource, label)?;
            change.ops.push(Op::ForgetVersion(resource.rid, version.at));
            Ok(())
        })
    }
}

fn keep(
    change: &mut Change<'_>,
    resource: &Resource,
    label: Option<&str>,
) -> Result<VersionInfo, Error> {
    let versions = change.view.versions(resource)?;
    let at = versions
        .last()
        .map_or(change.now, |last| change.now.max(last.at + 1));
    let label = match label {
        Some(label) => label.into(),
        None => date_time(at).replace(['-', ':'], ""),
    };
    if versions.iter().any(|known| known.label == label) {
        return Err(Error::VersionTaken {
            uid: resource.uid.clone(),
            label,
        });
    }
    let graph = change.view.graph(resource.rid)?;
    let version = Version {
        at,
        label: label.clone(),
        resource: resource.clone(),
        graph,
    };
    change.ops.push(Op::PutVersion(resource.rid, version));
    Ok(VersionInfo { at, label })
}

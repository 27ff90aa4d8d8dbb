//! A repository of linked data by the rules of LDP 1.0, over the store.
//!
//! [`Repository`] takes writes, [`View`] reads one moment. IRIs are inside ones (`info:fcres/a`)
//! in all graphs; see `ldp_rdf` for the translation.

mod change;
mod child_iris;
mod conditions;
mod delete;
mod error;
mod etag;
mod events;
mod examine;
mod managed;
mod membership;
mod options;
mod preferences;
mod put;
mod references;
mod repository;
mod rules;
mod transactions;
pub mod transfer;
mod uid;
mod versions;
mod view;
pub mod vocabulary;
mod write;

pub use child_iris::ChildIris;
pub use conditions::{Conditions, Match};
pub use error::{Constraint, Error};
pub use etag::Representation;
pub use events::{Event, EventKind};
pub use examine::model_of_type;
pub use managed::{date_time, is_managed, managed_triples, types_of};
pub use options::{Options, References};
pub use preferences::Preferences;
pub use repository::Repository;
pub use uid::{MAX_SEGMENT, MAX_UID, check_uid, segment_of_slug};
pub use versions::VersionInfo;
pub use view::{FOREIGN_SUBJECTS, Found, View, scope_blank_nodes};
pub use write::{Body, Outcome, Pending, WriteOptions};

//! A repository of linked data by the rules of LDP 1.0, over the store.

mod conditions;
mod error;
mod preferences;
mod repository;
pub mod stand_in;
mod view;
pub mod vocabulary;
mod write;

pub use conditions::{Conditions, Match};
pub use error::{Constraint, Error};
pub use preferences::Preferences;
pub use repository::{Options, References, Repository, check_uid};
pub use view::{Found, Representation, VersionInfo, View};
pub use write::{Body, Outcome, Pending, WriteOptions};

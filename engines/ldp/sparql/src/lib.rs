//! SPARQL 1.1 over a repository.
//!
//! A query sees the repository from outside: resources have the IRIs that clients use, and what the
//! server manages is there as triples. An update, for PATCH, sees the graph of one resource only.
//! Parsing and evaluation come from spargebra and spareval; this crate gives them the data and the
//! limits.

mod blank;
mod boolean;
mod count;
mod dataset;
mod error;
mod format;
mod functions;
mod keywords;
mod limits;
mod matching;
mod memory;
mod nesting;
mod own_graph;
mod planning;
mod query;
mod replace;
mod standard;
mod term_search;
mod update;
mod walk;
mod watched;
mod xml;
mod xpath;

pub use error::Error;
pub use format::{Form, Format};
pub use limits::{Limits, Stop};
pub use matching::matching;
pub use memory::Counted;
pub use query::{Answer, Options, evaluate, query};
pub use term_search::{Condition, Operator, TermSearch, term_search};
pub use update::{apply, update};

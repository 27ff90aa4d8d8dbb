//! Everything in a repository as a folder of plain files, and back.
//!
//! | file | what |
//! | --- | --- |
//! | `manifest.json` | counts, and the SHA-256 of the other files |
//! | `resources.jsonl` | a record a line, in the order of their paths |
//! | `data.nq` | the triples of users; the name of a graph is the IRI of its resource |
//! | `history.nq` | the triples of deleted resources and of versions |
//! | `bin/ab/cd/<sha256>` | the contents of binaries |
//!
//! Numbers of resources and the time of the export are not in it, so that equal repositories give
//! equal files.

mod error;
mod export;
mod folder;
mod hashed;
mod import;
pub mod quads;
mod record;

pub use error::Error;
pub use export::export;
pub use import::import;
pub use record::Manifest;

//! HTTP of a Linked Data Platform repository, and the verbs of the command line `ldp`.

pub mod cli;
pub mod events;
pub mod http;

//! Reading the headers of a request: one module a header.

pub mod accept;
pub mod conditional;
pub mod date;
pub mod digest;
pub mod link;
pub mod list;
pub mod prefer;
pub mod range;

//! The documents of the published benchmark, for programs that measure with them.

mod document;
mod random;

pub use document::{Documents, EXTERNAL, INTERNAL, LITERALS};
pub use random::Random;

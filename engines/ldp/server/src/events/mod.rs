//! Telling others of changes: a feed of the last ones, its form, and who it is sent to.

mod activity;
mod feed;
pub mod webhook;

pub use activity::{MEDIA_TYPE, activity};
pub use feed::{Feed, Notice, Number, Reader};

//! Documents read and written in every format: what the standards say, what is wrong, what it costs.

mod allocated;
mod common;
mod format;
mod growth;
mod hostile;
mod round_trip;
mod turtle;
mod writer;

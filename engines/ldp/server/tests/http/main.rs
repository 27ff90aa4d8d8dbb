//! HTTP behaviour, a table a topic: one row is one request and what is expected of its answer.

mod admin;
mod bad_input;
mod binaries;
mod bodies;
mod conditions;
mod containers;
mod events;
mod harness;
mod process;
mod queries;
mod readme;
mod resources;
mod seeds;
mod tls;
mod transactions;
mod versions;

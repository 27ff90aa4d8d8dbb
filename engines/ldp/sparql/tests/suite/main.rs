//! Queries and updates against a plain evaluator, and the limits of what they may take.

mod common;
mod dataset;
mod limits;
mod search;
mod update;

#[global_allocator]
static ALLOCATOR: ldp_sparql::Counted = ldp_sparql::Counted;

//! The rules of the repository, and what happens between its clients.

mod common;
mod concurrent;
mod events;
mod membership;
mod model;
mod naive;
mod rules;
mod transactions;
mod transfer;

//! The command line: a module a verb, each with its `Args` and `run`.

pub mod backup;
pub mod check;
pub mod compact;
mod data;
pub mod exit;
pub mod export;
mod format;
pub mod get;
pub mod import;
pub mod load;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod memory;
pub mod query;
pub mod recover;
pub mod reindex;
pub mod serve;
pub mod stats;
mod tls;

use clap::{Parser, Subcommand};
use ldp_store::Durability;
use std::error::Error;

/// A Linked Data Platform repository.
#[derive(Parser)]
#[command(name = "ldp", version)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Serve(serve::Args),
    Load(load::Args),
    Get(get::Args),
    Query(query::Args),
    Export(export::Args),
    Import(import::Args),
    Check(check::Args),
    Stats(stats::Args),
    Compact(compact::Args),
    Reindex(reindex::Args),
    Backup(backup::Args),
    Recover(recover::Args),
}

impl Cli {
    /// Does what the command line asks; the error is one sentence for a person.
    pub fn run(self) -> Result<(), Box<dyn Error>> {
        match self.verb {
            Verb::Serve(args) => serve::run(args),
            Verb::Load(args) => load::run(args),
            Verb::Get(args) => get::run(args),
            Verb::Query(args) => query::run(args),
            Verb::Export(args) => export::run(args),
            Verb::Import(args) => import::run(args),
            Verb::Check(args) => check::run(args),
            Verb::Stats(args) => stats::run(args),
            Verb::Compact(args) => compact::run(args),
            Verb::Reindex(args) => reindex::run(args),
            Verb::Backup(args) => backup::run(args),
            Verb::Recover(args) => recover::run(args),
        }
    }
}

/// Reads `sync`, `bg=MS` or `none`.
pub fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "sync" => Ok(Durability::Sync),
        "none" => Ok(Durability::None),
        _ => text
            .strip_prefix("bg=")
            .and_then(|time| time.parse().ok())
            .map(Durability::Background)
            .ok_or_else(|| format!("expected sync, bg=MILLISECONDS or none, not {text:?}")),
    }
}

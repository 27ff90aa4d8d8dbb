//! `ldpload` measures Linked Data Platform servers with the documents of the published benchmark.
//!
//! It starts the server given after `--`, waits until it answers, does one kind of work, checks the
//! answers, stops the server, and prints JSON lines. Nothing is printed when an answer was wrong.

mod check;
mod http;
mod prepare;
mod read;
mod report;
mod rest;
mod server;
mod store;
mod system;
mod target;
mod traffic;
mod verify;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

/// Measures Linked Data Platform servers with the documents of the published benchmark.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Makes a store with so many children, unless it is there, and copies it.
    Prepare(prepare::Prepare),
    /// Creates children by PUT.
    Put(write::Window),
    /// Creates children by POST.
    Post(write::Window),
    /// Creates children by PUT from an empty store on.
    Load(write::Load),
    /// Starts on a store.
    Start(read::Start),
    /// Gets the container of all children.
    Get(read::GetParent),
    /// Asks the published SPARQL query: how many containers there are.
    Sparql(read::Sparql),
    /// Looks resources up by one of their literals, by SPARQL.
    Lookup(read::Lookup),
    /// Creates children by PUT, from several clients at once.
    Clients(traffic::Clients),
    /// Creates children by PUT at a fixed rate; latency counts from when a request was due.
    Rate(traffic::Rate),
    /// Reads and creates children in random order.
    Mixed(traffic::Mixed),
    /// Changes children by PATCH with SPARQL Update.
    Patch(rest::Patch),
    /// Deletes the container with all its children.
    DeleteTree(rest::DeleteTree),
    /// Creates binaries by PUT.
    BinaryPut(rest::Binary),
    /// Gets binaries.
    BinaryGet(rest::Binary),
    /// Checks that a server does right what is measured.
    Check(check::Check),
}

/// The server and its store.
#[derive(Args)]
struct Setting {
    /// How the server is spoken to: `system.toml`.
    #[arg(long)]
    system: PathBuf,
    /// The folder of the store.
    #[arg(long, default_value = "store")]
    store: PathBuf,
    /// The command of the server; @PORT@, @PORT2@ to @PORT9@, @DIR@ and @TMP@ are filled in.
    #[arg(last = true, required = true)]
    server: Vec<String>,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Subcommands::Prepare(command) => command.run(),
        Subcommands::Put(command) => command.run(write::Method::Put),
        Subcommands::Post(command) => command.run(write::Method::Post),
        Subcommands::Load(command) => command.run(),
        Subcommands::Start(command) => command.run(),
        Subcommands::Get(command) => command.run(),
        Subcommands::Sparql(command) => command.run(),
        Subcommands::Lookup(command) => command.run(),
        Subcommands::Clients(command) => command.run(),
        Subcommands::Rate(command) => command.run(),
        Subcommands::Mixed(command) => command.run(),
        Subcommands::Patch(command) => command.run(),
        Subcommands::DeleteTree(command) => command.run(),
        Subcommands::BinaryPut(command) => command.put(),
        Subcommands::BinaryGet(command) => command.get(),
        Subcommands::Check(command) => command.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ldpload: {error}");
            ExitCode::FAILURE
        }
    }
}

//! `ldp`: one binary, one verb a task.

use clap::Parser;
use ldp_server::cli::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ldp: {error}");
            ExitCode::FAILURE
        }
    }
}

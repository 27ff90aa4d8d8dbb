//! `ldp`: one binary, one verb a task.

use clap::Parser;
use ldp_server::cli::{Cli, exit};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: ldp_sparql::Counted = ldp_sparql::Counted;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            // What was asked for, such as the help, or what is wrong.
            let _ = told.print();
            return ExitCode::from(if told.use_stderr() { exit::USAGE } else { 0 });
        }
    };
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ldp: {error}");
            ExitCode::from(exit::code(&*error))
        }
    }
}

//! `ldpstages` measures, in one process, where the time of one PUT goes and how low it could be.
//!
//!     ldpstages put RESOURCES SEED    stages of putting the published documents, on disk each
//!     ldpstages floor PART SEED       parse, append, sync, loopback or scan: one step alone
//!     ldpstages log MEGABYTES SEED    leaves a store with so much log that is not applied yet
//!
//! It works in the current directory, where it makes the folder `store`, and prints JSON lines.

mod floor;
mod loopback;
mod put;

use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const USAGE: &str = "usage: ldpstages put RESOURCES SEED | floor PART SEED | log MEGABYTES SEED";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(metrics) => {
            for (metric, value) in metrics {
                println!("{{\"metric\": \"{metric}\", \"value\": {value}}}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ldpstages: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<Vec<(&'static str, f64)>> {
    let [command, what, seed] = arguments else {
        return Err(USAGE.into());
    };
    let seed = seed.parse()?;
    match command.as_str() {
        "put" => put::stages(what.parse()?, seed),
        "floor" => floor::measure(what, seed),
        "log" => put::leave_log(what.parse()?, seed),
        _ => Err(USAGE.into()),
    }
}

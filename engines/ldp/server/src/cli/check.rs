//! `ldp check`: whether everything in a store is as it must be.

use super::data::Data;
use super::exit::Damages;
use std::error::Error;

/// Reads everything and tells what is damaged, a line each.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
}

/// Checks.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let report = args.data.read()?.store().check()?;
    for damage in &report.damages {
        println!("{damage}");
    }
    match report.damages.len() {
        0 => {
            println!("no damage in {} resources", report.records);
            Ok(())
        }
        count => Err(Damages(count).into()),
    }
}

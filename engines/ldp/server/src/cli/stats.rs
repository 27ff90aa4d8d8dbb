//! `ldp stats`: figures of a store.

use super::data::Data;
use std::error::Error;

/// Prints counts, and sizes in bytes, as JSON.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
}

/// Prints them.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let stats = args.data.read()?.store().stats()?;
    println!("{}", serde_json::to_string_pretty(&stats)?);
    Ok(())
}

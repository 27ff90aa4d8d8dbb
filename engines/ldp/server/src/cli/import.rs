//! `ldp import`: a new store of what `ldp export` wrote.

use ldp_repository::transfer;
use std::error::Error;
use std::path::PathBuf;

/// Makes a new store of what `ldp export` wrote.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of the new store.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The folder that `ldp export` wrote.
    from: PathBuf,
}

/// Imports.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let manifest = transfer::import(&args.from, &args.data)?;
    println!(
        "{} resources, {} triples",
        manifest.resources, manifest.triples
    );
    Ok(())
}

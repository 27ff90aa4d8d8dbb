//! `ldp export`: everything as plain files.

use super::data::Data;
use ldp_repository::transfer;
use std::error::Error;
use std::path::PathBuf;

/// Writes everything as N-Quads, files and a manifest to a new folder.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
    /// The new folder.
    to: PathBuf,
}

/// Exports.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let repository = args.data.read()?;
    let store = repository.store();
    let manifest = transfer::export(store, &store.snapshot(), &args.to)?;
    println!(
        "{} resources, {} triples",
        manifest.resources, manifest.triples
    );
    Ok(())
}

//! `ldp compact`: less space for the same.

use super::data::Data;
use std::error::Error;
use std::time::Duration;

/// Gives free pages and binaries that nothing refers to back to the file system.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
}

/// Compacts.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let repository = args.data.write(false)?;
    // Nobody else writes, so no binary is waiting for its batch.
    let gained = repository.store().compact(Duration::ZERO)?;
    println!(
        "index {} -> {} bytes, {} binaries of {} bytes removed",
        gained.index_before,
        gained.index_after,
        gained.contents_removed,
        gained.content_bytes_removed
    );
    Ok(())
}

//! `ldp backup`: a copy of a store.

use super::data::Data;
use std::error::Error;
use std::path::PathBuf;

/// Copies the store to a new folder, where it can be served.
///
/// A server that runs makes a backup of its store by POST /admin/backup.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
    /// The new folder.
    to: PathBuf,
}

/// Copies.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    args.data.write(false)?.store().backup(&args.to)?;
    Ok(())
}

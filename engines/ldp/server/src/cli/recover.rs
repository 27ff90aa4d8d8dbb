//! `ldp recover`: what opening does after a crash, and nothing else.

use super::data::Data;
use ldp_store::{Options, Store};
use std::error::Error;

/// Brings what a crash left in the log into the index. Serving does the same when it starts.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
}

/// Recovers.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let options = Options {
        create: false,
        ..Options::default()
    };
    let store = Store::open(&args.data.folder, options)?;
    let stats = store.stats()?;
    store.close()?;
    println!(
        "{} batches, {} of them from the log",
        stats.lsn,
        stats.lsn - stats.checkpoint
    );
    Ok(())
}

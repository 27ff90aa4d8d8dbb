//! `ldp reindex`: the index anew.

use super::data::Data;
use std::error::Error;

/// Makes the index anew from the records and graphs.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
}

/// Makes it.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    args.data.write(false)?.store().reindex()?;
    Ok(())
}

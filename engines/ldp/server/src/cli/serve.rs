//! `ldp serve`: the repository over HTTP.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serves a repository over HTTP until SIGTERM or SIGINT.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of the store; made if it is not there.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Address to listen on; a port of 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
}

/// Runs the server.
pub fn run(_args: Args) -> Result<(), Box<dyn Error>> {
    todo!()
}

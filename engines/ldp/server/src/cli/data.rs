//! The store that a verb works on.

use ldp_repository::{Error, Options, Repository};
use std::path::PathBuf;

/// Where the store is.
#[derive(clap::Args)]
pub struct Data {
    /// Folder of the store.
    #[arg(long = "data", value_name = "DIR")]
    pub folder: PathBuf,
}

impl Data {
    /// Opens it for reading. Another process may write to it meanwhile.
    pub fn read(&self) -> Result<Repository, Error> {
        let mut options = Options::default();
        options.store.read_only = true;
        options.store.create = false;
        Repository::open(&self.folder, options)
    }

    /// Opens it for writing; with `create`, makes it if it is not there.
    pub fn write(&self, create: bool) -> Result<Repository, Error> {
        let mut options = Options::default();
        options.store.create = create;
        Repository::open(&self.folder, options)
    }
}

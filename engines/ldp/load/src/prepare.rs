//! Stores with children, which shots begin with: made once, by PUT, with the same documents.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::http::Connection;
use crate::target::Target;
use crate::verify::Format;
use crate::write::{Method, Series};
use crate::{Result, Setting, store};
use ldp_load::Documents;

/// The documents of prepared stores do not depend on the shot.
const SEED: u64 = 1;

/// Makes a store with children, unless it is there.
#[derive(Args)]
pub struct Prepare {
    #[command(flatten)]
    setting: Setting,
    /// How many.
    #[arg(long)]
    children: usize,
    /// After so many seconds without all of them, it is given up, and never tried again.
    #[arg(long, default_value_t = 3600)]
    limit_s: u64,
    /// Where to put a copy of it.
    #[arg(long)]
    copy: Option<PathBuf>,
}

impl Prepare {
    pub fn run(self) -> Result<()> {
        store::prepared(&self.setting.store, |to| {
            let target = Target::start_on(&self.setting, to)?;
            target.create_parent(&mut target.client(Connection::New))?;
            let mut series = Series::new(&target, SEED, Method::Put, Connection::Kept);
            let start = Instant::now();
            for done in 0..self.children {
                if start.elapsed().as_secs() >= self.limit_s {
                    let (all, limit) = (self.children, self.limit_s);
                    let why = format!("given up with {done} of {all} children after {limit} s");
                    store::give_up(&self.setting.store, &why)?;
                    return Err(why.into());
                }
                series.create(&target)?;
            }
            series.verify(&target)?;
            let listed = target.get_parent(&mut target.client(Connection::New), Format::Turtle)?;
            expect_children(self.children, Format::Turtle, &listed.body, &target)?;
            target.server.stop()
        })?;
        match &self.copy {
            Some(copy) => store::copy(&self.setting.store, copy),
            None => Ok(()),
        }
    }
}

/// Checks how many children a representation of the container has.
pub fn expect_children(wanted: usize, format: Format, body: &[u8], target: &Target) -> Result<()> {
    let url = target.parent();
    let found = format.children(body, &url)?;
    if found != wanted {
        return Err(format!("{url}: expected {wanted} children, found {found}").into());
    }
    Ok(())
}

/// What a prepared store holds.
pub struct Prepared {
    documents: Documents,
}

impl Prepared {
    pub fn new() -> Prepared {
        Prepared {
            documents: Documents::new(SEED),
        }
    }

    /// The URL of child `i`.
    pub fn url(&self, i: usize, target: &Target) -> String {
        target.child(&self.documents.name(i))
    }

    /// The Turtle of child `i`.
    pub fn turtle(&self, i: usize, target: &Target) -> String {
        let previous = match i {
            0 => target.parent(),
            _ => self.url(i - 1, target),
        };
        self.documents.turtle(i, &previous)
    }

    /// The literals of child `i`, two for each predicate.
    pub fn literals(&self, i: usize) -> Vec<String> {
        self.documents.literals(i)
    }
}

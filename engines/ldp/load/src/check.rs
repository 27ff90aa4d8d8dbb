//! The gate of a peer: what is measured is done right, and is still there after a restart.

use clap::Args;

use crate::http::Connection;
use crate::prepare::expect_children;
use crate::system::Protocol;
use crate::target::Target;
use crate::verify::Format;
use crate::write::{Method, Series};
use crate::{Result, Setting, read};

const CHILDREN: usize = 12;

/// Checks a server on an empty store.
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    setting: Setting,
    /// The syntaxes of the container.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "turtle")]
    formats: Vec<Format>,
    /// Leaves POST out, where children of POST are not direct ones or there is no POST.
    #[arg(long)]
    no_post: bool,
}

impl Check {
    pub fn run(self) -> Result<()> {
        let first = Target::start(&self.setting)?;
        first.create_parent(&mut first.client(Connection::New))?;
        let mut puts = Series::new(&first, 1, Method::Put, Connection::New);
        for _ in 0..CHILDREN {
            puts.create(&first)?;
        }
        self.check(&first, &mut puts, CHILDREN)?;
        if !self.no_post && first.system.protocol == Protocol::Ldp {
            let mut posts = Series::new(&first, 2, Method::Post, Connection::Kept);
            for _ in 0..CHILDREN {
                posts.create(&first)?;
            }
            self.check(&first, &mut posts, 2 * CHILDREN)?;
        }
        first.server.stop()?;

        let second = Target::start(&self.setting)?;
        let listed = second.get_parent(&mut second.client(Connection::New), Format::Turtle)?;
        let wanted = Format::Turtle.children(&listed.body, &second.parent())?;
        if wanted < CHILDREN {
            return Err(format!(
                "after a restart: expected {CHILDREN} children or more, found {wanted}"
            )
            .into());
        }
        second.server.stop()?;
        println!("{wanted} children were created, read, counted, and there after a restart");
        Ok(())
    }

    fn check(&self, target: &Target, series: &mut Series, children: usize) -> Result<()> {
        series.verify(target)?;
        for &format in &self.formats {
            let listed = target.get_parent(&mut target.client(Connection::New), format)?;
            expect_children(children, format, &listed.body, target)?;
        }
        if target.system.sparql.is_some() {
            read::check_count(target, children)?;
        }
        Ok(())
    }
}

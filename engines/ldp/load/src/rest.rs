//! What a repository does beside: PATCH, deleting many, binaries.

use clap::Args;

use crate::http::Connection;
use crate::prepare::Prepared;
use crate::report::Report;
use crate::target::Target;
use crate::write::is_same;
use crate::{Result, Setting};
use ldp_load::{INTERNAL, LITERALS, Random};

/// Changes two triples of each of the first children.
#[derive(Args)]
pub struct Patch {
    #[command(flatten)]
    setting: Setting,
    /// How many.
    #[arg(long)]
    requests: usize,
    /// Into what.
    #[arg(long)]
    seed: u64,
}

impl Patch {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let prepared = Prepared::new();
        let mut client = target.client(Connection::New);
        let update = format!(
            "DELETE {{ <> <{INTERNAL}u0> ?o }} INSERT {{ <> <{LITERALS}new> \"{}\" }} WHERE {{ <> <{INTERNAL}u0> ?o }}",
            self.seed
        );
        let before = target.server.usage()?;
        let mut times = Vec::new();
        for i in 0..self.requests {
            let url = prepared.url(i, &target);
            let headers = [("Content-Type", "application/sparql-update")];
            let answer = target.write(&mut client, "PATCH", &url, &headers, update.as_bytes())?;
            times.push(answer.expect(&[204], &format!("PATCH {url}"))?.elapsed);
        }
        let mut report = Report::default();
        report.times(&times);
        report.costs(&target.server, &before, self.requests)?;
        for i in (0..self.requests).step_by(self.requests.div_ceil(20)) {
            let (url, sent) = (prepared.url(i, &target), prepared.turtle(i, &target));
            let kept: Vec<_> = sent
                .lines()
                .filter(|l| !l.starts_with(" intp:u0 "))
                .collect();
            let wanted = format!("{}\n<> litp:new \"{}\" .", kept.join("\n"), self.seed);
            is_same(&target, &mut client, &url, &wanted)?;
        }
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Deletes the container of all children.
#[derive(Args)]
pub struct DeleteTree {
    #[command(flatten)]
    setting: Setting,
    /// How many there are.
    #[arg(long)]
    children: usize,
}

impl DeleteTree {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let mut client = target.client(Connection::New);
        let before = target.server.usage()?;
        let url = target.parent();
        let answer = target.write(&mut client, "DELETE", &url, &[], b"")?;
        let answer = answer.expect(&[204], &format!("DELETE {url}"))?;
        let mut report = Report::default();
        report.add("time", answer.elapsed.as_secs_f64());
        report.costs(&target.server, &before, 1)?;
        let prepared = Prepared::new();
        let child = |i| prepared.url(i, &target);
        for url in [
            url,
            child(0),
            child(self.children / 2),
            child(self.children - 1),
        ] {
            let found = target.get(&mut client, &url, "text/turtle")?;
            found.expect(&[404, 410], &format!("GET {url} after DELETE"))?;
        }
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Creates or gets binaries.
#[derive(Args)]
pub struct Binary {
    #[command(flatten)]
    setting: Setting,
    /// How long one is.
    #[arg(long)]
    bytes: usize,
    /// How many.
    #[arg(long)]
    requests: usize,
    #[arg(long)]
    seed: u64,
}

impl Binary {
    fn content(&self, i: usize) -> Vec<u8> {
        let mut random = Random::new(self.seed, i as u64);
        let words = (0..self.bytes.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes());
        words.take(self.bytes).collect()
    }

    /// Creates them one after the other; then each must be what was sent.
    pub fn put(self) -> Result<()> {
        self.run(false)
    }

    /// Gets them one after the other.
    pub fn get(self) -> Result<()> {
        self.run(true)
    }

    fn run(self, gets: bool) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let mut client = target.client(Connection::New);
        target.create_parent(&mut client)?;
        let mut before = target.server.usage()?;
        let (mut puts, mut times) = (Vec::new(), Vec::new());
        let mut report = Report::default();
        let url = |i: usize| target.child(&format!("binary-{i}"));
        for i in 0..self.requests {
            let headers = [
                ("Content-Type", "application/octet-stream"),
                (
                    "Link",
                    "<http://www.w3.org/ns/ldp#NonRDFSource>; rel=\"type\"",
                ),
            ];
            let answer = target.write(&mut client, "PUT", &url(i), &headers, &self.content(i))?;
            puts.push(answer.expect(&[201], &format!("PUT {}", url(i)))?.elapsed);
        }
        if gets {
            before = target.server.usage()?;
        } else {
            report.times(&puts);
            report.costs(&target.server, &before, self.requests)?;
        }
        for i in 0..self.requests {
            let answer = target.get(&mut client, &url(i), "*/*")?;
            let answer = answer.expect(&[200], &format!("GET {}", url(i)))?;
            if answer.body != self.content(i) {
                return Err(format!("{} is not what was sent", url(i)).into());
            }
            times.push(answer.elapsed);
        }
        if gets {
            report.times(&times);
            report.costs(&target.server, &before, self.requests)?;
        }
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

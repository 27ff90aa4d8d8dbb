//! Creating children one after the other, as in the published benchmark: only requests are timed.

use std::time::{Duration, Instant};

use clap::Args;

use crate::http::{Client, Connection};
use crate::report::{Report, mean};
use crate::target::Target;
use crate::{Result, Setting, store, verify};
use ldp_load::Documents;

/// So many of the children that a shot creates are got again and compared.
const VERIFIED: usize = 20;

/// How children are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// With a name that the client chose.
    Put,
    /// With a name that the server chooses.
    Post,
}

/// A series of children, each of which points to the one before.
pub struct Series {
    client: Client,
    documents: Documents,
    method: Method,
    /// The URL of each child, after that of the container.
    urls: Vec<String>,
}

impl Series {
    pub fn new(target: &Target, seed: u64, method: Method, connection: Connection) -> Series {
        Series {
            client: target.client(connection),
            documents: Documents::new(seed),
            method,
            urls: vec![target.parent()],
        }
    }

    /// Creates the next child and gives the time of the request.
    pub fn create(&mut self, target: &Target) -> Result<Duration> {
        let i = self.urls.len() - 1;
        let turtle = self.documents.turtle(i, &self.urls[i]);
        let (response, url) = match self.method {
            Method::Put => {
                let url = target.child(&self.documents.name(i));
                target.put(&mut self.client, &url, &turtle)?
            }
            Method::Post => target.post(&mut self.client, &turtle)?,
        };
        self.urls.push(url);
        Ok(response.elapsed)
    }

    /// Gets some of the children and compares them to what was sent.
    pub fn verify(&mut self, target: &Target) -> Result<()> {
        let count = self.urls.len() - 1;
        for i in (0..count).rev().step_by(count.div_ceil(VERIFIED).max(1)) {
            let sent = self.documents.turtle(i, &self.urls[i]);
            is_same(target, &mut self.client, &self.urls[i + 1], &sent)?;
        }
        Ok(())
    }
}

/// Gets the resource at `url` and compares it to the Turtle that was sent.
pub fn is_same(target: &Target, client: &mut Client, url: &str, sent: &str) -> Result<()> {
    let found = target.get(client, url, "text/turtle")?;
    let found = found.expect(&[200], &format!("GET {url}"))?;
    verify::same(sent.as_bytes(), &found.body, url)
}

/// Creates children where there are some.
#[derive(Args)]
pub struct Window {
    #[command(flatten)]
    setting: Setting,
    /// How many requests are timed.
    #[arg(long)]
    requests: usize,
    /// How many requests come before them.
    #[arg(long, default_value_t = 20)]
    warm: usize,
    #[arg(long, value_enum, default_value = "new")]
    connection: Connection,
    #[arg(long)]
    seed: u64,
}

impl Window {
    pub fn run(self, method: Method) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let mut series = Series::new(&target, self.seed, method, self.connection);
        for _ in 0..self.warm {
            series.create(&target)?;
        }
        let before = target.server.usage()?;
        let times = (0..self.requests).map(|_| series.create(&target));
        let times = times.collect::<Result<Vec<_>>>()?;
        let mut report = Report::default();
        report.times(&times);
        report.costs(&target.server, &before, self.requests)?;
        series.verify(&target)?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Creates children from an empty store on.
#[derive(Args)]
pub struct Load {
    #[command(flatten)]
    setting: Setting,
    /// How many.
    #[arg(long)]
    children: usize,
    /// After so many seconds without all of them, the shot fails.
    #[arg(long, default_value_t = 3600)]
    limit_s: u64,
    #[arg(long)]
    seed: u64,
}

impl Load {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        target.create_parent(&mut target.client(Connection::New))?;
        let mut series = Series::new(&target, self.seed, Method::Put, Connection::New);
        let before = target.server.usage()?;
        let start = Instant::now();
        let mut times = Vec::with_capacity(self.children);
        while times.len() < self.children {
            if start.elapsed().as_secs() >= self.limit_s {
                let (done, all, limit) = (times.len(), self.children, self.limit_s);
                let last = mean(&times[done - done / 10..]);
                return Err(format!(
                    "{done} of {all} children in {limit} s, the last tenth at {last:.3} s each"
                )
                .into());
            }
            times.push(series.create(&target)?);
        }
        let mut report = Report::default();
        report.times(&times);
        report.costs(&target.server, &before, self.children)?;
        let tenth = (times.len() / 10).max(1);
        let first = mean(&times[..tenth.min(times.len())]);
        let last = mean(&times[times.len().saturating_sub(tenth)..]);
        report.add("time_first", first);
        report.add("time_last", last);
        report.add("growth", last / first);
        series.verify(&target)?;
        target.server.stop()?;
        let bytes = store::allocated(&self.setting.store)? as f64;
        report.add("store_bytes_per_resource", bytes / self.children as f64);
        report.print();
        Ok(())
    }
}

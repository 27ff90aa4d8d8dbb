//! Reading from a prepared store: starting, the container of all children, SPARQL.

use std::time::{Duration, Instant};

use clap::Args;

use crate::http::{Client, Connection, Response};
use crate::prepare::{Prepared, expect_children};
use crate::report::{Report, median};
use crate::target::{Target, values};
use crate::verify::Format;
use crate::{Result, Setting, store};
use ldp_load::{LITERALS, Random};

/// A warm time is the median of at least this many, and of as many as fit into `WARM`.
const WARM_TIMES: usize = 5;
const WARM_MOST: usize = 100;
const WARM: Duration = Duration::from_millis(300);

/// The published query.
const COUNT: &str = "PREFIX ldp: <http://www.w3.org/ns/ldp#>
SELECT (COUNT(?s) AS ?c) WHERE { ?s a ldp:Resource . ?s a ldp:Container . }";
const JSON: &str = "application/sparql-results+json";

/// Starts the server.
#[derive(Args)]
pub struct Start {
    #[command(flatten)]
    setting: Setting,
    /// How many children the store has.
    #[arg(long)]
    children: usize,
}

impl Start {
    pub fn run(self) -> Result<()> {
        let bytes = store::allocated(&self.setting.store)? as f64;
        let target = Target::start(&self.setting)?;
        let usage = target.server.usage()?;
        let mut report = Report::default();
        report.add("time", target.server.ready_after.as_secs_f64());
        report.add("cpu_time_per_op", usage.cpu);
        report.add("peak_memory", usage.peak_memory as f64);
        report.add("store_bytes", bytes);
        report.add("store_bytes_per_resource", bytes / self.children as f64);
        let url = Prepared::new().url(self.children / 2, &target);
        let found = target.get(&mut target.client(Connection::New), &url, "text/turtle")?;
        found.expect(&[200], &format!("GET {url}"))?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Gets the container of all children.
#[derive(Args)]
pub struct GetParent {
    #[command(flatten)]
    setting: Setting,
    /// How many there are.
    #[arg(long)]
    children: usize,
    #[arg(long, value_enum, default_value = "turtle")]
    format: Format,
    /// For how many seconds the same is asked after the first time, without being timed.
    #[arg(long, default_value_t = 0)]
    warm_s: u64,
}

impl GetParent {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let once = |client: &mut Client| target.get_parent(client, self.format);
        let first = once(&mut target.client(Connection::New))?;
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(self.warm_s) {
            once(&mut target.client(Connection::New))?;
        }
        let before = target.server.usage()?;
        let (times, last) = warm(&target, once)?;
        let mut report = Report::default();
        report.add("time", median(&times));
        report.add("time_first", first.elapsed.as_secs_f64());
        report.add("bytes", last.body.len() as f64);
        report.costs(&target.server, &before, times.len())?;
        expect_children(self.children, self.format, &first.body, &target)?;
        expect_children(self.children, self.format, &last.body, &target)?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Does the same again, on new connections: the times and the last answer.
fn warm(
    target: &Target,
    once: impl Fn(&mut Client) -> Result<Response>,
) -> Result<(Vec<Duration>, Response)> {
    let mut client = target.client(Connection::New);
    let start = Instant::now();
    let mut times = Vec::new();
    loop {
        let response = once(&mut client)?;
        times.push(response.elapsed);
        let enough = start.elapsed() > WARM || times.len() >= WARM_MOST;
        if times.len() >= WARM_TIMES && enough {
            return Ok((times, response));
        }
    }
}

/// Which time of a query is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Cache {
    /// The first query after the start.
    Cold,
    /// Those after it.
    Warm,
}

/// Asks the published query.
#[derive(Args)]
pub struct Sparql {
    #[command(flatten)]
    setting: Setting,
    /// How many children there are.
    #[arg(long)]
    children: usize,
    #[arg(long, value_enum)]
    cache: Cache,
}

impl Sparql {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let once = |client: &mut Client| target.query(client, COUNT, JSON);
        let before = target.server.usage()?;
        let first = once(&mut target.client(Connection::New))?;
        expect_count(self.children, &first.body)?;
        let mut report = Report::default();
        if self.cache == Cache::Cold {
            report.add("time", first.elapsed.as_secs_f64());
            report.costs(&target.server, &before, 1)?;
        } else {
            let before = target.server.usage()?;
            let (times, last) = warm(&target, once)?;
            expect_count(self.children, &last.body)?;
            report.add("time", median(&times));
            report.costs(&target.server, &before, times.len())?;
        }
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Asks the published query and checks its answer.
pub fn check_count(target: &Target, children: usize) -> Result<()> {
    let mut client = target.client(Connection::New);
    expect_count(children, &target.query(&mut client, COUNT, JSON)?.body)
}

/// The children, their container and the root, which not every system counts.
fn expect_count(children: usize, json: &[u8]) -> Result<()> {
    let found = values(json, "c")?;
    let count = found.first().and_then(|text| text.parse::<usize>().ok());
    if !count.is_some_and(|count| (children..=children + 2).contains(&count)) {
        return Err(format!(
            "expected a count of {children} to {} resources, found {found:?}",
            children + 2
        )
        .into());
    }
    Ok(())
}

/// Looks resources up by one of their literals.
#[derive(Args)]
pub struct Lookup {
    #[command(flatten)]
    setting: Setting,
    /// How many children there are.
    #[arg(long)]
    children: usize,
    /// How many queries are timed.
    #[arg(long)]
    requests: usize,
    #[arg(long)]
    seed: u64,
}

impl Lookup {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let (prepared, mut random) = (Prepared::new(), Random::new(self.seed, 0));
        let mut client = target.client(Connection::Kept);
        let mut once = || {
            let (i, j) = (random.below(self.children), random.below(100));
            let literal = prepared.literals(i)[j].replace('\\', "\\\\");
            let query = format!(
                "SELECT ?s WHERE {{ ?s <{LITERALS}u{}> \"{literal}\" }}",
                j / 2
            );
            let response = target.query(&mut client, &query, JSON)?;
            let (wanted, found) = (prepared.url(i, &target), values(&response.body, "s")?);
            if found != [wanted.clone()] {
                return Err(format!("expected {wanted} for {query}, found {found:?}").into());
            }
            Ok(response.elapsed)
        };
        for _ in 0..self.requests / 10 {
            once()?;
        }
        let before = target.server.usage()?;
        let times = (0..self.requests)
            .map(|_| once())
            .collect::<Result<Vec<_>>>()?;
        let mut report = Report::default();
        report.times(&times);
        report.costs(&target.server, &before, times.len())?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

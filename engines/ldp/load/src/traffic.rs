//! Several clients at once, a fixed rate, and reads among writes.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use clap::Args;
use ldp_load::{Documents, Random};

use crate::http::{Client, Connection};
use crate::prepare::Prepared;
use crate::report::{Report, mean};
use crate::target::Target;
use crate::write::is_same;
use crate::{Result, Setting};

/// So many connections carry a fixed rate.
const CONNECTIONS: usize = 16;

/// The load is known before it is sent, so that making it takes no processor from the server.
struct Children(Vec<(String, String)>);

impl Children {
    /// The URLs and documents of `count` children. They point to children that are there.
    fn new(target: &Target, seed: u64, count: usize, there: usize) -> Children {
        let (documents, prepared) = (Documents::new(seed), Prepared::new());
        let one = |i| {
            let previous = prepared.url(i % there, target);
            (
                target.child(&documents.name(i)),
                documents.turtle(i, &previous),
            )
        };
        Children((0..count).map(one).collect())
    }

    fn put(&self, i: usize, target: &Target, client: &mut Client) -> Result<(Instant, Duration)> {
        let (url, turtle) = &self.0[i];
        let (response, _) = target.put(client, url, turtle)?;
        Ok((response.finished, response.elapsed))
    }

    /// All are there, and some are compared to what was sent.
    fn verify(&self, target: &Target) -> Result<()> {
        let mut client = target.client(Connection::Kept);
        for (i, (url, turtle)) in self.0.iter().enumerate() {
            if i % 20 == 0 {
                is_same(target, &mut client, url, turtle)?;
            } else {
                let found = target.get(&mut client, url, "text/turtle")?;
                found.expect(&[200], &format!("GET {url}"))?;
            }
        }
        Ok(())
    }
}

/// Runs `work` in so many threads, each with its number and its client; all begin together.
/// Gives what they return and when they began.
fn together<T: Send>(
    target: &Target,
    threads: usize,
    work: impl Fn(usize, &mut Client, Instant) -> Result<T> + Sync,
) -> Result<(Vec<T>, Instant)> {
    let barrier = Barrier::new(threads + 1);
    thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|number| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    let mut client = target.client(Connection::Kept);
                    barrier.wait();
                    work(number, &mut client, Instant::now())
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let ended = started.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => Err("a client panicked".into()),
        });
        Ok((ended.collect::<Result<Vec<_>>>()?, start))
    })
}

/// Creates children from several clients, each of which sends when its last request is answered.
#[derive(Args)]
pub struct Clients {
    #[command(flatten)]
    setting: Setting,
    /// How many children there are.
    #[arg(long)]
    children: usize,
    /// How many clients.
    #[arg(long)]
    clients: usize,
    /// How many requests in all.
    #[arg(long)]
    requests: usize,
    #[arg(long)]
    seed: u64,
}

impl Clients {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let share = self.requests / self.clients;
        let (warm, all) = (share / 10 * self.clients, share * self.clients);
        let children = Children::new(&target, self.seed, warm + all, self.children);
        let series = |first: usize, count: usize| {
            together(&target, self.clients, |number, client, _| {
                let range = first + number * count..first + (number + 1) * count;
                range
                    .map(|i| Ok(children.put(i, &target, client)?.1))
                    .collect::<Result<Vec<_>>>()
            })
        };
        series(0, share / 10)?;
        let before = target.server.usage()?;
        let start = Instant::now();
        let (times, _) = series(warm, share)?;
        let elapsed = start.elapsed().as_secs_f64();
        let times = times.concat();
        let mut report = Report::default();
        report.add("time", elapsed / all as f64);
        report.add("requests_per_s", all as f64 / elapsed);
        report.percentiles(&times, &[("p50", 50), ("p99", 99)]);
        report.costs(&target.server, &before, all)?;
        children.verify(&target)?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Creates children at a fixed rate, whatever the server does.
#[derive(Args)]
pub struct Rate {
    #[command(flatten)]
    setting: Setting,
    /// How many children there are.
    #[arg(long)]
    children: usize,
    /// Requests per second.
    #[arg(long)]
    rate: usize,
    /// How many requests.
    #[arg(long)]
    requests: usize,
    #[arg(long)]
    seed: u64,
}

impl Rate {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let warm = self.requests / 10;
        let children = Children::new(&target, self.seed, warm + self.requests, self.children);
        let mut client = target.client(Connection::Kept);
        for i in 0..warm {
            children.put(i, &target, &mut client)?;
        }
        let before = target.server.usage()?;
        let next = AtomicUsize::new(0);
        let begin = Instant::now() + Duration::from_millis(5);
        let (latencies, _) = together(&target, CONNECTIONS, |_, client, _| {
            let mut latencies = Vec::new();
            loop {
                let i = next.fetch_add(1, Relaxed);
                if i >= self.requests {
                    return Ok(latencies);
                }
                let due = begin + Duration::from_secs_f64(i as f64 / self.rate as f64);
                sleep(due.saturating_duration_since(Instant::now()));
                let (finished, _) = children.put(warm + i, &target, client)?;
                latencies.push(finished - due);
            }
        })?;
        let latencies = latencies.concat();
        let mut report = Report::default();
        report.add("time", mean(&latencies));
        report.percentiles(
            &latencies,
            &[
                ("latency_p50", 50),
                ("latency_p90", 90),
                ("latency_p99", 99),
            ],
        );
        report.costs(&target.server, &before, self.requests)?;
        children.verify(&target)?;
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

/// Reads and creates children in random order.
#[derive(Args)]
pub struct Mixed {
    #[command(flatten)]
    setting: Setting,
    /// How many children there are.
    #[arg(long)]
    children: usize,
    /// How many of 100 requests read.
    #[arg(long)]
    reads: usize,
    /// How many requests.
    #[arg(long)]
    requests: usize,
    #[arg(long)]
    seed: u64,
}

impl Mixed {
    pub fn run(self) -> Result<()> {
        let target = Target::start(&self.setting)?;
        let prepared = Prepared::new();
        let mut random = Random::new(self.seed, 1);
        let mut client = target.client(Connection::Kept);
        let children = Children::new(
            &target,
            self.seed,
            self.requests + self.requests / 10,
            self.children,
        );
        let mut created = 0;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut before = target.server.usage()?;
        for i in 0..self.requests + self.requests / 10 {
            if i == self.requests / 10 {
                reads.clear();
                writes.clear();
                before = target.server.usage()?;
            }
            if random.below(100) < self.reads {
                let url = prepared.url(random.below(self.children), &target);
                let found = target.get(&mut client, &url, "text/turtle")?;
                reads.push(found.expect(&[200], &format!("GET {url}"))?.elapsed);
            } else {
                writes.push(children.put(created, &target, &mut client)?.1);
                created += 1;
            }
        }
        let mut report = Report::default();
        report.times(&[reads.as_slice(), writes.as_slice()].concat());
        report.add("time_read", mean(&reads));
        report.add("time_write", mean(&writes));
        report.costs(&target.server, &before, self.requests)?;
        Children(children.0[..created].to_vec()).verify(&target)?;
        for i in (0..self.children).step_by(self.children.div_ceil(20)) {
            let (url, sent) = (prepared.url(i, &target), prepared.turtle(i, &target));
            is_same(&target, &mut client, &url, &sent)?;
        }
        target.server.stop()?;
        report.print();
        Ok(())
    }
}

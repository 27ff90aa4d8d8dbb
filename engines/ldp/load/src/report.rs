//! What a shot prints: a JSON line for each number.

use std::time::Duration;

use crate::Result;
use crate::server::{Server, Usage};

/// The numbers of a shot, printed when all of it went well.
#[derive(Default)]
pub struct Report(Vec<(&'static str, f64)>);

impl Report {
    pub fn add(&mut self, metric: &'static str, value: f64) {
        self.0.push((metric, value));
    }

    /// Mean and percentiles of the times of single requests.
    pub fn times(&mut self, times: &[Duration]) {
        self.add("time", mean(times));
        self.percentiles(times, &[("p50", 50), ("p99", 99)]);
    }

    /// Percentiles that at least 5 times lie above.
    pub fn percentiles(&mut self, times: &[Duration], wanted: &[(&'static str, usize)]) {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        for &(name, percent) in wanted {
            let above = sorted.len() * (100 - percent) / 100;
            if above >= 5 {
                self.add(name, sorted[sorted.len() - 1 - above].as_secs_f64());
            }
        }
    }

    /// What `server` has used for `operations` since `before`.
    pub fn costs(&mut self, server: &Server, before: &Usage, operations: usize) -> Result<()> {
        let after = server.usage()?;
        self.add(
            "cpu_time_per_op",
            (after.cpu - before.cpu) / operations as f64,
        );
        self.add("peak_memory", after.peak_memory as f64);
        Ok(())
    }

    pub fn print(&self) {
        for (metric, value) in &self.0 {
            println!("{{\"metric\": \"{metric}\", \"value\": {value}}}");
        }
    }
}

/// The mean in seconds; 0 of nothing.
pub fn mean(times: &[Duration]) -> f64 {
    let total: Duration = times.iter().sum();
    total.as_secs_f64() / times.len().max(1) as f64
}

/// The median in seconds; 0 of nothing.
pub fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2].as_secs_f64(),
        n => mean(&sorted[n / 2 - 1..=n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up() {
        let times: Vec<_> = (1..=1000).rev().map(Duration::from_millis).collect();
        let mut report = Report::default();
        report.times(&times);
        assert_eq!(report.0, [("time", 0.5005), ("p50", 0.5), ("p99", 0.99)]);
        let mut few = Report::default();
        few.times(&times[..100]);
        assert_eq!(few.0.len(), 2); // one time lies above the last percentile, too few
        assert_eq!(median(&times[997..]), 0.002);
        assert_eq!(median(&times[996..]), 0.0025);
    }
}

//! What the kernel knows of this process.

use std::fs;

use crate::{Error, Result};

/// CPU seconds of all threads, in user mode and in the kernel.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills in the structure that it gets.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0, "the kernel has no clock of a process's CPU time");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Bytes that this process sent to storage: `write_bytes`, which counts pages written past the
/// page cache when they are submitted, and the others when they are dirtied.
pub fn written_bytes() -> Result<u64> {
    field("/proc/self/io", "write_bytes:")
}

/// Bytes of anonymous memory in RAM, the heap and what is mapped beside it.
pub fn resident_bytes() -> u64 {
    field("/proc/self/status", "RssAnon:").expect("Linux tells it since 4.5") * 1024
}

fn field(path: &str, name: &str) -> Result<u64> {
    fs::read_to_string(path)?
        .lines()
        .find_map(|line| {
            line.strip_prefix(name)?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .ok_or_else(|| Error::from(format!("{path} has no number after {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_memory() {
        let (cpu, resident) = (cpu_seconds(), resident_bytes());
        let block = std::hint::black_box(vec![1u8; 8 << 20]);
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        assert_eq!(sum, 8 << 20);
        assert!(cpu_seconds() > cpu);
        assert!(resident_bytes() >= resident + (4 << 20));
    }

    #[test]
    fn a_field_that_is_not_there_is_an_error() {
        let told = field("/proc/self/status", "Colour:")
            .unwrap_err()
            .to_string();
        assert_eq!(told, "/proc/self/status has no number after Colour:");
    }
}

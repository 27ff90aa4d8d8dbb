//! glibc's allocator, which keeps what is free: large blocks for their thread once one of that size was freed,
//! small ones wherever a used one lies behind them.

use std::time::{Duration, Instant};

/// What may be free, as far as it goes.
const SLACK: usize = 64 << 20;

/// How often the growth of what is in use is looked at.
const TICK: Duration = Duration::from_millis(200);

/// How often free memory is given back without growth: what was in use at the last time may be free now.
const ROUND: Duration = Duration::from_secs(5);

/// Has free memory given back to the system, from now on.
pub fn give_back() {
    // SAFETY: it sets a number of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
    std::thread::spawn(|| {
        let (mut least, mut last) = (in_use(), Instant::now());
        loop {
            std::thread::sleep(TICK);
            let now = in_use();
            least = least.min(now);
            if now > least + SLACK || (now > SLACK && last.elapsed() > ROUND) {
                // SAFETY: it takes the allocator's own locks, and moves nothing.
                unsafe {
                    libc::malloc_trim(0);
                }
                (least, last) = (in_use(), Instant::now());
            }
        }
    });
}

/// The bytes in memory that are no file's (proc(5), statm); none where the system does not tell.
fn in_use() -> usize {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<usize> = told
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    // SAFETY: it asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    match pages[..] {
        [_, resident, shared, ..] => resident.saturating_sub(shared) * page,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_given_back() {
        give_back();
        let before = in_use();
        // Blocks of a kilobyte, of which the last one, which stays, lies behind the others.
        let mut blocks: Vec<Vec<u8>> = (0..256 << 10).map(|_| vec![1; 1 << 10]).collect();
        let last = blocks.pop();
        assert!(in_use() > before + 200 * (1 << 20));
        drop(blocks);
        let begun = Instant::now();
        while in_use() > before + SLACK {
            assert!(begun.elapsed() < 12 * ROUND, "{}", in_use());
            std::thread::sleep(TICK);
        }
        drop(last);
    }
}

//! Counters of a process: allocations, and the node hashes that a peer's hasher reports.
//!
//! Each thread has its own cache line, so that counting costs a load and a store and no two
//! threads wait for each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

#[derive(Clone, Copy)]
pub enum Kind {
    Allocations,
    AllocatedBytes,
    FreedBytes,
    Hashes,
}

#[repr(align(128))] // two lines: the processor fetches them in pairs
struct Slot([AtomicU64; 4]);

const THREADS: usize = 256;
static SLOTS: [Slot; THREADS] = [const { Slot([const { AtomicU64::new(0) }; 4]) }; THREADS];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MINE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Adds to the counter of this thread. A process of more than 256 threads ends: it would miscount.
pub fn add(kind: Kind, amount: u64) {
    let mine = MINE.get().unwrap_or_else(|| {
        let next = TAKEN.fetch_add(1, Relaxed);
        if next >= THREADS {
            std::process::abort();
        }
        MINE.set(Some(next));
        next
    });
    let counter = &SLOTS[mine].0[kind as usize];
    counter.store(counter.load(Relaxed).wrapping_add(amount), Relaxed);
}

/// The sum over all threads since the start of the process.
pub fn total(kind: Kind) -> u64 {
    SLOTS
        .iter()
        .map(|slot| slot.0[kind as usize].load(Relaxed))
        .sum()
}

/// The allocator of the system, counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocated(bytes: usize) {
    add(Kind::Allocations, 1);
    add(Kind::AllocatedBytes, bytes as u64);
}

// SAFETY: every call is passed on to the system's allocator with its arguments unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        allocated(size);
        add(Kind::FreedBytes, layout.size() as u64);
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        add(Kind::FreedBytes, layout.size() as u64);
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_over_threads() {
        let before = total(Kind::Hashes);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| add(Kind::Hashes, 2)));
            }
        });
        assert_eq!(total(Kind::Hashes) - before, 8000);
    }

    #[test]
    fn an_allocation_is_counted_and_its_release_too() {
        let bytes = |kind| SLOTS[MINE.get().unwrap()].0[kind as usize].load(Relaxed);
        drop(Vec::<u8>::with_capacity(1)); // this thread has its slot now
        let before = [Kind::Allocations, Kind::AllocatedBytes, Kind::FreedBytes].map(bytes);
        drop(std::hint::black_box(Vec::<u8>::with_capacity(1000)));
        let after = [Kind::Allocations, Kind::AllocatedBytes, Kind::FreedBytes].map(bytes);
        assert_eq!([0, 1, 2].map(|i| after[i] - before[i]), [1, 1000, 1000]);
    }
}

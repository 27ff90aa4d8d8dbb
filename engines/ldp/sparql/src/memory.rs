//! The memory of an evaluation, counted by the allocator on the thread that evaluates.
//!
//! What the process grows by tells nothing of one evaluation: what others give back meanwhile, it could take.

use spareval::CancellationToken;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The system's allocator, which counts for [`Limits::memory`](crate::Limits::memory). A program makes it its own
/// with `#[global_allocator]`; in one that does not, evaluations have no limit of memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted;

// SAFETY: all is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

thread_local! {
    /// That of the evaluation on this thread; null where there is none.
    static ACCOUNT: Cell<*const Account<'static>> = const { Cell::new(ptr::null()) };
}

fn count(more: usize, less: usize) {
    // A thread that ends may have none any more.
    let account = ACCOUNT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: `Counting`, which borrows it, takes it away from its thread before it goes.
    if let Some(account) = unsafe { account.as_ref() } {
        account.count(more, less);
    }
}

/// What an evaluation has taken and not given back.
pub(crate) struct Account<'a> {
    taken: Cell<usize>,
    most: usize,
    token: &'a CancellationToken,
    full: &'a AtomicBool,
}

impl<'a> Account<'a> {
    /// Of one that is cancelled, and said to be `full`, once it takes more than `most` bytes.
    pub fn new(most: u64, token: &'a CancellationToken, full: &'a AtomicBool) -> Self {
        Account {
            taken: Cell::new(0),
            most: usize::try_from(most).unwrap_or(usize::MAX),
            token,
            full,
        }
    }

    /// Counts what this thread takes, until what is given is dropped.
    pub fn count_here(&self) -> Counting<'_> {
        Counting::set(ptr::from_ref(self).cast())
    }

    fn count(&self, more: usize, less: usize) {
        // What it gives back may have been taken by others.
        let taken = (self.taken.get() + more).saturating_sub(less);
        self.taken.set(taken);
        if taken > self.most {
            self.full.store(true, Relaxed);
            self.token.cancel();
        }
    }
}

/// Puts back what was counted before on this thread.
pub(crate) struct Counting<'a> {
    before: *const Account<'static>,
    account: PhantomData<&'a Account<'a>>,
}

impl Counting<'_> {
    fn set(account: *const Account<'static>) -> Self {
        Counting {
            before: ACCOUNT.replace(account),
            account: PhantomData,
        }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        ACCOUNT.set(self.before);
    }
}

/// Writes without counting: what a sink takes may be given back by other threads.
pub(crate) struct Aside<W>(pub W);

impl<W: Write> Write for Aside<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _aside = Counting::set(ptr::null());
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let _aside = Counting::set(ptr::null());
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counted = Counted;

    #[test]
    fn an_evaluation_ends_by_what_it_takes_itself() {
        let (token, full) = (CancellationToken::new(), AtomicBool::new(false));
        let account = Account::new(1 << 20, &token, &full);
        let counting = account.count_here();
        let half = vec![1_u8; 1 << 19];
        // What is given back does not count, nor do other threads or a sink.
        for _ in 0..10 {
            drop(vec![1_u8; 1 << 18]);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| drop(vec![1_u8; 1 << 22]));
        });
        struct Keeps(Vec<Vec<u8>>);
        impl Write for Keeps {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(bytes.to_vec());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut sink = Aside(Keeps(Vec::new()));
        for _ in 0..4 {
            sink.write_all(&half).expect("room");
        }
        assert!(!full.load(Relaxed));
        let mut more = Vec::<u8>::with_capacity(1 << 18);
        more.reserve(1 << 20);
        assert!(full.load(Relaxed) && token.is_cancelled());
        drop((counting, half, more));
        assert!(ACCOUNT.get().is_null());
    }
}

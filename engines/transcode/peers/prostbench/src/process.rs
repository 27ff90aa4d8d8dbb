//! What the kernel knows of this process.

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

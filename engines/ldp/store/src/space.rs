//! Whether an error is a lack of space where it does not say so.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// With fewer bytes left, a write that was not done as a whole found no space.
const LEFT: u64 = 1 << 20;

/// Whether an error of input and output at `path` is a lack of space. LMDB makes such one of a write that was
/// cut short, as the last one to a full file system is.
pub(crate) fn lacks(error: &io::Error, path: &Path) -> bool {
    error.raw_os_error() == Some(libc::EIO) && left(path).is_some_and(|left| left < LEFT)
}

/// The error that says so.
pub(crate) fn none() -> io::Error {
    io::Error::from_raw_os_error(libc::ENOSPC)
}

/// The bytes that are left to this user where a file is, if the file system counts them.
fn left(path: &Path) -> Option<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut figures = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: a string that ends, and room for the figures, of which all bits are valid.
    let figures = unsafe {
        if libc::statvfs(path.as_ptr(), figures.as_mut_ptr()) != 0 {
            return None;
        }
        figures.assume_init()
    };
    (figures.f_blocks > 0).then_some(figures.f_bavail * figures.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_what_they_are_while_there_is_space() {
        let here = std::env::temp_dir();
        assert!(!lacks(&io::Error::from_raw_os_error(libc::EIO), &here));
        assert!(!lacks(&none(), &here));
        assert_eq!(none().kind(), io::ErrorKind::StorageFull);
        // It counts nothing.
        let odd = Path::new("/proc");
        assert!(!lacks(&io::Error::from_raw_os_error(libc::EIO), odd));
    }
}

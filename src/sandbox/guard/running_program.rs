//! A started program under the guard: its process and its memory.

use std::fs::File;
use std::io;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::Child;

/// A running program.
pub struct RunningProgram {
    pub(crate) child: Child,
    /// Ancestor of every process that the program starts.
    pub(crate) top: u32,
    /// Status output of bubblewrap.
    pub(crate) status: Option<File>,
}

/// Returns an inheritable file in memory with these bytes, positioned at its start.
pub(crate) fn memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    use std::io::Seek;
    let fd = nix::sys::memfd::memfd_create(c"askfirst", nix::sys::memfd::MFdFlags::empty())?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

//! The Chromium process: start, flags, profile folders, and processes left over from a crash.

pub mod connect;
pub(crate) mod flags;
pub mod launch;
pub(crate) mod orphaned_processes;
pub(crate) mod process_table;
pub mod profile_folders;

//! The command line: arguments, the client side of the commands, and `doctor`.

pub mod args;
pub mod client;
pub mod doctor;

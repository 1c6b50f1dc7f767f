//! Tables of runs: events, inbox, questions, leases, usage.

pub mod events;
pub mod stored;
pub(crate) mod commands;
pub mod deleting;
pub(crate) mod inbox;
pub(crate) mod leases;
pub(crate) mod questions;
pub(crate) mod read;
pub(crate) mod tree;
pub(crate) mod usage;
pub(crate) mod write;

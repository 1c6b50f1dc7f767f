//! Tables of runs: events, inbox, questions, leases, usage.

pub(crate) mod run_trees;
pub mod stored_run;
pub(crate) mod user_commands;
pub mod events;
pub mod deleting;
pub(crate) mod inbox;
pub(crate) mod leases;
pub(crate) mod questions;
pub(crate) mod read;
pub(crate) mod usage;
pub(crate) mod write;

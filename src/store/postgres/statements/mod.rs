//! Statements of writes, and the reading of rows. Statements of a write to a run tree begin with [`lock::tree`] or
//! [`lock::tree_of_run`], so that later ones see all that was stored in the tree before.

pub(crate) mod columns;
pub(crate) mod commands;
pub(crate) mod deletion;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod new_runs;
pub(crate) mod recordings;
pub(crate) mod requests;
pub(crate) mod run_changes;
pub(crate) mod search;
pub(crate) mod walks;

//! Nodes that wait without asking.

pub mod await_calls;
pub mod resting;
pub mod run_premoves;

//! The programs that a run can step.

pub mod conversation;
pub mod lanes;
pub mod orchestration;
pub(crate) mod outcome;
pub mod single;
pub mod tasks;

//! The turn under way: its progress, the page that it was planned for, its expected outcome, repeated failures. Pure.

pub(crate) mod expectation;
pub(crate) mod loop_detector;
pub mod preconditions;
pub(crate) mod turn_progress;

//! Acts on the page: observations, preconditions, stale references, secret input.

pub(crate) mod available_actions;
pub(crate) mod not_done_event;
pub(crate) mod observe;
pub(crate) mod scripted_turns;
pub(crate) mod expectation;
pub(crate) mod file_list;
pub(crate) mod loop_detector;
pub mod preconditions;
pub mod secret_input;
pub(crate) mod stale_ref;

//! Acts on the page: observations, preconditions, stale references, secret input.

pub(crate) mod examine;
pub(crate) mod expectation;
pub(crate) mod file_list;
pub(crate) mod looking;
pub(crate) mod loop_detector;
pub(crate) mod offered;
pub(crate) mod playing;
pub mod preconditions;
pub mod secret_input;
pub(crate) mod stale_ref;
pub(crate) mod undone;

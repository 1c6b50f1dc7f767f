//! The end of a conversation: title, story of the trace, cleanup.

pub(crate) mod finishing;
pub mod response;
pub mod title;
pub mod trace_story;

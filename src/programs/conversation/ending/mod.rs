//! The end of a conversation: title, story of the trace, cleanup.

pub(crate) mod finish_turn;
pub mod response;
pub mod title;
pub mod trace_story;

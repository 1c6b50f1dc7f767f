//! Ends of a task: its response and title, and its story for the author of a script.

pub mod response;
pub mod title;
pub mod trace_story;

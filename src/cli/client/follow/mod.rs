//! Follows a run in the terminal: progress, questions, and the outcome.

pub(crate) mod event_stream;
pub mod interrupt;
pub(crate) mod plan_lines;
pub(crate) mod progress_bars;
pub(crate) mod progress_lines;
pub(crate) mod standard_input;
pub(crate) mod terminal_output;
pub(crate) mod work_lines;
pub(crate) mod outcome;
pub(crate) mod question_prompt;
pub(crate) mod watch;

//! Follows a run in the terminal: progress, questions, and the outcome.

pub(crate) mod background;
pub(crate) mod bars;
pub(crate) mod facts;
pub(crate) mod goals;
pub mod interrupted;
pub(crate) mod keyboard;
pub(crate) mod outcome;
pub(crate) mod progress;
pub(crate) mod question_prompt;
pub(crate) mod screen;
pub(crate) mod watch;

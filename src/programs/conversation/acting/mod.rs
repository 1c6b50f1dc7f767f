//! Acting on the page: observations, stale references, scripted turns, secret input, files, ends of actions,
//! messages that got around the gate.

pub(crate) mod action_words;
pub(crate) mod finish_action;
pub(crate) mod flow_check;
pub(crate) mod observe;
pub(crate) mod performed_action;
pub(crate) mod reading;
pub(crate) mod request_guard;
pub(crate) mod scripted_turns;
pub(crate) mod file_list;
pub mod secret_input;
pub(crate) mod stale_ref;
pub mod unasked_messages;

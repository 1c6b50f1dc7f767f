//! Pages of a context: tabs, frames, dialogs, cookies.

pub mod dialog_answers;
pub(crate) mod page_notes;
pub mod context;
pub(crate) mod cookies;
pub mod frames;
pub mod held_requests;
pub(crate) mod open_context;
pub mod pending_dialog;
pub mod tab;
pub(crate) mod tab_list;
pub(crate) mod takeover_script;

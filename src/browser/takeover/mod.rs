//! A person drives the page: its holder, their input, dialogs and view. `engine::takeover` decides who may.

pub mod holder_dialogs;
pub mod page_holder;
pub mod comparison;
pub mod holder_view;
pub mod input_state;
pub(crate) mod opened_dialog;
pub(crate) mod pending_input;

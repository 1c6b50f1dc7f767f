//! A person drives the page: the lease, their input, dialogs and the holder's view.

pub mod holder_dialogs;
pub mod page_holder;
pub mod comparison;
pub mod holder_view;
pub mod input_state;
pub(crate) mod opened_dialog;
pub(crate) mod pending_input;

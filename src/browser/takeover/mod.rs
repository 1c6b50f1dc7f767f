//! A person drives the page: the lease, their input, dialogs and the holder's view.

pub mod comparison;
pub mod dialogs;
pub mod holder_view;
pub mod input_state;
pub mod lease;
pub(crate) mod pending_input;

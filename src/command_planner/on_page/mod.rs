//! Finds the element of the observed page that a command names.

pub mod fill_fields;
pub(crate) mod command_step;
pub(crate) mod mistyped_verbs;
pub(crate) mod read_answer;
pub mod select_option;
pub(crate) mod type_text;
pub(crate) mod find;
pub(crate) mod resolve;
pub(crate) mod uploads;

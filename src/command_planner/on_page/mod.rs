//! Finds the element of the observed page that a command names.

pub mod lists;
pub(crate) mod fields;
pub(crate) mod file_answers;
pub(crate) mod find;
pub(crate) mod guess;
pub(crate) mod reading;
pub(crate) mod readings;
pub(crate) mod resolve;
pub(crate) mod uploads;

//! The pool: Chromium processes, the browsers in them, and slots for working in them.

pub(crate) mod chromium_limits;
pub mod messages;
pub mod supervisor;
pub mod admission;
pub mod chromiums;
pub mod inventory;
pub mod profile_key;
pub mod slots;
pub mod instances;
pub(crate) mod drain;

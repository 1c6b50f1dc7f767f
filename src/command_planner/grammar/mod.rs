//! The grammar of plain commands: verbs, objects, lists, addresses, keys.

pub(crate) mod element_kinds;
pub mod elements;
pub mod typed_secrets;
pub(crate) mod command;
pub(crate) mod address;
pub(crate) mod keys;
pub(crate) mod parse;
pub(crate) mod scrolls;
pub(crate) mod split;
pub mod subject;
pub(crate) mod verbs;
pub(crate) mod waits;

//! The grammar of plain commands: verbs, objects, lists, addresses, keys.

pub(crate) mod address;
pub(crate) mod keys;
pub(crate) mod kinds;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod parse;
pub(crate) mod scrolls;
pub(crate) mod split;
pub mod subject;
pub(crate) mod verbs;
pub(crate) mod waits;

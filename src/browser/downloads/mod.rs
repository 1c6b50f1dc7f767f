//! Files that pages offer for download.

pub(crate) mod naming;
pub mod registry;

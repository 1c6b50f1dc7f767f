//! Secrets of run trees, in memory only: the vault, their detection in text, their removal from text.

pub mod named_secrets;
pub mod detect;
pub(crate) mod named_in_text;
pub mod redact;
pub(crate) mod scrub;
pub(crate) mod typed_by_person;
pub mod vault;

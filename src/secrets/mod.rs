//! Secrets of run trees, in memory only: the vault, their detection in text, their removal from text.

pub mod named_secrets;
pub mod detect;
pub(crate) mod login_pairs;
pub(crate) mod named_in_text;
pub(crate) mod named_in_answer;
pub mod redact;
pub(crate) mod scrub;
pub(crate) mod typed_by_person;
pub mod vault;

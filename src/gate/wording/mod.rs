//! Words and phrases by which the gate recognizes effects, in the languages that it knows.

pub mod money;
pub mod address_effects;
pub mod address_patterns;
pub(crate) mod address_words;
pub(crate) mod lexicon;
pub(crate) mod name_effects;
pub mod name_intents;
pub mod normalize;
pub(crate) mod paths;

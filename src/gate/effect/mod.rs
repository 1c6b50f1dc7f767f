//! Effects of actions as rules see them. `classify` determines the effect of a single action and its properties.

pub mod question_texts;
pub(crate) mod known_before;
pub(crate) mod classify;
pub(crate) mod element;
pub(crate) mod fill_parts;
pub(crate) mod form;
pub(crate) mod keys;
pub(crate) mod page_tool;
pub(crate) mod picked_options;

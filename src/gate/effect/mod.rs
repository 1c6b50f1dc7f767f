//! Effects of actions as rules see them: effect classes, special traits, and the properties of a single
//! action. `classify` determines them.

pub(crate) mod name_meanings;
pub mod question_texts;
pub mod class;
pub(crate) mod classify;
pub(crate) mod element;
pub(crate) mod form;
pub(crate) mod keys;
pub mod money;

//! Effects of actions as rules see them: effect classes, special traits, and the properties of a single
//! action. `classify` determines them.

pub mod class;
pub(crate) mod classify;
pub(crate) mod element;
pub(crate) mod form;
pub(crate) mod intent;
pub(crate) mod keys;
pub mod money;
pub mod payload;

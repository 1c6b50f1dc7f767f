//! Effect classes, and the meanings of names from which effects follow.

pub mod effect_class;
pub(crate) mod intent;

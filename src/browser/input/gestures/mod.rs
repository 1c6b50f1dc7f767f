//! Gestures of more than one step: drags, scrolling, and input at points of a picture.

pub mod drag;
pub mod page_change;
pub mod points;
pub mod scroll;

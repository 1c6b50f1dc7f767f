//! Gestures of more than one step: drags, selecting text, scrolling, and input at points of a picture.

pub mod drag;
pub mod page_change;
pub mod points;
pub mod scroll;
pub mod text_selection;

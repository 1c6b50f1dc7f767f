//! Parts of the actions on a page: mouse input, fields and points.

pub mod fields;
pub mod mouse;
pub mod points;
pub mod tool_arguments;

//! Tools that a page declares (WebMCP): the lines that tell them, and the check of their arguments.

pub mod arguments;
pub(crate) mod lines;

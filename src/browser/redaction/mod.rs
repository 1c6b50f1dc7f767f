//! Covers secret fields in pictures.

pub(crate) mod motion;
pub mod paint;
pub mod secret_boxes;

//! What tests share.

pub mod program;
pub mod service;

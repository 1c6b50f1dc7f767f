//! What tests share.

pub mod app;
pub mod model;
pub mod program;
pub mod service;
pub mod ws;

//! What tests share.

pub mod app;
pub mod model;
pub mod model_checks;
pub mod program;
pub mod service;
pub mod ws;

//! Runs: the actor that steps a program, and all that it needs to be durable.

pub mod lifecycle;
pub mod services;
pub mod archive;
pub mod program;
pub mod questions;
pub mod registry;
pub mod run;
pub mod takeover;

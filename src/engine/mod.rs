//! Runs: the actor that steps a program, and all that it needs to be durable. A module imports only from those
//! listed above it.

pub mod lifecycle;
pub mod program;
pub mod archive;
pub mod takeover;
pub mod services;
pub mod error;
pub mod questions;
pub mod new_run;
pub mod run;
pub mod registry;

//! Runs: the actor that steps a program, and all that it needs to be durable.

pub(crate) mod blocking_io;
pub mod lifecycle;
pub mod services;
pub mod archive;
pub mod program;
pub mod registry;
pub mod run;
pub mod takeover;

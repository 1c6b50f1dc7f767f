//! Names of elements in commands, and readings of commands that fill in fields.

pub(crate) mod field_readings;
pub(crate) mod names;
pub mod tool_calls;
pub(crate) mod click_manner;
pub(crate) mod read_commands;

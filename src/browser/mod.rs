//! Browsers of run trees. Each is an actor that owns an isolated Chromium context with its pages.
//!
//! The sub-rooms are listed from the lowest up, and import only from those above them in the list
//! (`tests/it/tidy/rooms.rs`); only `actor` knows all features, and only `pool` starts actors.

pub mod error;
pub mod cancel_on_drop;
pub mod geometry;
pub mod pending_picture;
pub mod snapshot;
pub mod injected;
pub mod cdp;
pub mod network;
pub mod config;
pub mod downloads;
pub mod process;
pub mod sockets;
pub mod page_tools;
pub mod page;
pub mod redaction;
pub mod input;
pub mod observe;
pub mod screencast;
pub mod takeover;
pub mod messages;
pub mod actor;
pub mod pool;

//! Explains runs: timelines, the reason for a status, exported spans, replays, logs.

pub mod logs;
pub mod otlp;
pub mod replay;
pub mod timeline;
pub mod why;

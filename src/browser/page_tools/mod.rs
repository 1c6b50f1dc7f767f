//! Tools that pages declare (WebMCP): kept as Chromium reports them, and called through its protocol, so that no page
//! notices that they are read.

pub mod call_result;
pub mod registry;

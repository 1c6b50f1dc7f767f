//! Questions about effects that wait in the browser without being requests of their own kind: programs that have
//! arrived, and navigations that carry text to another site.

pub mod download;
pub mod navigation;

//! Browsing without a model: plays an agent's script, finds elements by what a person sees of them, and turns
//! runs into scripts. Pure: knows no browser, store or clock.

pub mod author;
pub mod describe;
pub mod find;
pub(crate) mod nearby;
pub mod pattern;
pub mod player;
pub mod recording;
pub mod rendered;
pub mod narration;

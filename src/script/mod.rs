//! Browsing without a model: plays an agent's script, finds elements by what a person sees of them, and turns
//! runs into scripts. Pure: knows no browser, store or clock.

pub mod author;
pub mod checks;
pub mod describe;
pub mod find;
mod mending;
mod nearby;
pub mod pattern;
pub mod player;
pub mod progress;
pub mod recording;
pub mod rendered;
pub mod turns;
pub mod words;

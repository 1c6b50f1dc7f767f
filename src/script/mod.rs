//! Browsing without a model: the player of an agent's script (what is next follows from what was done),
//! the finding of elements by what a person sees of them, and the way back, from what a run did to a
//! script. Pure: nothing here knows a browser, a store or a clock.

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

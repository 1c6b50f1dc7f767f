//! Browsing without a model: plays an agent's script, finds elements by what a person sees of them, and turns
//! runs into scripts. Pure: knows no browser, store or clock.

pub mod step_checks;
pub mod describe_element;
pub(crate) mod nearby_text;
pub mod rendering;
pub mod author;
pub mod find;
pub mod pattern;
pub mod player;
pub mod recording;
pub mod narration;

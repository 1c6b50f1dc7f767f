//! Reading of texts: their words, specific parts and runs, their index, and what encodings hide.

pub mod pieces;
pub mod readability;
pub mod specifics;
pub mod text_index;
pub mod decoders;
pub mod views;

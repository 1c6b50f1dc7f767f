//! Rows that `extract` reads: their schema, the values that fit it, the check that a page holds them, and their files.

pub mod dates;
pub mod fit;
pub mod numbers;
pub mod page_words;
pub mod schema;
pub mod text_parts;
pub mod write;

use serde_json::{Map, Value};

/// Most rows of one reading.
pub const MAX_ROWS: usize = 5_000;

/// Row by the names of its columns.
pub type Row = Map<String, Value>;

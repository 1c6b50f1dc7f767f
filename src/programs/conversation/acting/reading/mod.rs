//! Reading for the agent: rows that a model reads out of a page, and files.

pub(crate) mod model_rows;
pub(crate) mod read_file;
mod text_file;

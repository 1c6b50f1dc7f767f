//! Agent calls of a conversation: start, follow, results.

pub(crate) mod background;
pub mod calling;
pub(crate) mod follows;
pub(crate) mod managing;
pub(crate) mod returned;

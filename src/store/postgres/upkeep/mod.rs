//! Work for the store that no run asks for: the node's lease, its hints to other nodes, and the removal of old rows.

pub(crate) mod drain;
pub(crate) mod hints;
pub(crate) mod housekeeping;
pub mod node;

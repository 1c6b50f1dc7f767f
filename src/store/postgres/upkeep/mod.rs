//! Work for the store that no run asks for: the claim of the one service that works on it, and the removal of old rows.

pub mod claim;
pub(crate) mod housekeeping;

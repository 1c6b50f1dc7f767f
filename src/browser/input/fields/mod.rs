//! Fields: typing, choosing options, and filling several at once.

pub mod cut_off_text;
pub mod fill;
pub(crate) mod select_option;
pub mod typing;

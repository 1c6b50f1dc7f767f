//! Askfirst.

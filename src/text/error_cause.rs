//! Causes of errors.

use std::error::Error;

/// Returns the innermost cause: `connection refused` instead of `error sending request`.
pub fn describe_root_cause(error: &dyn Error) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

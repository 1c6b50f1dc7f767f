//! A value that is never printed: `Debug` shows a mask, and there is no `Display`.

use serde::Deserialize;
use std::fmt;

/// A key, token or password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value, which is not printed from then on.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value, for the code that sends or compares it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("••••")
    }
}

/// Returns the value of an environment variable that holds a key; `None` if it is unset or empty.
pub fn secret_variable(name: &str) -> Option<Secret> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a variable that a person named after the start; it does not change"
    )]
    let value = std::env::var(name).ok()?;
    let value = value.trim();
    (!value.is_empty()).then(|| Secret::new(value))
}

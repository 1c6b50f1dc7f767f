//! A callback that runs after a step is stored. If the step is not stored, it is taken again and the callback
//! of the first try is dropped.

use std::fmt;

/// A callback, or none.
#[derive(Default)]
pub struct AfterCommit(Option<Box<dyn FnOnce() + Send + Sync>>);

impl AfterCommit {
    /// Wraps a callback, which runs at most once.
    pub fn new(callback: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(callback)))
    }

    /// Reports whether there is no callback.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Runs the callback, if there is one.
    pub fn run(self) {
        if let Some(callback) = self.0 {
            callback();
        }
    }
}

impl fmt::Debug for AfterCommit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(if self.0.is_some() { "AfterCommit(…)" } else { "AfterCommit" })
    }
}

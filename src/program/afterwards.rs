//! What is told of a step when it is stored, and never of one that is not: that one is taken again.

use std::fmt;

#[derive(Default)]
pub struct Afterwards(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Afterwards {
    pub fn of(tell: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub fn tell(self) {
        if let Some(tell) = self.0 {
            tell();
        }
    }
}

impl fmt::Debug for Afterwards {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(if self.0.is_some() { "Afterwards(…)" } else { "Afterwards" })
    }
}

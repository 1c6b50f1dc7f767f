//! Isolation backend of this machine: the first backend that works in a test run.

use crate::sandbox::guard_messages::Isolation;
use std::fmt;
use std::path::PathBuf;

/// Available isolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Kernel namespaces, created by the program at this path.
    Bubblewrap(PathBuf),
    /// Landlock and seccomp, by which a process confines itself.
    Landlock,
    /// No isolation, as the owner set.
    None,
}

impl Backend {
    pub(crate) fn hold(&self) -> Isolation {
        match self {
            Self::Bubblewrap(program) => Isolation::Bubblewrap(program.clone()),
            Self::Landlock => Isolation::Landlock,
            Self::None => Isolation::Bare,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bubblewrap(program) => write!(f, "bubblewrap ({})", program.display()),
            Self::Landlock => f.write_str("Landlock and seccomp"),
            Self::None => f.write_str("nothing, as sandbox.means says"),
        }
    }
}

//! Isolation backend of this machine: the first backend that works in a test run.

use super::order::{GuardVerdict, Isolation};
use super::{Sandbox, watched};
use crate::config::SandboxMeans;
use std::fmt;
use std::path::PathBuf;

const INSTALL: &str = "install bubblewrap (apt install bubblewrap)";
const OWN_WORD: &str = "or set sandbox.means = \"none\" to run them with all the rights of the service";

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
    pub(super) fn hold(&self) -> Isolation {
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

/// Returns the backend named in the settings, if it works; with `auto` the first one that does.
pub(super) fn find(sandbox: &Sandbox) -> Result<Backend, String> {
    if cfg!(not(target_os = "linux")) {
        return Err(String::from("they run on Linux only; the container image runs anywhere"));
    }
    let given = || sandbox.0.bubblewrap.clone().or_else(|| watched::on_path("bwrap"));
    let bubblewrap = || match given() {
        Some(program) => test_backend(sandbox, Backend::Bubblewrap(program)),
        None => Err(String::from("bubblewrap is not installed")),
    };
    let landlock = || test_backend(sandbox, Backend::Landlock);
    match sandbox.0.settings.means {
        SandboxMeans::None => Ok(Backend::None),
        SandboxMeans::Bubblewrap => bubblewrap().map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
        SandboxMeans::Landlock => landlock().map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
        SandboxMeans::Auto => bubblewrap()
            .or_else(|first| {
                tracing::warn!(why = %first, "code and commands of agents are held by less than bubblewrap");
                landlock().map_err(|second| format!("{first}; {second}"))
            })
            .map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
    }
}

/// Tests a backend by running `true` in it.
fn test_backend(sandbox: &Sandbox, means: Backend) -> Result<Backend, String> {
    let mut order = sandbox.order(&means, Some(watched::PATIENCE));
    order.command = String::from("true");
    match watched::run_blocking(&sandbox.0.program, &order) {
        Ok((GuardVerdict::Ended(0), _)) => Ok(means),
        Ok((GuardVerdict::Failed(why), said)) => {
            let why = [why.trim(), said.trim()].into_iter().filter(|part| !part.is_empty());
            Err(format!("{means} does not work here: {}", why.collect::<Vec<_>>().join(": ")))
        }
        Ok((GuardVerdict::Ended(_) | GuardVerdict::Stopped(_), said)) => {
            Err(format!("{means} does not work here: {}", said.trim()))
        }
        Err(fault) => Err(format!("{means} could not be tried: {fault}")),
    }
}

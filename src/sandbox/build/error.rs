//! Errors of a build. Each message says what to do.

use crate::sandbox::build::lock_file::LockFault;
use crate::sandbox::error::SandboxError;

/// Failure of a build. The messages are for people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    #[error("`build` of the agent has an error: {0}")]
    Section(String),
    #[error("`{file}` in the folder of the agent cannot be read: {why}")]
    File { file: String, why: String },
    #[error("the lock `{file}` is refused: {fault}")]
    Lock { file: String, fault: LockFault },
    #[error("the agent's folder changed during the build; run it again")]
    Changed,
    #[error("the agent's folder is larger than {0} MB; make it smaller, or raise build.max_mb")]
    Large(u64),
    #[error("its packages could not be built: {0}")]
    Sandbox(SandboxError),
    #[error("it took longer than {0} s to build and was stopped; raise build.timeout_s")]
    Time(u64),
    #[error("building took more than {0} MB and was stopped; raise build.max_mb")]
    Room(u64),
    #[error("its packages could not be built{}\n\n```\n{output}\n```", if .hint.is_empty() { String::new() } else { format!("; {}", .hint) })]
    Pip { output: String, hint: String },
    #[error("its image could not be built\n\n```\n{0}\n```")]
    Image(String),
    #[error(
        "it runs in an image, and there is neither podman nor docker on this machine; install one (apt install podman), or name it in build.engine"
    )]
    NoEngine,
    #[error(
        "it runs in an image, and {engine} does not work here: {why}; start its service, or install podman"
    )]
    Silent { engine: String, why: String },
    #[error(
        "the image `{0}`, which its own begins with, is not on this machine; fetch it (podman pull {0}), or set build.image_network = true"
    )]
    Base(String),
    #[error(
        "`{line}` in its Containerfile could reach for the network: {instead}; or set build.image_network = true"
    )]
    Network { line: String, instead: &'static str },
    #[error("the build cannot be stored: {0}")]
    Disk(String),
}

impl BuildError {
    pub(crate) fn disk(fault: &std::io::Error) -> Self {
        Self::Disk(fault.to_string())
    }
}

/// Returns the last lines of an output, which usually contain the reason of a failure.
pub fn last_lines(output: &str) -> String {
    const LINES: usize = 12;
    const LONGEST: usize = 300;
    let is_telling = |line: &&str| !line.trim().is_empty() && !line.starts_with("[notice]");
    let mut lines: Vec<String> = output
        .lines()
        .rev()
        .filter(is_telling)
        .take(LINES)
        .map(|line| line.chars().take(LONGEST).collect())
        .collect();
    lines.reverse();
    lines.join("\n")
}

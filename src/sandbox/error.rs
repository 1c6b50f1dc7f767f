//! Errors of code and commands: a short code for machines, and a message for people that says what to do.

/// Reason why a call in the sandbox failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SandboxError {
    #[error("agents’ code and commands cannot run: {0}")]
    Refused(String),
    #[error("agents’ Python code cannot run: {0}")]
    NoPython(String),
    #[error("the sandbox did not start: {0}")]
    Broken(String),
    #[error("`cwd` is {0}")]
    Cwd(String),
    #[error("`env` names {0}")]
    Env(String),
    #[error("`command` {0}")]
    Command(String),
    #[error(
        "there is no program `{0}` in the sandbox; install it on this machine, in /usr, or name one that is"
    )]
    NotFound(String),
    #[error("there is no program `{0}` in the image; add it there, or name one that is")]
    NotInImage(String),
    #[error("the files of the run cannot be lent to the sandbox: {0}")]
    Files(String),
    #[error(
        "it timed out after {0} s and was ended; make it shorter, or raise the agent's `timeout_s` or sandbox.timeout_s"
    )]
    Time(f64),
    #[error("it used more than {0} s of CPU time and was stopped; shorten it, or raise sandbox.cpu_s")]
    Cpu(u64),
    #[error(
        "it took more than {0} MB of memory and was ended; take less at once, or raise sandbox.memory_mb"
    )]
    Memory(u64),
    #[error("it started more than {0} processes and was stopped; start fewer, or raise sandbox.processes")]
    Processes(u64),
    #[error("it printed more than {0} KB and was stopped; print less, or raise sandbox.output_kb")]
    Output(u64),
    #[error("it wrote more than {0} MB and was stopped; write less, or raise sandbox.scratch_mb")]
    Scratch(u64),
    #[error("`{command}` ended with status {status}{}{}", signal_suffix(*.status), output_end(.stderr))]
    Status { command: String, status: i32, stderr: String },
    #[error("{kind}: {message}; {hint}")]
    MissingLibrary { kind: String, message: String, hint: String },
    #[error(
        "the code gave no result; {hint}; its variables are: {}", if .variables.is_empty() { "none" } else { .variables }
    )]
    NoResult { hint: String, variables: String },
    #[error("{0}")]
    NotJson(String),
    #[error("{kind}: {message}{}{}", if .hint.is_empty() { "" } else { "; " }, .hint)]
    Exception {
        kind: String,
        message: String,
        hint: String,
        traceback: String,
        printed: String,
        /// Message of the code's author for people, in both languages; empty if there is none.
        uk: String,
        en: String,
    },
    #[error("Python ended with status {status} before it gave a result{}{}", signal_suffix(*.status), output_end(.printed))]
    Ended { status: i32, printed: String },
}

impl SandboxError {
    /// Returns the short error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::NoPython(_) => "sandbox_refused",
            Self::Broken(_) => "sandbox_broken",
            Self::Cwd(_) => "bad_cwd",
            Self::Env(_) => "bad_env",
            Self::Command(_) => "bad_command",
            Self::NotFound(_) | Self::NotInImage(_) => "command_not_found",
            Self::Files(_) => "files_not_lent",
            Self::Time(_) => "timeout",
            Self::Cpu(_) => "cpu_limit",
            Self::Memory(_) => "memory_limit",
            Self::Processes(_) => "process_limit",
            Self::Output(_) => "output_limit",
            Self::Scratch(_) => "scratch_limit",
            Self::Status { .. } => "exit_status",
            Self::MissingLibrary { .. } => "missing_library",
            Self::NoResult { .. } => "no_result",
            Self::NotJson(_) => "not_json",
            Self::Exception { .. } => "exception",
            Self::Ended { .. } => "no_answer",
        }
    }

    /// Returns the name of the exception, or else the error code.
    pub fn kind(&self) -> &str {
        match self {
            Self::Exception { kind, .. } | Self::MissingLibrary { kind, .. } => kind,
            _ => self.code(),
        }
    }

    /// Returns the traceback of an exception within the agent's code.
    pub fn traceback(&self) -> Option<&str> {
        match self {
            Self::Exception { traceback, .. } if !traceback.is_empty() => Some(traceback),
            _ => None,
        }
    }
}

/// Returns the name of the signal that a status above 128 stands for, in brackets.
fn signal_suffix(status: i32) -> String {
    let signal = status.checked_sub(128).and_then(|number| nix::sys::signal::Signal::try_from(number).ok());
    signal.map_or_else(String::new, |signal| format!(" ({signal})"))
}

/// Returns the end of an output, short enough for a sentence.
fn output_end(text: &str) -> String {
    const LONGEST: usize = 600;
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let cut = text.char_indices().rev().nth(LONGEST).map_or(0, |(at, _)| at);
    format!(": {}{}", if cut > 0 { "…" } else { "" }, &text[cut..])
}

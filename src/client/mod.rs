//! Implementation of the commands: an HTTP client of the service of the data folder, which shows progress and
//! results to a person and sends their answers. It depends on the wire protocol only.

mod agents;
pub mod api;
mod question_prompt;
mod background;
mod bars;
mod facts;
mod goals;
mod inputs;
pub mod interrupted;
mod keyboard;
mod mcp;
mod orchestrate;
mod outcome;
mod progress;
mod run;
mod runs;
mod screen;
pub mod serving;
mod tasks;
mod tongue;
mod watch;
mod why;

pub use screen::{complain, note, plain_lines, print};

use crate::cli::Command;
use api::Api;
use interrupted::Interrupted;

/// Exit codes, which scripts rely on (see the help of `askfirst run`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Succeeded = 0,
    Usage = 2,
    Failed = 3,
    Cancelled = 4,
    Blocked = 5,
    Exhausted = 6,
}

/// Error that ends a command.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The arguments are not valid.
    #[error("{0}")]
    Usage(String),
    /// The service refused the request.
    #[error("{0}")]
    Refused(api::ApiError),
    #[error("the service at {address} does not answer ({cause}); {advice}")]
    Gone { address: String, cause: String, advice: String },
    #[error("the service sent an unexpected answer ({0}); is it another version?")]
    Unreadable(String),
    #[error("{what}: {source}")]
    File { what: String, source: std::io::Error },
    #[error("the HTTP client could not be created: {0}")]
    Client(String),
    /// Ended by an interrupt.
    #[error("interrupted")]
    Interrupted,
}

impl ClientError {
    /// True if the error may be temporary: the service does not answer, or is busy.
    pub fn passes(&self) -> bool {
        match self {
            Self::Gone { .. } => true,
            Self::Refused(refusal) => matches!(refusal.status, 429 | 503),
            Self::Usage(_)
            | Self::Unreadable(_)
            | Self::File { .. }
            | Self::Client(_)
            | Self::Interrupted => false,
        }
    }

    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Refused(refusal) => match refusal.status {
                400 | 404 | 409 | 413 | 422 => Exit::Usage,
                _ => Exit::Failed,
            },
            Self::Gone { .. } | Self::Unreadable(_) | Self::File { .. } | Self::Client(_) => Exit::Failed,
            Self::Interrupted => Exit::Cancelled,
        }
    }
}

/// Runs a command.
pub async fn carry_out(api: &Api, command: Command, interrupted: Interrupted) -> Exit {
    match command {
        Command::Run(order) => run::run(api, &order, interrupted).await,
        Command::Orchestrate(order) => run::orchestrate(api, &order, interrupted).await,
        Command::Agents(agents) => run_or_interrupt(agents::carry_out(api, agents.order), interrupted).await,
        Command::Runs(runs) => run_or_interrupt(runs::carry_out(api, runs.order), interrupted).await,
        Command::Tasks(order) => run_or_interrupt(tasks::carry_out(api, &order), interrupted).await,
        Command::Why(order) => run_or_interrupt(why::carry_out(api, &order), interrupted).await,
        Command::Mcp(order) => mcp::serve(api, &order, interrupted).await.unwrap_or_else(|fault| {
            complain(&fault);
            fault.exit()
        }),
        // These start what they need themselves.
        Command::Serve(_) | Command::Doctor(_) | Command::Replay(_) => Exit::Usage,
    }
}

/// Works until it is done or interrupted; what goes wrong is said.
async fn run_or_interrupt(
    work: impl Future<Output = Result<Exit, ClientError>>,
    mut interrupted: Interrupted,
) -> Exit {
    let done = tokio::select! {
        done = work => done,
        () = interrupted.once() => Err(ClientError::Interrupted),
    };
    done.unwrap_or_else(|fault| {
        complain(&fault);
        fault.exit()
    })
}

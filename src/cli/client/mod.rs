//! Implementation of the commands: an HTTP client of the service of the data folder, which shows progress and
//! results to a person and sends their answers. It depends on the wire protocol only.

pub(crate) mod drain;
pub(crate) mod input_arguments;
pub mod service_address;
pub(crate) mod terminal_language;
pub mod error;
pub mod follow;
pub(crate) mod agents;
pub mod api;
pub(crate) mod mcp;
pub(crate) mod orchestrate;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod tasks;
pub(crate) mod why;

use crate::cli::args::Command;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::follow::terminal_output::print_error;

/// Runs a command.
pub async fn carry_out(api: &Api, command: Command, interrupted: InterruptSignal) -> Exit {
    match command {
        Command::Run(args) => run::run(api, &args, interrupted).await,
        Command::Orchestrate(args) => run::orchestrate(api, &args, interrupted).await,
        Command::Agents(agents) => {
            run_or_interrupt(agents::carry_out(api, agents.command), interrupted).await
        }
        Command::Runs(runs) => run_or_interrupt(runs::carry_out(api, runs.command), interrupted).await,
        Command::Tasks(args) => run_or_interrupt(tasks::carry_out(api, &args), interrupted).await,
        Command::Why(args) => run_or_interrupt(why::carry_out(api, &args), interrupted).await,
        Command::Drain(args) => run_or_interrupt(drain::carry_out(api, &args), interrupted).await,
        Command::Mcp(args) => mcp::serve(api, &args, interrupted).await.unwrap_or_else(|fault| {
            print_error(&fault);
            fault.exit()
        }),
        // These start what they need themselves.
        Command::Serve(_) | Command::Doctor(_) | Command::Replay(_) | Command::Copy(_) => Exit::Usage,
    }
}

/// Runs the work until it ends or is interrupted, and prints its error.
async fn run_or_interrupt(
    work: impl Future<Output = Result<Exit, ClientError>>,
    mut interrupted: InterruptSignal,
) -> Exit {
    let done = tokio::select! {
        done = work => done,
        () = interrupted.once() => Err(ClientError::Interrupted),
    };
    done.unwrap_or_else(|fault| {
        print_error(&fault);
        fault.exit()
    })
}

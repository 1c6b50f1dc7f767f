//! Arguments that all commands share that start a run and follow it.

use crate::cli::args::shared_args::CommonArgs;
use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct FollowArgs {
    /// Approve what this rule of the gate asks about, and nothing else; may be repeated.
    #[arg(long, value_name = "RULE")]
    pub yes_to: Vec<String>,
    /// With the same key, return the run of this agent that was started with it first.
    #[arg(long, value_name = "KEY")]
    pub idempotency_key: Option<String>,
    /// A JSON object to store with the run.
    #[arg(long, value_name = "JSON")]
    pub metadata: Option<String>,
    /// Print one JSON object at the end: run_id, agent, status, ok, vars, response, error, questions.
    #[arg(long)]
    pub json: bool,
    /// Never ask, even in a terminal.
    #[arg(long)]
    pub no_input: bool,
    /// Ask even outside a terminal: each line of standard input is an answer.
    #[arg(long, conflicts_with = "no_input")]
    pub ask: bool,
    /// If nobody can answer, leave the run waiting, print its id and exit with 5.
    #[arg(long)]
    pub leave_waiting: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}

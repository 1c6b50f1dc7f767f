//! How a run that was started by a command is followed, whatever it carries out: what can be typed.

use super::Place;
use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct Following {
    /// Say yes to what exactly this rule of the gate asks, and to nothing else; may be given several times.
    #[arg(long, value_name = "RULE")]
    pub yes_to: Vec<String>,
    /// The same key gives the run of this agent that was started with it first.
    #[arg(long, value_name = "KEY")]
    pub idempotency_key: Option<String>,
    /// A JSON object that is kept with the run.
    #[arg(long, value_name = "JSON")]
    pub metadata: Option<String>,
    /// Print one JSON object at the end: run_id, agent, status, ok, vars, response, error, questions.
    #[arg(long)]
    pub json: bool,
    /// Ask nothing, though this is a terminal.
    #[arg(long)]
    pub no_input: bool,
    /// Ask, though this is no terminal: each line of standard input is an answer.
    #[arg(long, conflicts_with = "no_input")]
    pub ask: bool,
    /// Where nobody can answer, leave the run waiting, print its id and exit with 5.
    #[arg(long)]
    pub leave_waiting: bool,
    #[command(flatten)]
    pub place: Place,
}

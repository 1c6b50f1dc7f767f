//! Arguments of `askfirst replay`.

use crate::cli::args::shared_args::CommonArgs;
use clap::Args;

const AFTER_HELP: &str = "\
Answers of models, pages, code and people come from the record; what askfirst and its agents make of them is
worked out again, with the agents in the agents folder as they are now. Nothing is executed and nobody is asked.

Exit codes:
  0  the same
  1  there are differences: the first one is printed, with its run, step and node
  2  no such file or run, or it is not an exported run

Examples:
  askfirst replay 0198f3a0-1234-7abc-8def-0123456789ab
  askfirst replay run.json --json | jq .differences";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Replay {
    /// A file exported by GET /api/runs/{id}/export, or the id of a run.
    #[arg(value_name = "FILE|RUN_ID")]
    pub run: String,
    /// Use the agents as they were when the run was recorded.
    #[arg(long)]
    pub as_recorded: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}

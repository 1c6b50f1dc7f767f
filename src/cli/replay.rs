//! `askfirst replay`: what can be typed.

use super::Place;
use clap::Args;

const AFTER: &str = "\
What models, pages, code and people said comes from the record; what askfirst and its agents make of it is
worked out again, with the agents of the agents folder as they are now. Nothing is executed and nobody is asked.

Exit codes:
  0  the same
  1  something is different: the first difference is printed, with its run, step and node
  2  there is no such file or run, or it is not an exported run

Examples:
  askfirst replay 0198f3a0-1234-7abc-8def-0123456789ab
  askfirst replay run.json --json | jq .differences";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub struct Replay {
    /// A file as GET /api/runs/{id}/export gives it, or the id of a run.
    #[arg(value_name = "FILE|RUN_ID")]
    pub run: String,
    /// With the agents as they were when the run was recorded.
    #[arg(long)]
    pub as_recorded: bool,
    /// Print JSON instead of lines for people.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub place: Place,
}

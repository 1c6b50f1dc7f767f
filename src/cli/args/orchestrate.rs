//! Arguments of `askfirst orchestrate`.

use crate::cli::args::follow::FollowArgs;
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
PLAN is a YAML or JSON file: a plan ({steps: [...]}), or a whole order ({plan, bindings, timeout_ms,
max_parallel}); - is standard input. docs/orchestration.md describes the format.

Exit codes are those of `askfirst run`.

Examples:
  askfirst orchestrate plan.yaml --binding city=Kyiv --json | jq .vars.steps
  askfirst orchestrate --prompt \"read both files and compare them\" --timeout 120";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Orchestrate {
    /// A file with the plan.
    #[arg(value_name = "PLAN", required_unless_present = "prompt", conflicts_with = "prompt")]
    pub plan: Option<PathBuf>,
    /// The goal in words; a model makes the plan.
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// A value for templates: NAME=TEXT, NAME=@FILE or NAME:=JSON; may be repeated.
    #[arg(short, long = "binding", value_name = "NAME=VALUE")]
    pub bindings: Vec<String>,
    /// Time limit for everything; what is done by then is reported.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Limit of agents that run in parallel; the settings may allow fewer.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_parallel: Option<u64>,
    #[command(flatten)]
    pub follow: FollowArgs,
}

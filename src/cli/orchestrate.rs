//! `askfirst orchestrate`: what can be typed.

use super::Place;
use super::run::Run;
use clap::Args;
use std::path::PathBuf;

const AFTER: &str = "\
PLAN is a YAML or JSON file: a plan ({steps: [...]}), or a whole order ({plan, bindings, timeout_ms,
max_parallel}); - is standard input. docs/orchestration.md says what may stand in it.

Exit codes are those of `askfirst run`.

Examples:
  askfirst orchestrate plan.yaml --binding city=Kyiv --json | jq .vars.steps
  askfirst orchestrate --prompt \"read both files and compare them\" --timeout 120";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub struct Orchestrate {
    /// A file with the plan.
    #[arg(value_name = "PLAN", required_unless_present = "prompt", conflicts_with = "prompt")]
    pub plan: Option<PathBuf>,
    /// What is wanted, in words; a model makes the plan.
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// A value that templates may name: NAME=TEXT, NAME=@FILE or NAME:=JSON; may be given several times.
    #[arg(short, long = "binding", value_name = "NAME=VALUE")]
    pub bindings: Vec<String>,
    /// How long the whole may take; what is done by then is told.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// At most so many agents at once; the settings may allow fewer.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_parallel: Option<u64>,
    /// Say yes to what exactly this rule of the gate asks, and to nothing else; may be given several times.
    #[arg(long, value_name = "RULE")]
    pub yes_to: Vec<String>,
    /// The same key gives the run that was started with it first.
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

impl Orchestrate {
    /// The same as an order of the agent of this name; its input comes from elsewhere.
    pub fn as_run(&self, name: &str) -> Run {
        Run {
            name: name.to_owned(),
            text: None,
            inputs: Vec::new(),
            input_json: None,
            yes_to: self.yes_to.clone(),
            timeout: None,
            idempotency_key: self.idempotency_key.clone(),
            metadata: self.metadata.clone(),
            json: self.json,
            no_input: self.no_input,
            ask: self.ask,
            leave_waiting: self.leave_waiting,
            place: self.place.clone(),
        }
    }
}

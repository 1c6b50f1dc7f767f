//! `askfirst run`: what can be typed.

use super::following::Following;
use clap::Args;
use std::path::PathBuf;

const AFTER: &str = "\
Values:
  NAME=VALUE    read as the agent declares the input: text as it is, all else as JSON
  NAME=@FILE    what stands in the file (@- is standard input; @@ begins a text with @)
  NAME:=JSON    JSON, whatever is declared

Progress and questions are written to standard error, what came of the run to standard output. Questions
are asked where standard input and standard error are a terminal. Elsewhere nobody can answer: the run is
stopped and it is said which rule asked; --yes-to answers that rule, --leave-waiting keeps the question.

Ctrl-C stops the run and waits until it has ended; a second one leaves at once.

Exit codes:
  0  succeeded
  2  the command line or input is not valid (flags, agent, input)
  3  failed, or only in part done
  4  cancelled or denied: stopped, declined, not allowed, nobody to answer, out of --timeout
  5  blocked, or left waiting by --leave-waiting
  6  exhausted: a limit was reached

Examples:
  askfirst run browser \"open example.com and read\"
  askfirst run workflow_demo --input task=\"plan a birthday\"
  askfirst run demo_order --input-json order.json --yes-to buy --yes-to credentials --json | jq .vars";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub struct Run {
    /// The agent; `askfirst agents list` has them all.
    pub name: String,
    /// The input of an agent that has one text for it, as --input text=TEXT.
    pub text: Option<String>,
    /// An input; may be given several times.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// A JSON object of inputs, - for standard input; --input wins over it.
    #[arg(long, value_name = "FILE")]
    pub input_json: Option<PathBuf>,
    /// Stop the run when it takes longer.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    #[command(flatten)]
    pub how: Following,
}

//! Arguments of `askfirst run`.

use crate::cli::args::follow::FollowArgs;
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Values:
  NAME=VALUE    read as the agent declares the input: text as is, anything else as JSON
  NAME=@FILE    the contents of the file (@- is standard input; @@ starts a text with @)
  NAME:=JSON    JSON, whatever is declared

Progress and questions go to standard error, the result to standard output. Questions are asked when
standard input and standard error are a terminal. Otherwise nobody can answer: the run is stopped and the
rule that asked is named; --yes-to approves that rule, --leave-waiting keeps the question.

Ctrl-C stops the run and waits for it to end; a second one exits at once.

Exit codes:
  0  succeeded
  2  the command line or input is not valid (flags, agent, input)
  3  failed, or only partly done
  4  cancelled or denied: stopped, declined, not allowed, nobody to answer, or over --timeout
  5  blocked, or left waiting by --leave-waiting
  6  exhausted: a limit was reached

Examples:
  askfirst run browser \"open example.com and read\"
  askfirst run workflow_demo --input task=\"plan a birthday\"
  askfirst run demo_order --input-json order.json --yes-to buy --yes-to credentials --json | jq .vars";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct RunArgs {
    /// The agent; `askfirst agents list` shows them all.
    pub name: String,
    /// The input of an agent that takes one text, same as --input text=TEXT.
    pub text: Option<String>,
    /// An input; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// A JSON object of inputs, - for standard input; --input overrides it.
    #[arg(long, value_name = "FILE")]
    pub input_json: Option<PathBuf>,
    /// Stop the run if it takes longer.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    #[command(flatten)]
    pub follow: FollowArgs,
}

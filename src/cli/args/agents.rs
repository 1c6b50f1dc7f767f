//! Arguments of `askfirst agents`.

use crate::cli::args::shared_args::CommonArgs;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Exit codes: 0 done, 2 the command line or input is not valid, 3 errors were found or it failed.

Examples:
  askfirst agents new greet --kind atomic --executor llm
  askfirst agents validate greet.yaml
  askfirst agents export workflow_demo --with-used -o demo.yaml
  askfirst agents import demo.yaml --overwrite";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Agents {
    #[command(subcommand)]
    pub command: AgentsCommand,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub enum AgentsCommand {
    /// List all agents that can be run.
    List(List),
    /// Show one agent: its purpose, inputs and outputs.
    Show(Show),
    /// Report errors in agent files, each as FILE:LINE: path: message (hint); exits with 3 if there are any.
    Validate(Validate),
    /// Create a new agent from a valid, commented skeleton.
    New(New),
    /// Export an agent's file.
    Export(Export),
    /// Import agents from files, all of them or none.
    Import(Import),
}

#[derive(Clone, Debug, Args)]
pub struct List {
    /// Print JSON, as GET /api/agents gives it.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Show {
    pub name: String,
    /// Print the whole agent as JSON.
    #[arg(long, conflicts_with = "yaml")]
    pub json: bool,
    /// Print its file.
    #[arg(long)]
    pub yaml: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Validate {
    /// Files, names of agents, or - for standard input.
    #[arg(required = true, value_name = "FILE|NAME|-")]
    pub what: Vec<String>,
    /// Print one JSON object: ok, faults.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct New {
    /// Name of the agent: a-z, 0-9 and _, starting with a letter.
    pub name: String,
    #[arg(long, value_enum)]
    pub kind: AgentKindArg,
    /// The executor of an atomic agent.
    #[arg(long, value_enum, required_if_eq("kind", "atomic"))]
    pub executor: Option<Executor>,
    /// Title in Ukrainian; by default derived from the name.
    #[arg(long, value_name = "TITLE")]
    pub title_ua: Option<String>,
    /// Title in English; by default derived from the name.
    #[arg(long, value_name = "TITLE")]
    pub title_en: Option<String>,
    /// Write to a file instead of adding it to the agents.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AgentKindArg {
    Atomic,
    Composite,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Executor {
    Llm,
    Python,
    Shell,
    Browser,
}

#[derive(Clone, Debug, Args)]
pub struct Export {
    pub name: String,
    /// Output file, or a folder that gets one file per agent [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Include the agents it calls, directly or not; in one file, as separate documents.
    #[arg(long)]
    pub with_used: bool,
    /// Replace an existing file.
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Import {
    /// Files, each with one agent or several documents, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Replace existing agents.
    #[arg(long)]
    pub overwrite: bool,
}

//! `askfirst agents`: what can be typed.

use super::Place;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER: &str = "\
Exit codes: 0 done, 2 what was typed does not fit, 3 faults were found or it failed.

Examples:
  askfirst agents new greet --kind atomic --executor llm
  askfirst agents validate greet.yaml
  askfirst agents export workflow_demo --with-used -o demo.yaml
  askfirst agents import demo.yaml --overwrite";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub struct Agents {
    #[command(subcommand)]
    pub order: Order,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Order {
    /// All agents that can be run.
    List(List),
    /// One agent: what it is for, what it takes and gives.
    Show(Show),
    /// Say what is wrong with agent files, each fault as FILE:LINE: path: message (hint); exit 3 if any is.
    Validate(Validate),
    /// Save a commented skeleton of an agent that is valid as it stands.
    New(New),
    /// Write an agent's file.
    Export(Export),
    /// Save agents from files, all of them or none.
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
    /// a-z, 0-9 and _, beginning with a letter.
    pub name: String,
    #[arg(long, value_enum)]
    pub kind: Kind,
    /// Who carries an atomic agent out.
    #[arg(long, value_enum, required_if_eq("kind", "atomic"))]
    pub executor: Option<Executor>,
    /// Title in Ukrainian; without it one is made of the name.
    #[arg(long, value_name = "TITLE")]
    pub title_ua: Option<String>,
    /// Title in English; without it one is made of the name.
    #[arg(long, value_name = "TITLE")]
    pub title_en: Option<String>,
    /// Write a file instead of saving it among the agents.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
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
    /// Where to; a folder gets a file for each agent. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also the agents that it calls, and those that they call; in one file, as documents of their own.
    #[arg(long)]
    pub with_used: bool,
    /// Replace a file that is there.
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Import {
    /// Files, each with one agent or several documents, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Replace agents that are there.
    #[arg(long)]
    pub overwrite: bool,
}

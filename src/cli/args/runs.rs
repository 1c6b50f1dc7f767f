//! Arguments of `askfirst runs`.

use crate::cli::args::shared_args::CommonArgs;
use clap::{Args, Subcommand};

const AFTER: &str = "\
Exit codes: 0 done, 2 what was typed does not fit, 3 some of it could not be done, 4 declined.

Examples:
  askfirst runs search lamp shop.test
  askfirst runs list --status failed,denied --limit 10
  askfirst runs rename 0198c5d2-… \"Birthday present\"
  askfirst runs delete 0198c5d2-… --yes";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub struct Runs {
    #[command(subcommand)]
    pub order: RunsCommand,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub enum RunsCommand {
    /// Tasks: pinned ones first, then the newest.
    List(ListRuns),
    /// Tasks with these words in their titles, messages, answers or sites.
    Search(SearchRuns),
    /// Give a task a title of your own; without one, it gets its first again.
    Rename(RenameRun),
    /// Let tasks stand above all others.
    Pin(PinRuns),
    /// Put tasks away, so that lists leave them out.
    Archive(ArchiveRuns),
    /// Delete tasks with their conversations, pictures and files; one that is under way is stopped first.
    Delete(DeleteRuns),
    /// Start a run of the same agent with the same input.
    Again(RunAgain),
}

#[derive(Clone, Debug, Args)]
pub struct ListRuns {
    #[command(flatten)]
    pub only: OnlyRuns,
}

#[derive(Clone, Debug, Args)]
pub struct SearchRuns {
    #[arg(required = true)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub only: OnlyRuns,
}

#[derive(Clone, Debug, Args)]
pub struct OnlyRuns {
    /// Only those that stand so: waiting, succeeded, …; several with commas between them.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only those of this agent.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only archived tasks.
    #[arg(long)]
    pub archived: bool,
    /// Most tasks to list.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub limit: u16,
    /// Print JSON instead of lines for people.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RenameRun {
    #[arg(value_name = "RUN")]
    pub run: String,
    pub title: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct PinRuns {
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Let them stand where they stood.
    #[arg(long)]
    pub off: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ArchiveRuns {
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Take them out of the archive.
    #[arg(long)]
    pub off: bool,
}

#[derive(Clone, Debug, Args)]
pub struct DeleteRuns {
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Do not ask.
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RunAgain {
    #[arg(value_name = "RUN")]
    pub run: String,
}

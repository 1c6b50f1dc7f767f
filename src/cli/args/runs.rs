//! Arguments of `askfirst runs`.

use crate::cli::args::shared_args::CommonArgs;
use clap::{Args, Subcommand};

const AFTER_HELP: &str = "\
Exit codes: 0 done, 2 the command line is not valid, 3 some of it could not be done, 4 declined.

Examples:
  askfirst runs search lamp shop.test
  askfirst runs list --status failed,denied --limit 10
  askfirst runs rename 0198c5d2-… \"Birthday present\"
  askfirst runs delete 0198c5d2-… --yes";

#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Runs {
    #[command(subcommand)]
    pub command: RunsCommand,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub enum RunsCommand {
    /// Tasks: pinned ones first, then the newest.
    List(ListRuns),
    /// Tasks with these words in their titles, messages, answers or sites.
    Search(SearchRuns),
    /// Rename a task; without TITLE, restore the generated title.
    Rename(RenameRun),
    /// Pin tasks to the top of the list.
    Pin(PinRuns),
    /// Archive tasks, which hides them from lists.
    Archive(ArchiveRuns),
    /// Delete tasks with their conversations, pictures and files; running ones are stopped first.
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
    /// Only tasks with this status: waiting, succeeded, …; separate several with commas.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only tasks of this agent.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only archived tasks.
    #[arg(long)]
    pub archived: bool,
    /// Maximum number of tasks to list.
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
    /// Unpin them.
    #[arg(long)]
    pub off: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ArchiveRuns {
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Restore them from the archive.
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

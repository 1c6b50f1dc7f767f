//! The command line: arguments and flags of `askfirst`, without their implementation.

pub mod copy;
pub mod follow;
pub mod shared_args;
pub mod agents;
pub mod orchestrate;
pub mod replay;
pub mod run;
pub mod runs;

use crate::cli::args::agents::Agents;
use crate::cli::args::copy::Copy;
use crate::cli::args::orchestrate::Orchestrate;
use crate::cli::args::replay::Replay;
use crate::cli::args::run::RunArgs;
use crate::cli::args::runs::Runs;
use crate::cli::args::shared_args::CommonArgs;
use crate::config::layers::Flags;
use clap::{Args, Parser, Subcommand};

/// Chat with an agent, watch it drive a real Chromium, approve anything risky.
#[derive(Clone, Debug, Parser)]
#[command(name = "askfirst", version, about, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Serve the page, the API and the demo shop.
    Serve(Serve),
    /// Check Chromium, model, sandbox, store and port, and say what to do.
    Doctor(Doctor),
    /// Run an agent and wait for its result.
    Run(RunArgs),
    /// Have several agents carry out a plan, from a file or made from a prompt.
    Orchestrate(Orchestrate),
    /// List, show, check, create, export and import agents.
    Agents(Agents),
    /// Search the list of tasks; rename, pin, archive, delete one, or run it again.
    Runs(Runs),
    /// List the background work of runs, or stop some of it.
    Tasks(Tasks),
    /// Show why a run is in its current state, and what would move it.
    Why(Why),
    /// Serve the agents as tools over the Model Context Protocol, on standard input and output.
    Mcp(Mcp),
    /// Replay a recorded run and report any difference.
    Replay(Replay),
    /// Copy all runs into another, empty store: a data folder, or a PostgreSQL database.
    Copy(Copy),
    /// Give the runs of the service to the other nodes of its cluster, before it is stopped.
    Drain(Drain),
}

#[derive(Clone, Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Address to listen on [default: 127.0.0.1]; other than on loopback, a token is required.
    #[arg(long)]
    pub host: Option<String>,
    /// Port to listen on [default: 8787]; 0 picks a free one and prints it.
    #[arg(long)]
    pub port: Option<u16>,
    /// Open the page in the default browser.
    #[arg(long)]
    pub open: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Tasks {
    #[command(flatten)]
    pub common: CommonArgs,
    /// The work of this run, including what has ended; without it, everything that is running now.
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Stop this one.
    #[arg(long, value_name = "ID", conflicts_with = "run")]
    pub cancel: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Why {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Id of the run.
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The language of the answer, "uk" or "en"; if absent, that of LC_ALL, LC_MESSAGES or LANG.
    #[arg(long, value_name = "TAG")]
    pub locale: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Mcp {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Let the client answer questions for you; requires `server.token` in the settings.
    #[arg(long)]
    pub may_answer: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Drain {
    #[command(flatten)]
    pub common: CommonArgs,
    /// End a drain: the service takes runs again.
    #[arg(long)]
    pub undo: bool,
}

impl Cli {
    /// Returns the flags that override settings.
    pub fn flags(&self) -> Flags {
        match &self.command {
            Command::Serve(serve) => {
                Flags { host: serve.host.clone(), port: serve.port, ..serve.common.flags() }
            }
            Command::Doctor(doctor) => doctor.common.flags(),
            Command::Run(run) => run.follow.common.flags(),
            Command::Orchestrate(orchestrate) => orchestrate.follow.common.flags(),
            Command::Agents(agents) => agents.common.flags(),
            Command::Runs(runs) => runs.common.flags(),
            Command::Tasks(tasks) => tasks.common.flags(),
            Command::Why(why) => why.common.flags(),
            Command::Mcp(mcp) => mcp.common.flags(),
            Command::Replay(replay) => replay.common.flags(),
            Command::Drain(drain) => drain.common.flags(),
            Command::Copy(copy) => copy.common.flags(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_flag_reaches_the_settings() {
        Cli::command().debug_assert();
        let line = "askfirst serve --host ::1 --port 0 --data-dir d --config c.toml --open";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let flags = Flags {
            config: Some("c.toml".into()),
            data_dir: Some("d".into()),
            host: Some("::1".into()),
            port: Some(0),
        };
        assert_eq!(cli.flags(), flags);
        assert!(matches!(cli.command, Command::Serve(Serve { open: true, .. })));
    }

    #[test]
    fn an_unknown_command_is_a_usage_error() {
        for line in ["askfirst", "askfirst srve", "askfirst serve --port high", "askfirst doctor --port 1"] {
            let fault = Cli::try_parse_from(line.split(' ')).err().unwrap();
            assert_eq!(fault.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn every_command_takes_the_folder_and_the_settings() {
        for line in [
            "askfirst doctor --data-dir d --config c",
            "askfirst run echo --data-dir d --config c",
            "askfirst orchestrate plan.yaml --data-dir d --config c",
            "askfirst agents --data-dir d list --config c",
            "askfirst agents show echo --data-dir d --config c",
            "askfirst tasks r1 --data-dir d --config c",
            "askfirst runs search lamp --data-dir d --config c",
            "askfirst why r1 --data-dir d --config c",
            "askfirst mcp --data-dir d --config c",
        ] {
            let flags = Cli::try_parse_from(line.split(' ')).unwrap().flags();
            assert_eq!((flags.data_dir, flags.config), (Some("d".into()), Some("c".into())), "{line}");
        }
    }

    #[test]
    fn contradicting_flags_are_a_usage_error() {
        for line in [
            "askfirst run",
            "askfirst run echo --ask --no-input",
            "askfirst run echo --timeout soon",
            "askfirst orchestrate",
            "askfirst orchestrate plan.yaml --prompt x",
            "askfirst orchestrate plan.yaml --max-parallel 0",
            "askfirst agents",
            "askfirst agents show echo --json --yaml",
            "askfirst agents new x",
            "askfirst agents import",
            "askfirst tasks r1 --cancel build",
            "askfirst runs",
            "askfirst runs search",
            "askfirst runs list --limit 0",
            "askfirst runs delete",
        ] {
            assert!(
                Cli::try_parse_from(line.split(' ')).is_err_and(|fault| fault.exit_code() == 2),
                "{line}"
            );
        }
    }
}

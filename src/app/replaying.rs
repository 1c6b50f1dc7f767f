//! `askfirst replay`: executes recorded steps again in isolation. The replay has the parts of a service that
//! compute steps, but none that has outside effects: its store and folders are temporary, the model's address
//! leads nowhere, and no browser is opened.

use crate::app::error::AppError;
use crate::app::scratch::Scratch;
use crate::app::{connection, library, programs, service_handle};
use crate::browser::pool::supervisor::Supervisor;
use crate::catalog::agent_programs::AgentPrograms;
use crate::cli::args::replay::Replay;
use crate::cli::client::error::Exit;
use crate::cli::client::follow::terminal_output::{plain_lines, print, print_error};
use crate::config::{SandboxMeans, Settings};
use crate::ids::RunId;
use crate::model::connection::effective;
use crate::observability::replay::context::ReplayContext;
use crate::observability::replay::recorded_run::RecordedRun;
use crate::observability::replay::report::Report;
use crate::observability::replay::{recorded_run, replay};
use crate::secrets::named_secrets::NamedSecrets;
use crate::store::Store;
use crate::store::sqlite::connection::store::SqliteStore;
use actix::{AsyncContext, Context};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

const EXIT_SAME: u8 = 0;
const EXIT_DIFFERENT: u8 = 1;
/// The domain `invalid` is reserved and never resolves (RFC 2606).
const UNREACHABLE_URL: &str = "http://replay.invalid/v1";
const SCRATCH: &str = "askfirst-replay";
/// Maximum size of a file, in bytes. A run of two hundred messages has a tenth of that.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of steps of a run and all runs below it.
const MAX_STEPS: usize = 20_000;

/// Error that prevents a replay.
#[derive(Debug, thiserror::Error)]
enum ReplayError {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    App(#[from] AppError),
    #[error("a folder for the replay cannot be created: {0}")]
    Folder(#[from] std::io::Error),
}

/// Runs the command. Returns the exit code of the process.
pub async fn command(settings: Settings, arguments: Replay) -> u8 {
    let document = match document(&settings, &arguments.run).await {
        Ok(document) => document,
        Err(exit) => return exit as u8,
    };
    match replay_runs(settings, &document, arguments.as_recorded).await {
        Ok(report) => {
            match arguments.json {
                true => print(&format!("{:#}\n", report.json())),
                false => print(&plain_lines(&report.to_string())),
            }
            if report.differences.is_empty() { EXIT_SAME } else { EXIT_DIFFERENT }
        }
        Err(fault) => {
            print_error(&fault);
            match fault {
                ReplayError::Usage(_) => Exit::Usage as u8,
                ReplayError::App(_) | ReplayError::Folder(_) => Exit::Failed as u8,
            }
        }
    }
}

/// Reads the document from a file, or from the service that has the run.
async fn document(settings: &Settings, run: &str) -> Result<Value, Exit> {
    let path = Path::new(run);
    if !path.exists() && RunId::is_one(run) {
        return service_handle::fetch(settings, &format!("/api/runs/{run}/export")).await;
    }
    let document = bytes(path).map_err(|fault| format!("{run}: {fault}")).and_then(|bytes| {
        serde_json::from_slice(&bytes).map_err(|fault| format!("{run} is not an exported run: {fault}"))
    });
    document.map_err(|fault| {
        print_error(&ReplayError::Usage(fault));
        Exit::Usage
    })
}

/// Reads a regular file. Devices and pipes are refused, because they may never end.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        let message = "is not a file; save the answer of `GET /api/runs/{id}/export` to one";
        return Err(std::io::Error::other(message));
    }
    if about.len() > MAX_BYTES {
        let message = format!("is larger than {} MB, the limit of a replay", MAX_BYTES / 1024 / 1024);
        return Err(std::io::Error::other(message));
    }
    std::fs::read(path)
}

async fn replay_runs(settings: Settings, document: &Value, as_recorded: bool) -> Result<Report, ReplayError> {
    let none =
        || ReplayError::Usage(String::from("this is not an exported run, or it is from an older version"));
    let mut runs = recorded_run::read(&document["replay"]).ok_or_else(none)?;
    check_size(&runs).map_err(ReplayError::Usage)?;
    // Use the agents of the chosen folder by name, not the recorded versions.
    runs.iter_mut().for_each(|run| run.row.version = None);
    let scratch = Scratch::make(SCRATCH)?;
    let settings = replay_settings(settings, document, scratch.path(), as_recorded)?;
    let store: Arc<dyn Store> = {
        let store = SqliteStore::open(&settings.data_dir, Box::new(|_| ()));
        Arc::new(store.map_err(AppError::from)?)
    };
    let programs = replay_programs(&settings, &store, origin(&runs))?;
    Ok(replay(&ReplayContext { programs: &programs, store }, &runs).await)
}

/// Refuses a document with too many steps, or with runs or steps that no service writes.
fn check_size(runs: &[RecordedRun]) -> Result<(), String> {
    let steps: usize = runs.iter().map(|run| run.steps.len()).sum();
    if steps > MAX_STEPS {
        return Err(format!("there are {steps} steps in it; {MAX_STEPS} at most are replayed"));
    }
    let mut ids = HashSet::new();
    for run in runs {
        let id = &run.row.id;
        if !ids.insert(id) {
            return Err(format!("this is not an exported run: run {id} is in it more than once"));
        }
        if let Some(two) = run.steps.windows(2).find(|two| two[0].n >= two[1].n) {
            return Err(format!(
                "this is not an exported run: step {} of run {id} follows on step {}",
                two[1].n, two[0].n
            ));
        }
    }
    Ok(())
}

/// Returns settings without anything that reaches outside.
fn replay_settings(
    mut settings: Settings,
    document: &Value,
    scratch: &Path,
    as_recorded: bool,
) -> Result<Settings, std::io::Error> {
    // Model names set in the UI override those of the settings.
    settings.model = effective(&settings.model, &settings.data_dir);
    settings.data_dir = scratch.join("data");
    settings.model.api_key = None;
    settings.mcp.clear();
    settings.model.base_url = (document["planner"] == "model").then(|| UNREACHABLE_URL.to_owned());
    settings.sandbox.means = match document["isolates"] == false {
        true => SandboxMeans::None,
        false => SandboxMeans::Auto,
    };
    if as_recorded {
        settings.agents_dir = scratch.join("agents");
        std::fs::create_dir_all(&settings.agents_dir)?;
        for agent in document["agents"].as_array().into_iter().flatten() {
            let (name, text) = (agent["name"].as_str(), agent["text"].as_str());
            let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if let (Some(name), Some(text)) = (name.filter(plain), text) {
                std::fs::write(settings.agents_dir.join(format!("{name}.yaml")), text)?;
            }
        }
    }
    Ok(settings)
}

fn replay_programs(
    settings: &Settings,
    store: &Arc<dyn Store>,
    origin: String,
) -> Result<AgentPrograms, AppError> {
    let library = library(settings)?;
    let keys = NamedSecrets::from_config(&settings.secrets);
    // The address of a supervisor that is not there: whoever asks it for a browser gets none.
    let supervisor = Context::<Supervisor>::new().address();
    programs(settings, store, &library, &supervisor, origin, keys, connection(settings)?)
}

/// Returns the origin of the service that recorded the runs; its demo shop counts as the service's own.
fn origin(runs: &[RecordedRun]) -> String {
    let inputs = runs.iter().flat_map(|run| run.step_inputs.values());
    let mut origins = inputs.filter_map(|input| input["given"]["origin"].as_str());
    origins.next().unwrap_or_default().to_owned()
}

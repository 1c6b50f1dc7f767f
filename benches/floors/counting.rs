//! A minimal program that counts its steps and ends. Its state may be padded, to show whether the cost of a
//! step depends on the size of the state.

use actix::{Actor, Addr};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::clock::Stopwatch;
use askfirst::engine::archive::{Archive, FlushArchive};
use askfirst::engine::program::factory::{Concealment, ProgramFactory};
use askfirst::engine::program::run_start::RunStart;
use askfirst::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use askfirst::engine::registry::starting::StartRun;
use askfirst::engine::registry::state::Registry;
use askfirst::engine::services::RunServices;
use askfirst::engine::takeover::pages::BrowserPages;
use askfirst::files::FileStore;
use askfirst::ids::RunId;
use askfirst::protocol::Status;
use askfirst::store::Store;
use askfirst::store::rows::{Intent, RunRow};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

pub struct Counter {
    ended: mpsc::UnboundedSender<RunId>,
}

struct Counting {
    at: u64,
    last: u64,
    padding: String,
}

impl Concealment for Counter {}

impl ProgramFactory for Counter {
    fn begin(&self, _: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        let padding = "x".repeat(input["padding"].as_u64().unwrap_or(0) as usize);
        let state = json!({"at": 0, "last": input["steps"], "padding": padding});
        Ok(RunStart::without_limits("counting", "count", state, String::from("counting")))
    }

    fn load(&self, _: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        Ok(Box::new(Counting {
            at: state["at"].as_u64().unwrap_or(0),
            last: state["last"].as_u64().unwrap_or(0),
            padding: state["padding"].as_str().unwrap_or_default().to_owned(),
        }))
    }

    fn release_tree(&self, root: &RunId) {
        let _ = self.ended.send(root.clone());
    }
}

/// Returns the stored changes of one step.
pub fn changes(at: u64) -> Value {
    json!({"to": "count", "at": at})
}

impl Program for Counting {
    fn node(&self) -> &'static str {
        "count"
    }

    fn step(&self, _: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let at = self.at + 1;
        let end = RunEnd { outcome: Status::Succeeded, response: None, vars: Map::new() };
        let next = if at >= self.last { Continuation::End(end) } else { Continuation::Go };
        let visit = StepResult {
            node: "count",
            outcome: "counted",
            changes: changes(at),
            next,
            record: StepRecord::default(),
        };
        Box::pin(std::future::ready(Ok(visit)))
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        self.at = changes["at"].as_u64().unwrap_or(self.at);
        Ok(())
    }

    fn state(&self) -> Value {
        json!({"at": self.at, "last": self.last, "padding": self.padding})
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        changes(self.at)
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for Counting {}

impl RunEnding for Counting {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome.word().to_owned()
    }
}

impl Replayable for Counting {}

/// The engine on a store, without the rest of the service.
pub struct Machine {
    registry: Addr<Registry>,
    archive: Addr<Archive>,
    ended: mpsc::UnboundedReceiver<RunId>,
}

impl Machine {
    pub fn over(store: Arc<dyn Store>, folder: &Path) -> Self {
        let (sender, ended) = mpsc::unbounded_channel();
        let archive = Archive::new(folder.join("runs"), Arc::clone(&store)).start();
        let programs = Arc::new(Counter { ended: sender });
        let supervisor = Supervisor::new(crate::stage::config(folder)).start();
        let pages =
            Arc::new(BrowserPages { supervisor, store: Arc::clone(&store), profile: Arc::new(|_| None) });
        let engine = Arc::new(RunServices {
            store,
            pages,
            programs,
            archive: archive.clone(),
            files: FileStore::new(folder.join("runs"), 1, 2),
            recording: askfirst::config::recording::Recording::All,
            client_answers: false,
        });
        Self { registry: Registry::new(engine).start(), archive, ended }
    }

    /// Runs this many steps and returns the microseconds per step.
    pub async fn count(&mut self, steps: u64, padding: usize) -> f64 {
        self.run_trees(1, steps, padding).await * 1e6 / steps as f64
    }

    /// Runs several trees of this many steps at once and returns the steps of all of them per second.
    pub async fn count_together(&mut self, trees: u64, steps: u64) -> f64 {
        (trees * steps) as f64 / self.run_trees(trees, steps, 0).await
    }

    /// Returns the seconds until the last tree has ended.
    async fn run_trees(&mut self, trees: u64, steps: u64, padding: usize) -> f64 {
        let input = Map::from_iter([("steps".into(), json!(steps)), ("padding".into(), json!(padding))]);
        let watch = Stopwatch::start();
        for _ in 0..trees {
            let start = StartRun::new(String::from("counter"), input.clone());
            self.registry.send(start).await.unwrap().unwrap();
        }
        for _ in 0..trees {
            self.ended.recv().await.unwrap();
        }
        let seconds = watch.seconds();
        // Otherwise its files would be written during the next measurement.
        self.archive.send(FlushArchive).await.unwrap();
        seconds
    }
}

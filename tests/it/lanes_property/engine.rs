//! The engine as it is, over programs that can be counted: composites step the real lanes, all other
//! agents a program of two steps whose outcome `atoms` knows. It dies and is started again.

use super::atoms;
use super::cases::{ATOMS, Case, DEPTH, Death, TOTAL};
use super::crashing_store::CrashingStore;
use crate::support::pages::FakePages;
use actix::{Actor, Addr};
use askfirst::agent_spec::input_check;
use askfirst::agent_spec::types::spec::{AgentSpec, Kind};
use askfirst::config::layers::Flags;
use askfirst::config::recording::Recording;
use askfirst::config::{Limits, Settings};
use askfirst::engine::archive::Archive;
use askfirst::engine::program::factory::{Concealment, ProgramFactory};
use askfirst::engine::program::refused_run::RefusedRun;
use askfirst::engine::program::run_start::RunStart;
use askfirst::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use askfirst::engine::registry::starting::StartRun;
use askfirst::engine::registry::state::Registry;
use askfirst::engine::registry::{CountAtWork, StopService};
use askfirst::engine::services::RunServices;
use askfirst::files::FileStore;
use askfirst::ids::RunId;
use askfirst::programs::lanes;
use askfirst::programs::lanes::Lanes;
use askfirst::protocol::{Locale, Status};
use askfirst::store::rows::{EventRow, Intent, LogAdditions, RunFilter, RunRow};
use askfirst::store::sqlite::connection::store::SqliteStore;
use askfirst::store::{RunRows, Store, TraceRows};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// State of a case that outlives the process.
pub struct CaseState {
    specs: BTreeMap<String, AgentSpec>,
    limits: Limits,
    pace: u64,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    /// Runs of one item, by who called it and its tag.
    tries: BTreeMap<(String, String), Vec<RunId>>,
    /// Runs that had ended when the process died.
    over: BTreeSet<String>,
    faults: Vec<String>,
}

/// Result of a case.
pub struct Played {
    pub root: RunRow,
    pub runs: Vec<RunRow>,
    pub events: Vec<EventRow>,
    pub faults: Vec<String>,
    pub deaths: usize,
}

/// Process of the service, from its start to its death.
struct Life {
    store: Arc<CrashingStore>,
    engine: Arc<RunServices>,
    registry: Addr<Registry>,
}

struct Playing {
    case_state: Arc<CaseState>,
    store: Arc<CrashingStore>,
    /// Runs that are in the browser now.
    surfing: Arc<AtomicUsize>,
}

/// Two steps: one that does nothing, and one that ends.
struct Tiny {
    agent: String,
    tag: String,
    parent: String,
    given: Value,
    at: u64,
    playing: Playing,
}

pub async fn played(case: &Case) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let (event_sender, mut event_receiver) = unbounded_channel();
    let observer = Box::new(move |written: LogAdditions| {
        written.events.into_iter().for_each(|event| drop(event_sender.send(event)));
    });
    let store = Arc::new(SqliteStore::open(folder.path(), observer).unwrap());
    let case_state = Arc::new(CaseState::from_case(case));
    let mut deaths = case.deaths.iter().copied();
    let mut life = Life::begin(&store, &case_state, deaths.next(), folder.path());
    let start = StartRun::new(String::from("c0"), case.input.clone());
    let root = life.registry.send(start).await.unwrap().unwrap();
    let mut died = 0;
    while !life.comes_to_rest(&root, &mut event_receiver).await {
        died += 1;
        life.store.finish_writing().await;
        case_state.remember(&store, &root).await;
        life.ends().await;
        life = Life::begin(&store, &case_state, deaths.next(), folder.path());
    }
    let all = RunFilter { root: Some(root.clone()), limit: 100_000, ..RunFilter::default() };
    let mut runs = store.runs(all).await.unwrap();
    runs.sort_by_key(|run| run.ordinal);
    let played = Played {
        root: runs.remove(0),
        runs,
        events: store.events(root, 0, 1_000_000).await.unwrap(),
        faults: case_state.log.lock().unwrap().faults.clone(),
        deaths: died,
    };
    life.ends().await;
    played
}

impl Life {
    fn begin(
        store: &Arc<SqliteStore>,
        case_state: &Arc<CaseState>,
        death: Option<Death>,
        folder: &std::path::Path,
    ) -> Self {
        let store = Arc::new(CrashingStore::new(Arc::clone(store), death));
        let playing = Playing {
            case_state: Arc::clone(case_state),
            store: Arc::clone(&store),
            surfing: Arc::default(),
        };
        let shared_store: Arc<dyn Store> = store.clone();
        let archive = Archive::new(folder.join("runs"), Arc::clone(&shared_store)).start();
        let engine = Arc::new(RunServices {
            store: shared_store,
            pages: Arc::new(FakePages::default()),
            programs: Arc::new(playing),
            archive,
            files: FileStore::new(folder.join("runs"), 1, 2),
            recording: Recording::All,
            client_answers: false,
        });
        let registry = Registry::new(Arc::clone(&engine)).start();
        Self { store, engine, registry }
    }

    /// Waits until all runs have ended; false if the process dies before.
    async fn comes_to_rest(&self, root: &RunId, event_receiver: &mut UnboundedReceiver<EventRow>) -> bool {
        let mut dead = self.store.dead.subscribe();
        let mut over = self.store.outlives.run(root.clone()).await.unwrap().unwrap().ended_at.is_some();
        loop {
            if self.store.is_dead() {
                return false;
            }
            if over {
                // Runs that the root left behind are stopped meanwhile.
                if self.registry.send(CountAtWork).await.unwrap() == 0 && !self.store.is_dead() {
                    return true;
                }
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                _ = dead.changed() => {}
                event = event_receiver.recv() => {
                    let event = event.expect("the store tells");
                    over = event.run == *root && event.body.contains("\"run_ended\"");
                }
            }
        }
    }

    /// Drops all that runs, without a word.
    async fn ends(self) {
        self.registry.send(StopService).await.unwrap();
        drop(self.registry);
        // The run actors are gone when only the registry, which sleeps, holds the engine.
        while Arc::strong_count(&self.engine) > 2 {
            tokio::task::yield_now().await;
        }
    }
}

impl CaseState {
    fn from_case(case: &Case) -> Self {
        let flags = Flags { data_dir: Some("unused".into()), ..Flags::default() };
        let limits = Settings::load(&flags, []).unwrap().limits;
        Self {
            specs: case.specs().into_iter().map(|spec| (spec.name.clone(), spec)).collect(),
            limits: Limits { total_steps: TOTAL, depth: DEPTH, ..limits },
            pace: case.pace,
            log: Mutex::default(),
        }
    }

    /// Records ended runs, which must never be visited again.
    async fn remember(&self, store: &SqliteStore, root: &RunId) {
        let all = RunFilter { root: Some(root.clone()), limit: 100_000, ..RunFilter::default() };
        let ended = store.runs(all).await.unwrap().into_iter().filter(|run| run.ended_at.is_some());
        self.log.lock().unwrap().over.extend(ended.map(|run| run.id.to_string()));
    }

    fn browses(&self, agent: &str, seen: &mut BTreeSet<String>) -> bool {
        let Some(spec) = self.specs.get(agent).filter(|_| seen.insert(agent.to_owned())) else {
            return false;
        };
        let items = spec.graph.iter().flat_map(|graph| &graph.lanes).flat_map(|lane| &lane.items);
        agent == "surf" || items.into_iter().any(|item| self.browses(&item.agent, seen))
    }
}

impl Concealment for Playing {}

impl ProgramFactory for Playing {
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        let spec = self.case_state.specs.get(agent);
        let spec = spec.ok_or_else(|| ProgramError::UnknownAgent(agent.to_owned()))?;
        let whole = input_check::complete(spec, input).map_err(ProgramError::BadInput)?;
        let limits = Some(spec.limits(&self.case_state.limits));
        let title = agent.to_owned();
        Ok(match spec.kind {
            Kind::Composite => {
                let mut state =
                    lanes::state::LanesState::begin(Locale::En, input_check::context(spec, whole));
                let browses = |agent: &&str| self.case_state.browses(agent, &mut BTreeSet::new());
                state.browsing = spec.lane_agents().filter(browses).map(str::to_owned).collect();
                let node = lanes::graph::LanesNode::EnterLane.word();
                let plain = RunStart::without_limits(Lanes::NAME, node, json!(state), title);
                RunStart { calls_others: true, limits, ..plain }
            }
            Kind::Atomic => {
                let plain =
                    RunStart::without_limits("tiny", "begin", json!({"given": whole, "at": 0}), title);
                RunStart { limits, ..plain }
            }
        })
    }

    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        Ok(match row.program.as_str() {
            RefusedRun::NAME => Box::new(RefusedRun::load(state)?),
            Lanes::NAME => Box::new(Lanes::load(&self.case_state.specs[&row.agent], state)?),
            _ => Box::new(Tiny {
                agent: row.agent.clone(),
                tag: row.input["tag"].as_str().unwrap().to_owned(),
                parent: row.parent.as_ref().unwrap().to_string(),
                given: state["given"].clone(),
                at: state["at"].as_u64().unwrap(),
                playing: self.again(),
            }),
        })
    }

    fn release_tree(&self, _: &RunId) {}
}

impl Playing {
    fn again(&self) -> Self {
        Self {
            case_state: Arc::clone(&self.case_state),
            store: Arc::clone(&self.store),
            surfing: Arc::clone(&self.surfing),
        }
    }
}

/// Counts those that are in the browser, however they leave it.
struct Surfer(Arc<AtomicUsize>);

impl Drop for Surfer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Tiny {
    /// Number of tries of the item, this run included.
    fn tried(&self, run: &RunId) -> usize {
        let mut log = self.playing.case_state.log.lock().unwrap();
        if log.over.contains(run.as_str()) {
            let fault = format!("{} ({}) had ended and is visited again", self.tag, self.agent);
            log.faults.push(fault);
        }
        let tries = log.tries.entry((self.parent.clone(), self.tag.clone())).or_default();
        if !tries.contains(run) {
            tries.push(run.clone());
        }
        tries.iter().position(|one| one == run).unwrap() + 1
    }

    fn surfs(&self) -> Option<Surfer> {
        if self.agent != "surf" {
            return None;
        }
        if self.playing.surfing.fetch_add(1, Ordering::SeqCst) > 0 {
            let fault = format!("{} is in the browser beside another", self.tag);
            self.playing.case_state.log.lock().unwrap().faults.push(fault);
        }
        Some(Surfer(Arc::clone(&self.playing.surfing)))
    }

    fn last(&self, tried: usize) -> Result<Continuation, ProgramError> {
        let outputs = ATOMS.iter().find(|(name, _)| *name == self.agent).unwrap().1;
        let (outcome, vars) = atoms::made(&self.agent, &self.given["p"], &self.given["q"], tried);
        assert!(vars.keys().all(|name| outputs.contains(&name.as_str())));
        // Every second failure is a program error.
        if outcome == Status::Failed && tried.is_multiple_of(2) {
            return Err(ProgramError::Failed(String::from("it broke")));
        }
        Ok(Continuation::End(RunEnd { outcome, response: None, vars }))
    }
}

impl Program for Tiny {
    fn node(&self) -> &'static str {
        if self.at == 0 { "begin" } else { "work" }
    }

    fn step(&self, given: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let node = self.node();
        if self.playing.store.is_dead() {
            return Box::pin(std::future::pending());
        }
        let tried = self.tried(&given.run);
        let surfs = self.surfs();
        let next = if self.at == 0 { Ok(Continuation::Go) } else { self.last(tried) };
        let turns = self.playing.case_state.pace * (1 + self.tag.len() as u64 + tried as u64) % 7;
        let (changes, record) = (json!({"at": self.at + 1}), StepRecord::default());
        Box::pin(async move {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            drop(surfs);
            Ok(StepResult { node, outcome: "done", changes, next: next?, record })
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        self.at = changes["at"].as_u64().unwrap_or(self.at);
        Ok(())
    }

    fn state(&self) -> Value {
        json!({"given": self.given, "at": self.at})
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        json!({"at": self.at})
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for Tiny {}

impl RunEnding for Tiny {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome.word().to_owned()
    }
}

impl Replayable for Tiny {}

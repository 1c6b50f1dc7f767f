//! A thousand runs of a workflow with two lanes of trivial agents: time, memory and bytes that the engine
//! itself needs for lanes, and whether they grow linearly. The baseline is one row with its own commit per
//! step. Measured in a separate process, whose memory nothing else changes. `lanes_agents` measures agents
//! that call a model or compute.

use super::CHILD;
use super::idle::resident_mb;
use super::questions::lines;
use super::table::{Goal, Row, Sample};
use askfirst::agent_spec::types::spec::AgentSpec;
use askfirst::clock::Stopwatch;
use askfirst::engine::archive::FlushArchive;
use askfirst::engine::program::factory::{Concealment, ProgramFactory};
use askfirst::engine::program::run_start::RunStart;
use askfirst::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use askfirst::engine::registry::starting::StartRun;
use askfirst::ids::RunId;
use askfirst::programs::lanes;
use askfirst::programs::lanes::Lanes;
use askfirst::protocol::{Locale, Status};
use askfirst::store::rows::{Intent, RunRow};
use futures_util::future::{BoxFuture, join_all};
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::Command;
use tokio::sync::mpsc;

/// Numbers of runs, each twice the previous one.
const RUNS: [usize; 3] = [250, 500, 1_000];
/// Runs before the first measurement, so that threads and connections exist.
const WARM: usize = 50;
const AT_ONCE: usize = 20;
const ROUNDS: usize = 3;

/// Two lanes of two items each: one run with four child runs.
struct Flow {
    spec: AgentSpec,
    ended: mpsc::UnboundedSender<RunId>,
}

/// Returns its input in one step.
struct Pure(Value);

pub fn flow() -> AgentSpec {
    let bound = |from: &str, var: &str, to: &str| json!([{"from_agent_item_id": from, "from_var": var, "to_agent_item_id": to, "to_var": "word"}]);
    let item = |id: &str, from: &str, var: &str| json!({"id": id, "agent": "pure", "bindings": bound(from, var, id)});
    let lanes = json!([
        {"items": [item("a", "__CTX__", "word"), item("b", "__CTX__", "word")]},
        {"items": [item("c", "a", "said"), item("d", "b", "said")]},
    ]);
    let spec = json!({
        "name": "flow", "kind": "composite", "inputs": [{"name": "word"}], "outputs": [{"name": "said"}],
        "graph": {"lanes": lanes},
    });
    serde_json::from_value(spec).unwrap()
}

impl Concealment for Flow {}

impl ProgramFactory for Flow {
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        if agent != "flow" {
            let state = input.get("word").cloned().unwrap_or_default();
            return Ok(RunStart::without_limits("pure", "answer", state, String::from("pure")));
        }
        let state = json!(lanes::state::LanesState::begin(Locale::En, input.clone()));
        let node = lanes::graph::LanesNode::EnterLane.word();
        Ok(RunStart {
            calls_others: true,
            ..RunStart::without_limits(Lanes::NAME, node, state, String::from("flow"))
        })
    }

    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        Ok(match row.program.as_str() {
            Lanes::NAME => Box::new(Lanes::load(&self.spec, state)?),
            _ => Box::new(Pure(state)),
        })
    }

    fn release_tree(&self, root: &RunId) {
        let _ = self.ended.send(root.clone());
    }
}

impl Program for Pure {
    fn node(&self) -> &'static str {
        "answer"
    }

    fn step(&self, _: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let vars = Map::from_iter([(String::from("said"), self.0.clone())]);
        let end = RunEnd { outcome: Status::Succeeded, response: None, vars };
        let (next, record) = (Continuation::End(end), StepRecord::default());
        let visit = StepResult { node: "answer", outcome: "answered", changes: Value::Null, next, record };
        Box::pin(std::future::ready(Ok(visit)))
    }

    fn apply(&mut self, _: &Value) -> Result<(), ProgramError> {
        Ok(())
    }

    fn state(&self) -> Value {
        self.0.clone()
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        Value::Null
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for Pure {}

impl RunEnding for Pure {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome.word().to_owned()
    }
}

impl Replayable for Pure {}

/// Resources that a number of runs used.
struct Took {
    seconds: f64,
    /// Growth of the store.
    bytes: f64,
    steps: usize,
    /// Growth of memory in megabytes.
    growth: f64,
}

/// Executes this many runs in a new store, with the maximum concurrency.
async fn measure_runs(runs: usize) -> Took {
    let folder = tempfile::tempdir().unwrap();
    let (sender, mut ended) = mpsc::unbounded_channel();
    let lines = lines(folder.path(), Arc::new(Flow { spec: flow(), ended: sender }));
    let start = |n: usize| {
        let input = Map::from_iter([(String::from("word"), json!(format!("word number {n}")))]);
        lines.registry.send(StartRun::new(String::from("flow"), input))
    };
    let before = resident_mb(std::process::id());
    let watch = Stopwatch::start();
    for started in join_all((0..AT_ONCE).map(start)).await {
        started.unwrap().unwrap();
    }
    for n in AT_ONCE..runs + AT_ONCE {
        ended.recv().await.unwrap();
        if n < runs {
            start(n).await.unwrap().unwrap();
        }
    }
    let seconds = watch.seconds();
    lines.services.archive.send(FlushArchive).await.unwrap();
    let growth = resident_mb(std::process::id()) - before;
    let store = Connection::open(folder.path().join("askfirst.db")).unwrap();
    let number = |sql: &str| store.query_row(sql, [], |row| row.get::<_, usize>(0)).unwrap();
    assert_eq!(number("select count(*) from runs where status = 'succeeded'"), runs * 5);
    let bytes = number("pragma page_count") * number("pragma page_size");
    Took { seconds, bytes: bytes as f64, steps: number("select count(*) from steps"), growth }
}

/// Returns the seconds for as many rows of the size of a step's changes, one per commit.
pub fn floor(steps: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("floor.db")).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    connection.execute("create table rows (n integer primary key, body text not null)", []).unwrap();
    let mut statement = connection.prepare("insert into rows (n, body) values (?, ?)").unwrap();
    let body = "x".repeat(300);
    let watch = Stopwatch::start();
    for n in 0..steps {
        statement.execute(params![n, body]).unwrap();
    }
    watch.seconds()
}

/// Prints the results as space-separated numbers: the baseline, then seconds, bytes and memory of each.
pub async fn child() {
    measure_runs(WARM).await;
    for _ in 0..ROUNDS {
        let mut each = Vec::new();
        for runs in RUNS {
            each.push(measure_runs(runs).await);
        }
        let bare = floor(each.last().unwrap().steps);
        let numbers =
            |of: fn(&Took) -> f64| each.iter().map(move |measure_runs| of(measure_runs).to_string());
        let all =
            numbers(|measure_runs| measure_runs.seconds).chain(numbers(|measure_runs| measure_runs.bytes));
        let words: Vec<String> = all.chain(numbers(|measure_runs| measure_runs.growth)).collect();
        println!("{bare} {}", words.join(" "));
    }
}

pub async fn measure() -> Vec<Row> {
    let program = std::env::current_exe().unwrap();
    let child =
        Command::new(program).env(CHILD, "lanes").stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let output = child.wait_with_output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rounds: Vec<Vec<f64>> = text
        .lines()
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .collect();
    let each = |of: &dyn Fn(&[f64]) -> f64| Sample(rounds.iter().map(|round| of(round)).collect());
    let (few, many, times) = (RUNS[0], RUNS[2], (RUNS[2] / RUNS[0]) as f64);
    let mut rows = vec![
        Row::new(
            "runs of two lanes of two pure agents",
            "a second",
            each(&|of| many as f64 / of[3]),
            Goal::None,
        )
        .with_floor(each(&|of| many as f64 / of[0])),
    ];
    for (n, runs) in RUNS.iter().enumerate() {
        let what = |what: &str| format!("  {runs} of them: {what}");
        rows.push(Row::new(
            what("time of each"),
            "ms",
            each(&|of| of[1 + n] * 1000.0 / *runs as f64),
            Goal::None,
        ));
        rows.push(Row::new(what("growth of memory"), "MB", each(&|of| of[7 + n]), Goal::Below(10.0)));
    }
    rows.push(
        Row::new(format!("  {many} of them, {times} times {few}"), "s", each(&|of| of[3]), Goal::Ratio(1.2))
            .with_floor(each(&|of| times * of[1])),
    );
    rows.push(
        Row::new("  bytes stored, the same", "bytes", each(&|of| of[6]), Goal::Ratio(1.05))
            .with_floor(each(&|of| times * of[4])),
    );
    let one = each(&|of| of[6] / many as f64);
    rows.push(Row::new("  bytes stored for one, with its four", "bytes", one, Goal::None));
    rows
}

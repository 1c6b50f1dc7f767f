//! Random lanes, run by the engine over a real store and by a naive reading of the words: the same runs
//! with the same inputs, in the same order, with the same ends and outputs; also when the process dies in
//! between, however often.

mod atoms;
mod cases;
mod crashing_store;
mod naive;
mod engine;

use askfirst::store::rows::RunRow;
use cases::{Case, TOTAL, case};
use engine::{Played, played};
use naive::{ExpectedRun, Naive, Ran};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// Limit far above the time of any case: a case that hangs is a fault, not a build without an end.
const PATIENCE: Duration = Duration::from_secs(20);

type Checked = Result<(), TestCaseError>;

// S0.4, S0.11, S0.18 to S0.26, C5, C6, C8, C13, C16.
#[test]
fn random_lanes_run_as_the_reference_model_says_also_after_kills() {
    let mut config =
        ProptestConfig { failure_persistence: None, max_shrink_time: 120_000, ..ProptestConfig::default() };
    if std::env::var("PROPTEST_CASES").is_err() {
        config.cases = 48;
    }
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(config).run(&case(), |case| {
        let played = actix::System::new()
            .block_on(async { tokio::time::timeout(PATIENCE, played(&case)).await })
            .map_err(|_| TestCaseError::fail("it never came to rest"))?;
        check_case(&case, &played, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{seen:?}");
    match result {
        Ok(()) => {}
        Err(TestError::Abort(why)) => panic!("{why}"),
        Err(TestError::Fail(why, case)) => panic!("{why}\n{}", describe_case(&case)),
    }
}

/// A case as one would write it down.
fn describe_case(case: &Case) -> String {
    let composites = case.specs().into_iter().filter(|spec| spec.graph.is_some());
    let specs: Vec<String> = composites.map(|spec| serde_json::to_string(&spec).unwrap()).collect();
    format!("{}\ninput {}, {:?}, pace {}", specs.join("\n"), json!(case.input), case.deaths, case.pace)
}

/// Counts of what the cases contained.
#[derive(Debug, Default)]
struct Seen {
    outcomes: BTreeMap<String, usize>,
    runs: usize,
    deaths: usize,
    open: usize,
}

fn check_case(case: &Case, played: &Played, seen: &mut Seen) -> Checked {
    let specs = case.specs();
    let mut naive = Naive::new(&specs);
    let expected = naive.run("c0", &case.input, 1);
    *seen.outcomes.entry(played.root.status.clone()).or_default() += 1;
    seen.runs += played.runs.len();
    seen.deaths += played.deaths;
    seen.open += usize::from(naive.open);

    prop_assert_eq!(&played.faults, &Vec::<String>::new());
    for run in played.runs.iter().chain([&played.root]) {
        prop_assert!(run.ended_at.is_some(), "{} of {} lives on", run.id, run.agent);
    }
    within_limits(played)?;
    check_ends_once(played)?;
    check_lane_order(&specs, played)?;
    if naive.open {
        return Ok(());
    }
    let mut below: BTreeMap<&str, Vec<&RunRow>> = BTreeMap::new();
    for run in &played.runs {
        below.entry(run.parent.as_ref().unwrap().as_str()).or_default().push(run);
    }
    check_run(&expected, &played.root, &below, "c0")
}

/// A run, and all below it, as it was told.
fn check_run(
    expected: &ExpectedRun,
    run: &RunRow,
    below: &BTreeMap<&str, Vec<&RunRow>>,
    way: &str,
) -> Checked {
    prop_assert_eq!(&expected.agent, &run.agent, "{}", way);
    let is_expected = expected.outcomes.contains(run.status.as_str());
    prop_assert!(is_expected, "{way}: {} and not {:?} ({:?})", run.status, expected.outcomes, run.response);
    prop_assert_eq!(&expected.vars, &run.vars, "{}", way);
    let mut items: BTreeMap<&str, Vec<&RunRow>> = BTreeMap::new();
    for child in below.get(run.id.as_str()).into_iter().flatten() {
        items.entry(child.input["tag"].as_str().unwrap()).or_default().push(child);
    }
    for item in &expected.items {
        let way = format!("{way}/{}", item.id);
        let runs = items.remove(item.id.as_str()).unwrap_or_default();
        ran(item, &runs, below, &way)?;
    }
    prop_assert!(items.is_empty(), "{way}: nobody told of {:?}", items.keys());
    Ok(())
}

fn ran(item: &Ran, runs: &[&RunRow], below: &BTreeMap<&str, Vec<&RunRow>>, way: &str) -> Checked {
    let tries = item.tries.len();
    let fits = if item.surely { runs.len() == tries } else { runs.len() <= tries };
    prop_assert!(fits, "{way} was run {} times, and not {tries}", runs.len());
    for (expected, run) in item.tries.iter().zip(runs) {
        let stopped = !item.surely && run.status == "cancelled";
        if !stopped {
            check_run(expected, run, below, way)?;
        }
    }
    Ok(())
}

/// S0.25: so many runs and no more; whoever came too late did nothing.
fn within_limits(played: &Played) -> Checked {
    for run in &played.runs {
        prop_assert!(
            run.ordinal <= TOTAL || run.exceeded_limit.is_some(),
            "{} as number {}",
            run.agent,
            run.ordinal
        );
        let stopped = run.status == "exhausted" || run.status == "cancelled";
        let idle = ["enter_lane", "begin", "refuse"].contains(&run.node.as_str());
        prop_assert!(
            run.exceeded_limit.is_none() || (stopped && idle),
            "{} ran, though it was one too many",
            run.agent
        );
    }
    for (index, run) in played.runs.iter().enumerate() {
        prop_assert_eq!(run.ordinal, index as u64 + 1, "every run has a place of its own in the tree");
    }
    Ok(())
}

/// Every run ends once, however often the process died.
fn check_ends_once(played: &Played) -> Checked {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for event in played.events.iter().filter(|event| event.body.contains("\"type\":\"run_ended\"")) {
        *ends.entry(event.run.to_string()).or_default() += 1;
    }
    prop_assert_eq!(ends.len(), played.runs.len() + 1);
    prop_assert!(ends.values().all(|times| *times == 1), "{ends:?}");
    Ok(())
}

/// Status of the lanes of one run, according to its facts.
#[derive(Default)]
struct Standing {
    lane: u64,
    running: BTreeMap<String, u64>,
}

/// S0.22, S0.23: one lane after the other, and never more side by side than there may be.
fn check_lane_order(specs: &[askfirst::agent_spec::types::spec::AgentSpec], played: &Played) -> Checked {
    let agents: BTreeMap<String, &str> = played
        .runs
        .iter()
        .chain([&played.root])
        .map(|run| (run.id.to_string(), run.agent.as_str()))
        .collect();
    let mut all: BTreeMap<String, Standing> = BTreeMap::new();
    for event in &played.events {
        let body: Value = serde_json::from_str(&event.body).unwrap();
        if body["event"] != "item" {
            continue;
        }
        let (data, run) = (&body["data"], event.run.to_string());
        let spec = specs.iter().find(|spec| spec.name == agents[&run]).unwrap();
        let most = spec.graph.as_ref().unwrap().max_parallel.unwrap_or(4);
        let lanes = all.entry(run).or_default();
        let (id, lane) = (data["item_id"].as_str().unwrap().to_owned(), data["lane"].as_u64().unwrap());
        prop_assert!(lane >= lanes.lane, "{id}: back in lane {lane}");
        if lane > lanes.lane {
            prop_assert!(
                lanes.running.is_empty(),
                "{id} begins beside lane {}: {:?}",
                lanes.lane,
                lanes.running
            );
            lanes.lane = lane;
        }
        if data["status"] == "running" {
            let attempt = data["attempt"].as_u64().unwrap();
            prop_assert!(lanes.running.insert(id, attempt).is_none());
            prop_assert!(lanes.running.len() <= most, "{} side by side", lanes.running.len());
        } else {
            lanes.running.remove(&id);
        }
    }
    Ok(())
}

//! Tests of the conversion from rows of a run tree to spans.

use super::*;
use crate::ids::QuestionId;
use crate::observability::timeline::span::Span;
use crate::store::rows::recordings::CallRow;
use crate::store::rows::trace::{EffectRow, StepHead, TimelineData, TimelineEvent, TimelineQuestion};
use crate::store::rows::usage::Usage;
use crate::store::rows::{ListSettings, RunRow, TaskRow};
use serde_json::{Map, Value, json};

fn at(millis: i64) -> Moment {
    Moment::from_millis(1_000_000 + millis)
}

fn run(
    id: &str,
    parent: Option<&str>,
    status: &str,
    (begin, end): (i64, Option<i64>),
    last_step: u64,
) -> RunRow {
    RunRow {
        id: RunId::from(id),
        root: RunId::from("top"),
        parent: parent.map(RunId::from),
        depth: u32::from(parent.is_some()),
        agent: format!("agent_{id}"),
        program: String::from("conversation"),
        title: String::from("a lamp"),
        input: Map::new(),
        status: status.to_owned(),
        node: String::from("plan_action"),
        question: None,
        created_at: at(begin),
        updated_at: at(begin),
        ended_at: end.map(at),
        response: None,
        vars: Map::new(),
        tool_steps: 0,
        last_step,
        usage: Usage { calls: 2, unpriced: 2, input: 30, cached: 10, output: 5, cost: 0.0 },
        url: None,
        version: None,
        model: None,
        ordinal: 0,
        exceeded_limit: None,
        bounds: Value::Null,
        deadline: None,
        plan: None,
        progress: None,
        cause: None,
        metadata: None,
        list_settings: ListSettings::default(),
    }
}

fn step(run: &str, n: u64, node: &str, outcome: &str, (begin, end): (i64, i64)) -> StepHead {
    StepHead {
        run: RunId::from(run),
        n,
        node: node.to_owned(),
        outcome: outcome.to_owned(),
        at: at(end),
        took_ms: u64::try_from(end - begin).unwrap(),
    }
}

fn event_at(seq: u64, run: &str, moment: i64, event: &str, data: Value) -> TimelineEvent {
    TimelineEvent { seq, run: RunId::from(run), at: at(moment), name: event.to_owned(), data }
}

fn effect(run: &str, n: u64, id: &str, begin: i64, end: Option<(i64, Value)>) -> EffectRow {
    EffectRow {
        run: RunId::from(run),
        n,
        action_id: id.to_owned(),
        action: json!({"action": "click"}),
        intent_at: at(begin),
        receipt_at: end.as_ref().map(|(end, _)| at(*end)),
        receipt: end.map(|(_, receipt)| receipt),
    }
}

/// Creates a call of the step of the same number.
fn call(n: u64, begin: i64, took_ms: u64, error: Option<&str>) -> CallRow {
    CallRow {
        n,
        step: n,
        role: String::from("llm"),
        model: String::from("m"),
        at: at(begin),
        took_ms,
        input: 3,
        cached: 1,
        output: 2,
        cost: None,
        currency: None,
        error: error.map(str::to_owned),
        dropped: false,
    }
}

fn question_with(by: Option<(&str, i64)>, answer: Value) -> TimelineQuestion {
    TimelineQuestion {
        reference: QuestionId::from("q1"),
        run: RunId::from("top"),
        kind: String::from("confirm"),
        frame: json!({"text": "May I?", "reason": "It buys.", "payload": {"effect": "Place the order"}}),
        asked_at: at(300),
        resolved_at: by.map(|(_, end)| at(end)),
        resolved_by: by.map(|(by, _)| by.to_owned()),
        answer: by.map(|_| answer),
        client: by.map(|_| json!({"id": "w1", "kind": "page", "name": null})),
    }
}

/// Formats each span as a line: kind, id, name, status, times and parent.
fn lines(found: &Timeline) -> Vec<String> {
    let line = |span: &Span| {
        let kind = json!(span)["kind"].as_str().unwrap().to_owned();
        let end = span.end.map_or_else(|| String::from("…"), |end| (end.millis() - 1_000_000).to_string());
        let begin = span.begin.millis() - 1_000_000;
        let parent = span.parent.as_deref().unwrap_or("-");
        format!("{kind} {} {} {} {begin}-{end} in {parent}", span.id, span.name, span.status)
    };
    found.spans.iter().map(line).collect()
}

fn build_timeline(rows: &TimelineData, run: &str) -> Timeline {
    assemble(&RunId::from(run), rows, at(900)).unwrap()
}

/// Checks that each span lies within its parent.
fn is_held(found: &Timeline) {
    for span in &found.spans {
        let Some(parent) = found.spans.iter().find(|outer| Some(&outer.id) == span.parent.as_ref()) else {
            assert_eq!(span.parent, None, "{} hangs in the air", span.id);
            continue;
        };
        assert!(parent.begin <= span.begin, "{} begins before {}", span.id, parent.id);
        let ends = parent.end.is_none_or(|last| span.end.is_some_and(|end| end <= last));
        assert!(ends, "{} ends after {}", span.id, parent.id);
    }
}

#[test]
fn steps_calls_actions_questions_and_children_become_one_tree() {
    let (started, finished) = ("action_started", "action_finished");
    let rows = TimelineData {
        runs: vec![
            run("top", None, "succeeded", (0, Some(800)), 3),
            run("kid", Some("top"), "failed", (500, Some(700)), 1),
        ],
        steps: vec![
            step("top", 1, "plan_action", "Planned", (0, 100)),
            step("top", 2, "execute_action", "Executed", (110, 200)),
            step("kid", 1, "execute", "Failed", (510, 690)),
            step("top", 3, "finalize_done", "Done", (750, 790)),
        ],
        questions: vec![question_with(
            Some(("user", 450)),
            json!({"confirmed": true, "comment": "the <typed:ab12>"}),
        )],
        effects: vec![effect("top", 1, "a1", 120, Some((190, json!({"ok": true}))))],
        calls: vec![(RunId::from("kid"), call(1, 520, 100, Some("no answer")))],
        tasks: Vec::new(),
        events: vec![
            // Skipped, because the step has recorded calls.
            event_at(9, "kid", 640, "usage", json!({"role": "llm", "model": "m"})),
            event_at(
                3,
                "top",
                60,
                "usage",
                json!({"role": "planner", "model": "m", "input_tokens": 9, "cost": null}),
            ),
            // Stored with its step, a moment after its end.
            event_at(4, "top", 102, "usage", json!({"role": "planner", "model": "m", "cost": 0.5})),
            event_at(5, "top", 121, started, json!({"action_id": "a1", "action": "click", "name": "Order"})),
            event_at(
                6,
                "top",
                191,
                finished,
                json!({"action_id": "a1", "action": "click", "ok": true, "took_ms": 70}),
            ),
            event_at(
                7,
                "top",
                500,
                "item",
                json!({"item_id": "i1", "agent": "agent_kid", "lane": 0, "status": "running", "run_id": "kid", "attempt": 1}),
            ),
            event_at(
                8,
                "top",
                710,
                "item",
                json!({"item_id": "i2", "agent": "other", "lane": 1, "status": "skipped", "attempt": 0}),
            ),
        ],
        left_out: 0,
    };
    let whole = build_timeline(&rows, "top");
    assert_eq!(
        lines(&whole),
        [
            "run top agent_top succeeded 0-800 in -",
            "step top/s1 plan_action Planned 0-100 in top",
            "call top/u3 planner ok 0-60 in top/s1",
            "call top/u4 planner ok 60-100 in top/s1",
            "step top/s2 execute_action Executed 110-200 in top",
            "action top/a5 click ok 121-191 in top/s2",
            "question q1 confirm user 300-450 in top",
            "run kid agent_kid failed 500-700 in top",
            "step kid/s1 execute Failed 510-690 in kid",
            "call kid/c1 llm failed 520-620 in kid/s1",
            "item top/i/i2 other skipped 710-710 in top",
            "step top/s3 finalize_done Done 750-790 in top",
        ]
    );
    is_held(&whole);
    let seen = json!(whole.spans);
    let span = |id: &str| seen.as_array().unwrap().iter().find(|span| span["id"] == id).unwrap().clone();
    assert_eq!(span("top/a5")["effect"], 1);
    assert_eq!(span("top/a5")["about"], json!({"name": "Order"}));
    assert_eq!(span("kid")["item"], json!({"item_id": "i1", "lane": 0, "attempt": 1}));
    assert_eq!(span("q1")["question"], "Place the order");
    assert_eq!(span("q1")["answer"]["comment"], "the ••••", "a secret is not shown");
    assert_eq!((&span("top/u4")["cost"], &span("top/u4")["estimated"]), (&json!(0.5), &json!(true)));
    assert_eq!(span("top")["cost"], Value::Null, "nobody knows what it cost");
    assert_eq!(span("top")["begin"], at(0).rfc3339());
}

#[test]
fn running_spans_have_no_end_and_interrupted_ones_are_unknown() {
    let rows = TimelineData {
        runs: vec![run("top", None, "running", (0, None), 2)],
        steps: vec![
            step("top", 1, "plan_action", "Planned", (0, 100)),
            step("top", 2, "execute_action", "Restarted", (200, 200)),
        ],
        questions: vec![question_with(None, Value::Null)],
        effects: vec![
            effect("top", 1, "a1", 130, Some((200, json!({"ok": null})))),
            effect("top", 2, "run", 310, None),
        ],
        // Its step was dropped and is no longer running.
        calls: vec![(RunId::from("top"), CallRow { dropped: true, ..call(7, 120, 5, None) })],
        tasks: vec![TaskRow {
            id: String::from("build"),
            action_id: String::from("a7"),
            run: RunId::from("top"),
            root: RunId::from("top"),
            child: None,
            agent: String::from("builder"),
            status: String::from("running"),
            progress: Some(0.5),
            display: Some(json!({"label": "Building"})),
            result: None,
            error: None,
            created_at: at(205),
            started_at: Some(at(206)),
            ended_at: None,
        }],
        events: vec![
            event_at(1, "top", 130, "action_started", json!({"action_id": "a1", "action": "click"})),
            event_at(2, "top", 150, "action_started", json!({"action_id": "a1", "action": "scroll"})),
            event_at(3, "top", 220, "action_started", json!({"action_id": "a1", "action": "click"})),
        ],
        left_out: 4,
    };
    let now = build_timeline(&rows, "top");
    assert_eq!(
        lines(&now),
        [
            "run top agent_top running 0-… in -",
            "step top/s1 plan_action Planned 0-100 in top",
            "call top/c7 llm unknown 120-125 in top",
            "action top/a1 click unknown 130-200 in top",
            "action top/a2 scroll unknown 150-150 in top",
            "step top/s2 execute_action Restarted 200-200 in top",
            "step top/s3 plan_action running 200-… in top",
            "task top/t/build builder running 206-… in top",
            "action top/a3 click running 220-… in top/s3",
            "question q1 confirm open 300-… in top",
            "action top/e2 click running 310-… in top/s3",
        ]
    );
    is_held(&now);
    assert_eq!(now.left_out, 4);
    // Spans that ended earlier are not included again, but runs are.
    let fresh: Vec<&str> =
        now.spans.iter().filter(|span| span.changed_since(at(205))).map(|span| span.id.as_str()).collect();
    assert_eq!(fresh, ["top", "top/s3", "top/t/build", "top/a3", "q1", "top/e2"]);
}

#[test]
fn the_timeline_of_a_child_stands_alone() {
    let rows = TimelineData {
        runs: vec![run("kid", Some("top"), "waiting", (500, None), 1)],
        ..TimelineData::default()
    };
    assert_eq!(lines(&build_timeline(&rows, "kid")), ["run kid agent_kid waiting 500-… in -"]);
    assert_eq!(build_timeline(&rows, "kid").root, RunId::from("top"));
    assert!(assemble(&RunId::from("nobody"), &rows, at(0)).is_none());
}

// Events of a Python item are stored with its step, a moment after the step's end.
#[test]
fn an_action_is_within_the_step_that_holds_it() {
    let (started, finished) = ("action_started", "action_finished");
    let ran = |id: &str, took: u64| json!({"action_id": id, "action": "python", "ok": true, "took_ms": took});
    let rows = TimelineData {
        runs: vec![
            run("top", None, "succeeded", (0, Some(800)), 0),
            run("item", Some("top"), "succeeded", (500, Some(700)), 2),
        ],
        steps: vec![
            step("item", 1, "execute", "Executed", (510, 600)),
            step("item", 2, "execute", "Executed", (620, 690)),
        ],
        effects: vec![effect("item", 1, "receipt", 640, Some((694, json!({"ok": true}))))],
        events: vec![
            event_at(1, "item", 512, started, json!({"action_id": "p1", "action": "python"})),
            event_at(2, "item", 603, finished, ran("p1", 91)),
            event_at(3, "item", 692, finished, ran("p2", 80)),
            event_at(4, "item", 693, finished, ran("p3", 0)),
        ],
        ..TimelineData::default()
    };
    let whole = build_timeline(&rows, "top");
    is_held(&whole);
    let actions: Vec<String> = lines(&whole).into_iter().filter(|line| line.starts_with("action ")).collect();
    assert_eq!(
        actions,
        [
            "action item/a1 python ok 512-600 in item/s1",
            "action item/a3 python ok 620-690 in item/s2",
            "action item/e1 click ok 640-690 in item/s2",
            "action item/a4 python ok 690-690 in item/s2",
        ]
    );
}

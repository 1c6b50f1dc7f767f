//! Converts stored rows to spans. Pure: the current time is a parameter.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::timeline::span::{Span, SpanKind, Timeline, TimelineItem};
use crate::observability::timeline::steps::{Steps, short_text};
use crate::observability::timeline::{actions, calls};
use crate::store::rows::trace::{TimelineData, TimelineEvent, TimelineQuestion};
use crate::store::rows::{RunRow, TaskRow};
use crate::turn::typed_secret;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Returns the spans of a run and of all runs below it as of `at`, or `None` if the rows do not contain the
/// run.
pub fn assemble(run: &RunId, rows: &TimelineData, at: Moment) -> Option<Timeline> {
    let root = rows.runs.iter().find(|row| row.id == *run)?.root.clone();
    let items = items(&rows.events);
    let steps = Steps::from_rows(rows);
    let mut spans: Vec<Span> = rows.runs.iter().map(|row| run_span(run, row, &items)).collect();
    spans.extend(steps.spans());
    spans.extend(calls::spans(rows, &steps));
    spans.extend(actions::spans(rows, &steps));
    steps.hold(&mut spans);
    spans.extend(rows.questions.iter().map(question));
    spans.extend(rows.tasks.iter().map(task));
    spans.extend(items.without_run(rows));
    spans.sort_by(|a, b| (a.begin, rank(&a.what), &a.id).cmp(&(b.begin, rank(&b.what), &b.id)));
    Some(Timeline { run: run.clone(), root, at, spans, left_out: rows.left_out })
}

/// Sort order of spans that begin at the same time: outer ones first.
fn rank(what: &SpanKind) -> u8 {
    match what {
        SpanKind::Run { .. } => 0,
        SpanKind::Task { .. } => 1,
        SpanKind::Item { .. } => 2,
        SpanKind::Step { .. } => 3,
        SpanKind::Question { .. } => 4,
        SpanKind::Call { .. } => 5,
        SpanKind::Action { .. } => 6,
    }
}

fn run_span(top: &RunId, row: &RunRow, items: &Items) -> Span {
    let used = &row.usage;
    Span {
        id: row.id.to_string(),
        parent: row.parent.as_ref().filter(|_| row.id != *top).map(RunId::to_string),
        run: row.id.clone(),
        name: row.agent.clone(),
        status: row.status.clone(),
        begin: row.created_at,
        end: row.ended_at,
        what: SpanKind::Run {
            title: row.title.clone(),
            program: row.program.clone(),
            node: row.node.clone(),
            depth: row.depth,
            version: row.version.clone(),
            item: items.of_run.get(&row.id).cloned(),
            steps: row.last_step,
            model_calls: used.calls,
            unpriced_calls: used.unpriced,
            input_tokens: used.input,
            cached_tokens: used.cached,
            output_tokens: used.output,
            cost: used.money(),
        },
    }
}

fn question(row: &TimelineQuestion) -> Span {
    let frame_text = |name: &str| short_text(row.frame[name].as_str().unwrap_or_default());
    let question = [row.frame["payload"]["question"].as_str(), row.frame["payload"]["effect"].as_str()];
    let question = question.into_iter().flatten().next().map_or_else(|| frame_text("text"), short_text);
    Span {
        id: row.reference.to_string(),
        parent: Some(row.run.to_string()),
        run: row.run.clone(),
        name: row.kind.clone(),
        status: row.resolved_by.clone().unwrap_or_else(|| String::from("open")),
        begin: row.asked_at,
        end: row.resolved_at,
        what: SpanKind::Question {
            reference: row.reference.clone(),
            question,
            reason: frame_text("reason"),
            texts: row.frame["payload"]["texts"].clone(),
            answer: row.answer.clone().map(mask_secrets),
            client: row.client.clone(),
        },
    }
}

/// Replaces secret placeholders in all texts with masks.
pub fn mask_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(typed_secret::mask_placeholders(&text)),
        Value::Array(values) => values.into_iter().map(mask_secrets).collect(),
        Value::Object(map) => map.into_iter().map(|(name, value)| (name, mask_secrets(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn task(row: &TaskRow) -> Span {
    let label = row.display.as_ref().and_then(|display| display["label"].as_str());
    Span {
        id: format!("{}/t/{}", row.run, row.id),
        parent: Some(row.run.to_string()),
        run: row.run.clone(),
        name: row.agent.clone(),
        status: row.status.clone(),
        begin: row.started_at.unwrap_or(row.created_at),
        end: row.ended_at,
        what: SpanKind::Task {
            task_id: row.id.clone(),
            action_id: row.action_id.clone(),
            label: label.map(str::to_owned),
            child_run_id: row.child.clone(),
            progress: row.progress,
        },
    }
}

/// Items found in events.
struct Items {
    of_run: HashMap<RunId, TimelineItem>,
    /// The last event of each item, by run and item id.
    last: BTreeMap<(RunId, String), TimelineEvent>,
}

fn items(events: &[TimelineEvent]) -> Items {
    let (mut of_run, mut last) = (HashMap::new(), BTreeMap::new());
    for event in events.iter().filter(|event| event.name == "item") {
        let item = item(&event.data);
        if let Some(child) = event.data["run_id"].as_str() {
            of_run.insert(RunId::from(child), item.clone());
        }
        last.insert((event.run.clone(), item.item_id), event.clone());
    }
    Items { of_run, last }
}

fn item(data: &Value) -> TimelineItem {
    TimelineItem {
        item_id: data["item_id"].as_str().unwrap_or_default().to_owned(),
        lane: data["lane"].as_u64().unwrap_or_default(),
        attempt: data["attempt"].as_u64().unwrap_or_default(),
    }
}

impl Items {
    /// Returns spans of items that have no run.
    fn without_run(&self, rows: &TimelineData) -> Vec<Span> {
        let known = |event: &TimelineEvent| {
            event.data["run_id"]
                .as_str()
                .is_some_and(|run| rows.runs.iter().any(|row| row.id.as_str() == run))
        };
        let lone = self.last.iter().filter(|(_, event)| !known(event));
        lone.map(|((run, id), event)| Span {
            id: format!("{run}/i/{id}"),
            parent: Some(run.to_string()),
            run: run.clone(),
            name: event.data["agent"].as_str().unwrap_or_default().to_owned(),
            status: event.data["status"].as_str().unwrap_or_default().to_owned(),
            begin: event.at,
            end: Some(event.at),
            what: SpanKind::Item {
                item: item(&event.data),
                error: event.data["error"].as_str().map(str::to_owned),
            },
        })
        .collect()
    }
}

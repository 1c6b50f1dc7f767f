//! Converts stored rows to spans. Pure: the current time is a parameter.

use super::{Item, Span, SpanKind, Timeline, actions, calls};
use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::{RunRow, StepHead, TaskRow, TimelineData, TimelineEvent, TimelineQuestion};
use crate::turn::typed_secret;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Maximum length of a question's text, in characters.
const LONG: usize = 300;
/// Maximum time in milliseconds between the end of a step and its storage, which is the time of its events.
const STORED_MS: i64 = 20;

/// Returns the spans of a run and of all runs below it as of `at`, or `None` if the rows do not contain the
/// run.
pub fn assemble(run: &RunId, rows: &TimelineData, at: Moment) -> Option<Timeline> {
    let root = rows.runs.iter().find(|row| row.id == *run)?.root.clone();
    let items = items(&rows.facts);
    let steps = Steps::from_rows(rows);
    let mut spans: Vec<Span> = rows.runs.iter().map(|row| run_span(run, row, &items)).collect();
    spans.extend(steps.spans());
    spans.extend(calls::spans(rows, &steps));
    spans.extend(actions::spans(rows, &steps));
    steps.hold(&mut spans);
    spans.extend(rows.questions.iter().map(question));
    spans.extend(rows.tasks.iter().map(task));
    spans.extend(items.without_run(rows));
    spans.sort_by(|one, other| {
        (one.begin, rank(&one.what), &one.id).cmp(&(other.begin, rank(&other.what), &other.id))
    });
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

fn run_span(asked: &RunId, row: &RunRow, items: &Items) -> Span {
    let used = &row.usage;
    Span {
        id: row.id.to_string(),
        parent: row.parent.as_ref().filter(|_| row.id != *asked).map(RunId::to_string),
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

/// The steps of each run in order, including the current one.
pub struct Steps<'a> {
    of_run: BTreeMap<&'a RunId, Vec<TimedStep<'a>>>,
}

pub struct TimedStep<'a> {
    run: &'a RunId,
    pub n: u64,
    node: &'a str,
    outcome: &'a str,
    pub begin: Moment,
    pub end: Option<Moment>,
}

impl<'a> Steps<'a> {
    fn from_rows(rows: &'a TimelineData) -> Self {
        let mut of_run: BTreeMap<&RunId, Vec<TimedStep<'_>>> = BTreeMap::new();
        for head in &rows.steps {
            of_run.entry(&head.run).or_default().push(TimedStep::done(head));
        }
        for row in rows.runs.iter().filter(|row| row.status == "running") {
            let steps = of_run.entry(&row.id).or_default();
            let begin = steps.last().and_then(|last| last.end).unwrap_or(row.created_at);
            let (run, n) = (&row.id, row.last_step + 1);
            steps.push(TimedStep { run, n, node: &row.node, outcome: "running", begin, end: None });
        }
        Self { of_run }
    }

    fn spans(&self) -> impl Iterator<Item = Span> {
        self.of_run.values().flatten().map(|step| Span {
            id: step.id(),
            parent: Some(step.run.to_string()),
            run: step.run.clone(),
            name: step.node.to_owned(),
            status: step.outcome.to_owned(),
            begin: step.begin,
            end: step.end,
            what: SpanKind::Step { n: step.n, took_ms: step.end.map(|end| millis_between(step.begin, end)) },
        })
    }

    /// Clamps spans to their steps, because events may be stored a moment after the step. A span that begins
    /// long after the step has ended belongs to an interrupted step, and is attached to the run instead.
    fn hold(&self, spans: &mut [Span]) {
        let steps: HashMap<String, &TimedStep<'_>> =
            self.of_run.values().flatten().map(|step| (step.id(), step)).collect();
        for span in spans {
            let Some(step) = span.parent.as_ref().and_then(|parent| steps.get(parent)) else { continue };
            if step.end.is_some_and(|end| span.begin.millis().saturating_sub(end.millis()) > STORED_MS) {
                span.parent = Some(span.run.to_string());
                continue;
            }
            span.begin = step.within(span.begin);
            span.end = span.end.map(|end| step.within(end));
        }
    }

    /// Reports whether this step of a run is known.
    pub fn has(&self, run: &RunId, n: u64) -> bool {
        self.of_run.get(run).is_some_and(|steps| steps.iter().any(|step| step.n == n))
    }

    /// Returns the step of a run in which an event occurred. The event may be stored with its step, a moment
    /// after the step's end.
    pub fn around(&self, run: &RunId, at: Moment) -> Option<&TimedStep<'a>> {
        let steps = self.of_run.get(run)?;
        let after = steps.partition_point(|step| step.begin < at);
        steps.get(after.saturating_sub(1)).filter(|step| step.begin <= at)
    }
}

impl<'a> TimedStep<'a> {
    fn done(head: &'a StepHead) -> Self {
        let took = i64::try_from(head.took_ms).unwrap_or(i64::MAX);
        let begin = Moment::from_millis(head.at.millis().saturating_sub(took));
        let StepHead { run, n, node, outcome, .. } = head;
        Self { run, n: *n, node, outcome, begin, end: Some(head.at) }
    }

    fn within(&self, at: Moment) -> Moment {
        let at = at.max(self.begin);
        self.end.map_or(at, |end| at.min(end))
    }

    pub fn id(&self) -> String {
        format!("{}/s{}", self.run, self.n)
    }
}

pub fn millis_between(begin: Moment, end: Moment) -> u64 {
    u64::try_from(end.millis().saturating_sub(begin.millis())).unwrap_or(0)
}

fn question(row: &TimelineQuestion) -> Span {
    let told = |name: &str| cut(row.frame[name].as_str().unwrap_or_default());
    let question = [row.frame["payload"]["question"].as_str(), row.frame["payload"]["effect"].as_str()];
    let asked = question.into_iter().flatten().next().map_or_else(|| told("text"), cut);
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
            question: asked,
            reason: told("reason"),
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

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
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
    of_run: HashMap<RunId, Item>,
    /// The last event of each item, by run and item id.
    last: BTreeMap<(RunId, String), TimelineEvent>,
}

fn items(facts: &[TimelineEvent]) -> Items {
    let (mut of_run, mut last) = (HashMap::new(), BTreeMap::new());
    for fact in facts.iter().filter(|fact| fact.event == "item") {
        let item = item(&fact.data);
        if let Some(child) = fact.data["run_id"].as_str() {
            of_run.insert(RunId::from(child), item.clone());
        }
        last.insert((fact.run.clone(), item.item_id), fact.clone());
    }
    Items { of_run, last }
}

fn item(data: &Value) -> Item {
    Item {
        item_id: data["item_id"].as_str().unwrap_or_default().to_owned(),
        lane: data["lane"].as_u64().unwrap_or_default(),
        attempt: data["attempt"].as_u64().unwrap_or_default(),
    }
}

impl Items {
    /// Returns spans of items that have no run.
    fn without_run(&self, rows: &TimelineData) -> Vec<Span> {
        let known = |fact: &TimelineEvent| {
            fact.data["run_id"].as_str().is_some_and(|run| rows.runs.iter().any(|row| row.id.as_str() == run))
        };
        let lone = self.last.iter().filter(|(_, fact)| !known(fact));
        lone.map(|((run, id), fact)| Span {
            id: format!("{run}/i/{id}"),
            parent: Some(run.to_string()),
            run: run.clone(),
            name: fact.data["agent"].as_str().unwrap_or_default().to_owned(),
            status: fact.data["status"].as_str().unwrap_or_default().to_owned(),
            begin: fact.at,
            end: Some(fact.at),
            what: SpanKind::Item {
                item: item(&fact.data),
                error: fact.data["error"].as_str().map(str::to_owned),
            },
        })
        .collect()
    }
}

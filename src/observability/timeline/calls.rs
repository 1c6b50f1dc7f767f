//! Converts model calls to spans: recorded calls, and calls known only from `usage` events, whose start is
//! estimated.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::timeline::span::{Span, SpanKind};
use crate::observability::timeline::steps::Steps;
use crate::store::rows::recordings::CallRow;
use crate::store::rows::trace::{TimelineData, TimelineEvent};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

pub fn spans(rows: &TimelineData, steps: &Steps<'_>) -> Vec<Span> {
    let mut spans: Vec<Span> =
        rows.calls.iter().map(|(run, call)| span_of_recorded(run, call, steps)).collect();
    spans.extend(calls_from_usage(rows, steps));
    spans
}

/// Converts a recorded call. The call of a dropped step is attached to the run.
fn span_of_recorded(run: &RunId, call: &CallRow, steps: &Steps<'_>) -> Span {
    let step = steps.has(run, call.step).then(|| format!("{run}/s{}", call.step));
    let status = match &call.error {
        Some(_) => "failed",
        None if call.dropped => "unknown",
        None => "ok",
    };
    Span {
        id: format!("{run}/c{}", call.n),
        parent: Some(step.unwrap_or_else(|| run.to_string())),
        run: run.clone(),
        name: call.role.clone(),
        status: status.to_owned(),
        begin: call.at,
        end: Some(call.at.after(Duration::from_millis(call.took_ms))),
        what: SpanKind::Call {
            n: Some(call.n),
            model: call.model.clone(),
            input_tokens: call.input,
            cached_tokens: call.cached,
            output_tokens: call.output,
            cost: call.cost,
            error: call.error.clone(),
            estimated: false,
        },
    }
}

/// Converts `usage` events of steps that have ended without recorded calls. Calls of the current step may
/// still be recorded.
fn calls_from_usage(rows: &TimelineData, steps: &Steps<'_>) -> Vec<Span> {
    let recorded: HashSet<(&RunId, u64)> = rows.calls.iter().map(|(run, call)| (run, call.step)).collect();
    let mut before: HashMap<&RunId, Moment> = HashMap::new();
    let mut spans = Vec::new();
    for event in rows.events.iter().filter(|event| event.name == "usage") {
        let step_around = steps.step_at(&event.run, event.at);
        if step_around.is_some_and(|step| step.end.is_none() || recorded.contains(&(&event.run, step.n))) {
            continue;
        }
        let begin = step_around.map_or(event.at, |step| step.begin);
        let begin = before.insert(&event.run, event.at).map_or(begin, |last| begin.max(last)).min(event.at);
        spans.push(estimated_span(event, step_around.map(|step| step.id()), begin));
    }
    spans
}

fn estimated_span(event: &TimelineEvent, step: Option<String>, begin: Moment) -> Span {
    let word = |name: &str| event.data[name].as_str().unwrap_or_default().to_owned();
    let count = |name: &str| event.data[name].as_u64().unwrap_or_default();
    Span {
        id: format!("{}/u{}", event.run, event.seq),
        parent: Some(step.unwrap_or_else(|| event.run.to_string())),
        run: event.run.clone(),
        name: word("role"),
        status: String::from("ok"),
        begin,
        end: Some(event.at),
        what: SpanKind::Call {
            n: None,
            model: word("model"),
            input_tokens: count("input_tokens"),
            cached_tokens: count("cached_tokens"),
            output_tokens: count("output_tokens"),
            cost: event.data["cost"].as_f64(),
            error: None,
            estimated: true,
        },
    }
}

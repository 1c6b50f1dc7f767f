//! Converts actions to spans, from the events of their starts and ends and from the stored effects.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::timeline::span::{Span, SpanKind};
use crate::observability::timeline::steps::Steps;
use crate::store::rows::trace::{EffectRow, TimelineData, TimelineEvent};
use serde_json::{Map, Value, json};

pub fn spans(rows: &TimelineData, steps: &Steps<'_>) -> Vec<Span> {
    let mut effects: Vec<&EffectRow> = rows.effects.iter().collect();
    let mut actions: Vec<ActionSpan> = Vec::new();
    for event in &rows.events {
        match event.name.as_str() {
            "action_started" => {
                let effect = take_effect(&mut effects, event);
                actions.push(started_action(event, effect, steps));
            }
            "action_finished" => match actions.iter_mut().rev().find(|action| action.ends_with(event)) {
                Some(action) => action.end(event),
                None => actions.push(action_from_end(event, steps)),
            },
            _ => {}
        }
    }
    actions.extend(effects.into_iter().map(|effect| action_from_effect(effect, steps)));
    actions.into_iter().map(ActionSpan::close).collect()
}

/// An action, and whether its end event was found.
struct ActionSpan {
    span: Span,
    has_end: bool,
    /// End of the containing step. The action cannot outlast it.
    step_end: Option<Moment>,
}

impl ActionSpan {
    /// Reports whether this end event belongs to the action.
    fn ends_with(&self, event: &TimelineEvent) -> bool {
        let SpanKind::Action { action_id, .. } = &self.span.what else { return false };
        let same = self.span.run == event.run && event.data["action_id"] == json!(action_id);
        same && !self.has_end && event.data["action"] == json!(self.span.name)
    }

    fn end(&mut self, event: &TimelineEvent) {
        self.has_end = true;
        self.span.end = Some(event.at.max(self.span.begin));
        self.span.status = String::from(if event.data["ok"] == json!(true) { "ok" } else { "failed" });
        if let SpanKind::Action { code, .. } = &mut self.span.what {
            *code = event.data["code"].as_str().map(str::to_owned);
        }
    }

    /// Closes an action without an end event at the end of its step: it was interrupted.
    fn close(mut self) -> Span {
        if let (None, Some(end)) = (self.span.end, self.step_end) {
            self.span.end = Some(end.max(self.span.begin));
            self.span.status = String::from("unknown");
        }
        self.span
    }
}

/// Finds and removes the effect that was stored with this event: the same action at about the same time.
fn take_effect<'a>(effects: &mut Vec<&'a EffectRow>, event: &TimelineEvent) -> Option<&'a EffectRow> {
    /// Maximum difference in milliseconds. Both belong to one commit, but their times are read separately.
    const TOGETHER_MS: u64 = 50;
    let id = event.data["action_id"].as_str()?;
    let matches_event = |row: &&EffectRow| {
        let apart = row.intent_at.millis().abs_diff(event.at.millis());
        row.run == event.run && row.action_id == id && apart <= TOGETHER_MS
    };
    let position = effects.iter().position(matches_event)?;
    Some(effects.remove(position))
}

fn started_action(event: &TimelineEvent, effect: Option<&EffectRow>, steps: &Steps<'_>) -> ActionSpan {
    let word = |name: &str| event.data[name].as_str().unwrap_or_default().to_owned();
    let about = ["role", "name", "url", "key", "direction"].into_iter().filter_map(|name| {
        let value = event.data[name].clone();
        (!value.is_null()).then(|| (name.to_owned(), value))
    });
    let (parent, step_end) = parent_step(steps, &event.run, event.at);
    let what = SpanKind::Action {
        action_id: word("action_id"),
        effect: effect.map(|effect| effect.n),
        about: Value::Object(about.collect::<Map<_, _>>()),
        code: None,
    };
    let span = Span {
        id: format!("{}/a{}", event.run, event.seq),
        parent: Some(parent),
        run: event.run.clone(),
        name: word("action"),
        status: effect.map_or_else(|| String::from("running"), effect_status),
        begin: event.at,
        end: effect.and_then(|effect| effect.receipt_at),
        what,
    };
    ActionSpan { span, has_end: false, step_end }
}

/// Creates an action from an end event without a start event.
fn action_from_end(event: &TimelineEvent, steps: &Steps<'_>) -> ActionSpan {
    let mut action = started_action(event, None, steps);
    let took = event.data["took_ms"].as_i64().unwrap_or(0);
    action.span.begin = Moment::from_millis(event.at.millis().saturating_sub(took));
    action.end(event);
    action
}

fn parent_step(steps: &Steps<'_>, run: &RunId, at: Moment) -> (String, Option<Moment>) {
    match steps.step_at(run, at) {
        Some(step) => (step.id(), step.end),
        None => (run.to_string(), None),
    }
}

/// Returns the status in a receipt.
fn effect_status(effect: &EffectRow) -> String {
    let Some(receipt) = &effect.receipt else { return String::from("running") };
    let word = match receipt["ok"].as_bool() {
        Some(true) => "ok",
        Some(false) => "failed",
        None => "unknown",
    };
    word.to_owned()
}

/// Creates an action from an effect without events.
fn action_from_effect(effect: &EffectRow, steps: &Steps<'_>) -> ActionSpan {
    let (parent, step_end) = parent_step(steps, &effect.run, effect.intent_at);
    let what = SpanKind::Action {
        action_id: effect.action_id.clone(),
        effect: Some(effect.n),
        about: json!({}),
        code: None,
    };
    let span = Span {
        id: format!("{}/e{}", effect.run, effect.n),
        parent: Some(parent),
        run: effect.run.clone(),
        name: effect.action["action"].as_str().unwrap_or(&effect.action_id).to_owned(),
        status: effect_status(effect),
        begin: effect.intent_at,
        end: effect.receipt_at,
        what,
    };
    ActionSpan { span, has_end: true, step_end }
}

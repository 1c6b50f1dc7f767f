//! The `log` of a run: events as lines of text.

use crate::protocol::Locale;
use crate::protocol::event::Event;
use crate::protocol::server::{Fact, ResolvedBy};
use crate::store::rows::EventRow;
use crate::texts::http;
use serde_json::Value;

/// Returns a line with a timestamp for each event that concerns people.
pub fn readable(facts: &[EventRow], locale: Locale) -> Vec<String> {
    let line = |row: &EventRow| Some(format!("{} {}", row.at.rfc3339(), line(row, locale)?));
    facts.iter().filter_map(line).collect()
}

/// Returns the text of an event, or `None` if it concerns programs only.
pub fn line(row: &EventRow, locale: Locale) -> Option<String> {
    words(serde_json::from_str(&row.body).ok()?, locale)
}

fn words(fact: Fact, locale: Locale) -> Option<String> {
    match fact {
        Fact::RunStarted { agent, .. } => Some(http::log_started(&agent, locale)),
        Fact::Status { .. } => None,
        Fact::AgentMessage { text, .. } => Some(http::log_agent(&text, locale)),
        Fact::AgentQuestion(question) => Some(http::log_asks(&question.text, locale)),
        Fact::QuestionResolved { by, answer, .. } => Some(resolution_text(by, &answer, locale)),
        Fact::Event(event) => event_text(event, locale),
        Fact::RunEnded { outcome, .. } => Some(http::log_ended(outcome.word(), locale)),
    }
}

fn resolution_text(by: ResolvedBy, answer: &Value, locale: Locale) -> String {
    let text = match by {
        ResolvedBy::Expired => http::log_question_expired(locale),
        ResolvedBy::Stopped => http::log_question_dropped(locale),
        ResolvedBy::Policy => http::log_rules_answered(locale),
        ResolvedBy::User | ResolvedBy::Client(_) => {
            match (answer["confirmed"].as_bool(), answer["text"].as_str()) {
                (Some(true), _) => http::log_approved(locale),
                (Some(false), _) => http::log_declined(locale),
                (None, Some(text)) => return http::log_answered(text, locale),
                (None, None) => http::log_done_by_person(locale),
            }
        }
    };
    text.to_owned()
}

fn event_text(event: Event, locale: Locale) -> Option<String> {
    match event {
        Event::Observation { url, title, .. } => Some(http::log_sees(&title, &url, locale)),
        Event::Thought { content, .. } => Some(http::log_thinks(&content, locale)),
        Event::ActionStarted { action, params, target, .. } => {
            let name =
                target.as_ref().and_then(|target| target["name"].as_str()).map(|name| format!(" “{name}”"));
            Some(format!("{action} {}{}", Value::Object(params), name.unwrap_or_default()))
        }
        Event::ActionFinished { action, ok: true, .. } => Some(http::log_action_done(&action, locale)),
        Event::ActionFinished { action, ok: false, error, .. } => {
            let why = error.map(|failure| failure.message).unwrap_or_default();
            Some(http::log_action_failed(&action, &why, locale))
        }
        Event::Policy { decision, rule, action_id, .. } => {
            Some(http::log_policy(&action_id, &decision, &rule, locale))
        }
        Event::Effect { method, url, covered_by, .. } => {
            Some(http::log_effect(&method, &url, &covered_by, locale))
        }
        Event::UserMessage { text } => Some(http::log_person(&text, locale)),
        Event::Item { item_id, agent, status, error, .. } => {
            let why = error.map(|words| format!(": {words}")).unwrap_or_default();
            Some(format!("{agent} ({item_id}) {status}{why}"))
        }
        Event::StateUpdated { .. }
        | Event::Plan { .. }
        | Event::Task { .. }
        | Event::Compacted { .. }
        | Event::Budget { .. }
        | Event::Usage { .. }
        | Event::Lease { .. }
        | Event::Node { .. } => None,
    }
}

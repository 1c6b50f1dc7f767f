//! The `log` of a run: events as lines of text.

use crate::protocol::Locale;
use crate::protocol::event::Event;
use crate::protocol::server::{Fact, ResolvedBy};
use crate::store::rows::EventRow;
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
    let pick = |uk, en| locale.pick(uk, en);
    match fact {
        Fact::RunStarted { agent, .. } => Some(format!("{} {agent}", pick("почав", "started"))),
        Fact::Status { .. } => None,
        Fact::AgentMessage { text, .. } => Some(format!("{}: {text}", pick("агент", "agent"))),
        Fact::AgentQuestion(question) => Some(format!("{}: {}", pick("питає", "asks"), question.text)),
        Fact::QuestionResolved { by, answer, .. } => Some(resolved(by, &answer, locale)),
        Fact::Event(event) => event_text(event, locale),
        Fact::RunEnded { outcome, .. } => Some(format!("{}: {}", pick("кінець", "ended"), outcome.word())),
    }
}

fn resolved(by: ResolvedBy, answer: &Value, locale: Locale) -> String {
    let pick = |uk: &str, en: &str| locale.pick(uk, en).to_owned();
    match by {
        ResolvedBy::Expired => pick("час на відповідь минув", "the question expired"),
        ResolvedBy::Stopped => {
            pick("запитання знято, бо запуск зупинено", "the question was dropped when the run stopped")
        }
        ResolvedBy::Policy => pick("відповіли правила", "the rules answered"),
        ResolvedBy::User => match (answer["confirmed"].as_bool(), answer["text"].as_str()) {
            (Some(true), _) => pick("людина дозволила", "the person approved"),
            (Some(false), _) => pick("людина відхилила", "the person declined"),
            (None, Some(text)) => format!("{}: {text}", pick("людина відповіла", "the person answered")),
            (None, None) => pick("людина зробила", "the person did it"),
        },
    }
}

fn event_text(event: Event, locale: Locale) -> Option<String> {
    let pick = |uk, en| locale.pick(uk, en);
    match event {
        Event::Observation { url, title, .. } => Some(format!("{}: {title} ({url})", pick("бачить", "sees"))),
        Event::Thought { content, .. } => Some(format!("{}: {content}", pick("думає", "thinks"))),
        Event::ActionStarted { action, params, target, .. } => {
            let name =
                target.as_ref().and_then(|target| target["name"].as_str()).map(|name| format!(" “{name}”"));
            Some(format!("{action} {}{}", Value::Object(params), name.unwrap_or_default()))
        }
        Event::ActionFinished { action, ok: true, .. } => {
            Some(format!("{action}: {}", pick("зроблено", "done")))
        }
        Event::ActionFinished { action, ok: false, error, .. } => {
            let why = error.map(|failure| failure.message).unwrap_or_default();
            Some(format!("{action}: {} {why}", pick("не вийшло:", "failed:")))
        }
        Event::Policy { decision, rule, action_id, .. } => {
            Some(format!("{} {action_id}: {decision} ({rule})", pick("правила для", "policy for")))
        }
        Event::UserMessage { text } => Some(format!("{}: {text}", pick("людина", "person"))),
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

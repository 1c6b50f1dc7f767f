//! Compaction in the background (S2.32, C15): a child run summarizes the oldest entries of a long history,
//! while the conversation goes on or waits for a person. When the run has ended, its summary replaces the
//! entries.

use crate::engine::program::ChildCall;
use crate::engine::program::ended_child::EndedChild;
use crate::gate::flow::named_hosts::hosts_named_in;
use crate::ids::RunId;
use crate::planning::{ActionResult, HistoryEntry, Speaker};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::state::memory::summary_range;
use crate::programs::conversation::state::memory::summary_range::Compacting;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::secrets::scrub::Replacement;
use crate::text::truncate::truncate;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The agent that writes summaries. Names with `__` are reserved, so no file can have this one, and people
/// cannot start it.
pub const SUMMARY: &str = "__summary";
/// Names of its input and its output.
pub const INPUT: &str = "conversation";
pub const OUTPUT: &str = "summary";

/// The time limit of a summary.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Longest text given to the agent, in characters.
const MAX_VALUE_CHARS: usize = 1_500;

/// Starts a summary if the history has become too long; nothing waits for it.
pub fn begin_summary(cx: &mut VisitContext) {
    let (memory, entries) = (&cx.state.memory, &cx.state.messages);
    // The command planner and scripts read the history itself.
    let is_enabled = cx.deps.thinking.compacts && cx.deps.asks_model();
    if !is_enabled || memory.compacting.is_some() || entries.len() < memory.compact_at {
        return;
    }
    let Some(cut) = summary_range::summary_due(entries, cx.deps.limits.history) else { return };
    let run = RunId::fresh();
    let input = Map::from_iter([
        (INPUT.to_owned(), json!(cut.entries(entries).map(shorten_entry).collect::<Vec<HistoryEntry>>())),
        (String::from("locale"), json!(cx.state.locale.tag())),
    ]);
    cx.record.calls.push(ChildCall {
        run: run.clone(),
        agent: SUMMARY.to_owned(),
        input,
        timeout: Some(TIMEOUT),
        after: None,
    });
    cx.change(ConversationChange::Remembered(MemoryChange::Compacting(Compacting { run, cut })));
}

/// Applies the end of the run that writes the summary. Returns `None` if it has not ended.
pub fn apply_summary(
    state: &ConversationState,
    deps: &ConversationDeps,
    ended: &[EndedChild],
) -> Option<(Vec<ConversationChange>, Vec<Fact>)> {
    let Compacting { run, cut } = state.memory.compacting.as_ref()?;
    let child = ended.iter().find(|child| child.run == *run)?;
    let text = child.vars.get(OUTPUT).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if child.outcome != Status::Succeeded || text.is_empty() {
        tracing::warn!(run_id = %run, outcome = child.outcome.word(), "summary of the history failed");
        return Some((
            vec![ConversationChange::Remembered(MemoryChange::Compacted { text: None })],
            Vec::new(),
        ));
    }
    let summary = deps.vault.scrub_text(text, Replacement::Placeholder);
    // Hosts that the person has named in these entries stay allowed.
    let hosts = cut.entries(&state.messages).filter_map(|entry| match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => Some(hosts_named_in(text)),
        HistoryEntry::Message { by: Speaker::Agent, .. }
        | HistoryEntry::Acted { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. }
        | HistoryEntry::Premove { .. } => None,
    });
    let mut changes: Vec<ConversationChange> = hosts.flatten().map(ConversationChange::HostAllowed).collect();
    let fact =
        Fact::Event(Event::Compacted { entries: cut.count(&state.messages), summary: summary.clone() });
    changes.push(ConversationChange::Remembered(MemoryChange::Compacted { text: Some(summary) }));
    Some((changes, vec![fact]))
}

/// Returns the entry with long values cut, which is enough for a summary.
fn shorten_entry(entry: &HistoryEntry) -> HistoryEntry {
    let mut entry = entry.clone();
    match &mut entry {
        // An older summary is the only record of its entries.
        HistoryEntry::Summary { .. } => {}
        HistoryEntry::Message { text, .. } | HistoryEntry::Premove { text, .. } => shorten_text(text),
        HistoryEntry::Ended { result } => shorten(result),
        HistoryEntry::Acted { turn, results } => {
            results.iter_mut().for_each(shorten);
            for value in turn.actions.iter_mut().flat_map(|call| call.params.values_mut()) {
                if let Value::String(text) = value {
                    shorten_text(text);
                }
            }
        }
    }
    entry
}

fn shorten(result: &mut ActionResult) {
    result.returned.iter_mut().chain(&mut result.answer).for_each(shorten_text);
}

fn shorten_text(text: &mut String) {
    *text = truncate(text, MAX_VALUE_CHARS);
}

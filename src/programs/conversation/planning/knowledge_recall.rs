//! The knowledge of the agent: looked up when the planner asks for it (`recall`), and named by turns that use
//! it (S4.2, S4.30).

use crate::knowledge::passage::KnowledgeList;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::record;
use crate::turn::Turn;
use std::convert::Infallible;

/// The greatest number of relics of one turn that are traced.
const MAX_NAMED_RELICS: usize = 20;
/// Longest note with names, in characters, and the greatest number of such notes.
const MAX_PIECE_CHARS: usize = 400;
const MAX_PIECES: usize = 5;

/// Returns the current relics; none if they cannot be read.
pub async fn load_relics(cx: &VisitContext) -> KnowledgeList {
    let Some(access) = &cx.deps.knowledge else { return KnowledgeList::default() };
    let knowledge = record::record_input("known", async {
        Ok::<_, Infallible>(access.index.list(access.scope.clone()).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, run_id = %cx.run, "knowledge not read");
            KnowledgeList::default()
        }))
    });
    let Ok(knowledge) = knowledge.await;
    cx.working_set.set_relics(knowledge.relics.iter().map(|relic| relic.name.clone()).collect());
    knowledge
}

/// Returns the names of the relics that can be recalled, in notes of limited length.
pub fn relic_notes(cx: &VisitContext) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for name in cx.working_set.relics().filter(|_| cx.deps.knowledge.is_some()).unwrap_or_default() {
        let full = pieces.len() == MAX_PIECES;
        match pieces.last_mut() {
            Some(last) if last.chars().count() + name.chars().count() < MAX_PIECE_CHARS => {
                last.push_str(", ");
                last.push_str(&name);
            }
            _ if full => break,
            _ => pieces.push(format!("knowledge that `recall` looks in: {name}")),
        }
    }
    pieces
}

/// Returns the passages that answer the query best, or the reason why there are none.
pub async fn recall(cx: &VisitContext, query: &str, relics: &[String]) -> Result<String, String> {
    let Some(access) = &cx.deps.knowledge else {
        return Err(String::from("this agent has no knowledge"));
    };
    let found = record::record_input("recall", async {
        let found = access.index.recall(access.scope.clone(), query.to_owned(), relics.to_vec()).await;
        Ok::<_, Infallible>(found.map(|found| found.text()).map_err(|fault| fault.to_string()))
    });
    let Ok(found) = found.await;
    found
}

/// Records the relics that the turn names, and notes unknown ones for the planner.
pub fn record_relics(cx: &mut VisitContext, turn: &Turn, knowledge: &KnowledgeList) {
    let mut names: Vec<String> = Vec::new();
    for name in turn.context.knowledge_relics.iter().map(|name| name.trim()) {
        let name = name.strip_suffix(".md").unwrap_or(name).to_owned();
        if !name.is_empty() && !names.contains(&name) && names.len() < MAX_NAMED_RELICS {
            names.push(name);
        }
    }
    if names.is_empty() {
        return;
    }
    let exists = |name: &String| knowledge.relics.iter().any(|relic| relic.name == *name);
    let (found, unknown): (Vec<String>, Vec<String>) = names.into_iter().partition(exists);
    if !unknown.is_empty() {
        let note = format!("there is no knowledge named {}", unknown.join(", "));
        cx.change(ConversationChange::Note(note));
    }
    if found.is_empty() {
        return;
    }
    cx.push_event(Fact::Event(Event::Thought {
        r#type: String::from("KNOWLEDGE"),
        content: found.join(", "),
        action_id: turn.actions.first().map(|call| call.id_at(0)),
        step_ref: turn.step_ref,
        expected_outcome: None,
        confidence: None,
    }));
    cx.change(ConversationChange::Remembered(MemoryChange::Relics(found)));
}

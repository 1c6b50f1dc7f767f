//! Starts premoves, processes their results, and carries out the planner's changes of them (S4.31).

use crate::agent_spec::types::conversation_parts::Premove;
use crate::engine::program::ChildCall;
use crate::engine::program::ended_child::EndedChild;
use crate::ids::RunId;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::state::memory::premoves::{
    PremoveChange, RunningPremove, TTL_S, read_result,
};
use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::internal_action::PremoveOperation;
use serde_json::{Map, Value};
use std::time::Duration;

/// The greatest number of premoves, from the agent's file and the planner together.
const MAX_PREMOVES: usize = 16;

/// Changes the premoves of the conversation.
pub fn change_premoves(cx: &mut VisitContext, change: PremoveChange) {
    cx.change(ConversationChange::Remembered(MemoryChange::Premove(change)));
}

/// Returns the premoves that must run before the next turn is planned.
pub fn premoves_due(cx: &VisitContext, now: i64) -> Vec<Premove> {
    // Plain commands and scripts do not use the results.
    let is_enabled = cx.deps.asks_model();
    let premoves = &cx.state.memory.premoves;
    match cx.deps.thinking.premoves.as_ref().filter(|_| is_enabled) {
        Some(premoving) => premoves.due_premoves(&premoving.own, now),
        None => Vec::new(),
    }
}

/// Starts the premoves, each with the time limit of one try.
pub fn begin_premoves(cx: &mut VisitContext, due: Vec<Premove>) {
    let timeout = Some(Duration::from_secs(cx.deps.limits.try_timeout_s));
    let mut begun = Vec::new();
    for Premove { name, agent, mut params, .. } in due {
        let run = RunId::fresh();
        let locale = cx.state.locale.tag();
        params.entry("locale").or_insert_with(|| Value::from(locale));
        cx.record.calls.push(ChildCall { run: run.clone(), agent, input: params, timeout, after: None });
        begun.push(RunningPremove { name, run });
    }
    change_premoves(cx, PremoveChange::Begun(begun));
}

/// Stores the result of a premove, found at the time `now` in Unix milliseconds.
pub fn store_premove_result(cx: &mut VisitContext, child: &EndedChild, now: i64) {
    let premoves = &cx.state.memory.premoves;
    let Some(RunningPremove { name, .. }) = premoves.under_way.iter().find(|begun| begun.run == child.run)
    else {
        return;
    };
    let own =
        cx.deps.thinking.premoves.as_ref().map(|premoving| premoving.own.as_slice()).unwrap_or_default();
    let tokens = premoves.all(own).into_iter().find(|premove| premove.name == *name).and_then(|p| p.tokens);
    let (name, found) = (name.clone(), read_result(child, tokens));
    match found {
        Ok(text) => change_premoves(cx, PremoveChange::Ended { name, at: now, text: Some(text) }),
        Err(why) => {
            cx.change(ConversationChange::Note(format!("premove {name}: {why}")));
            change_premoves(cx, PremoveChange::Ended { name, at: now, text: None });
        }
    }
}

/// Reports whether the planner may change premoves.
pub fn may_premove(cx: &VisitContext) -> bool {
    cx.deps
        .thinking
        .premoves
        .as_ref()
        .is_some_and(|premoving| !(premoving.uses.is_empty() && premoving.own.is_empty()))
}

/// Carries out an operation of the planner: set a premove, clear one or all, or list them.
pub fn run_premove_operation(
    cx: &mut VisitContext,
    operation: PremoveOperation,
    (name, agent, params): (Option<&str>, Option<&str>, &Map<String, Value>),
) -> Result<String, String> {
    let Some(premoving) = &cx.deps.thinking.premoves else {
        return Err(String::from("this agent has its premoves switched off"));
    };
    let all = cx.state.memory.premoves.all(&premoving.own);
    match operation {
        PremoveOperation::List => Ok(match all.as_slice() {
            [] => String::from("no premoves"),
            _ => all.iter().map(describe_premove).collect::<Vec<_>>().join("\n"),
        }),
        PremoveOperation::Clear => {
            let cleared = select_cleared(all, name)?;
            change_premoves(cx, PremoveChange::Cleared(cleared));
            Ok(String::from("cleared"))
        }
        PremoveOperation::Set => {
            let agent = agent.unwrap_or_default();
            if !premoving.uses.iter().any(|used| used == agent) {
                return Err(format!(
                    "only agents of its own may be run before its plans: {}",
                    premoving.uses.join(", ")
                ));
            }
            let name = name.unwrap_or(agent).to_owned();
            if all.len() >= MAX_PREMOVES && all.iter().all(|premove| premove.name != name) {
                return Err(format!("there are {MAX_PREMOVES} premoves already; clear one first"));
            }
            let set = Premove { name, agent: agent.to_owned(), params: params.clone(), ..Premove::default() };
            change_premoves(cx, PremoveChange::Set(set));
            Ok(String::from("set; its result is shown before the next turns"))
        }
    }
}

/// Returns the names to clear: the given one, or all.
fn select_cleared(all: Vec<Premove>, name: Option<&str>) -> Result<Vec<String>, String> {
    let names: Vec<String> = all.into_iter().map(|premove| premove.name).collect();
    match name {
        Some(name) if names.iter().any(|used| used == name) => Ok(vec![name.to_owned()]),
        Some(name) => Err(format!("there is no premove {name}; there are: {}", names.join(", "))),
        None => Ok(names),
    }
}

fn describe_premove(premove: &Premove) -> String {
    let ttl = premove.ttl_s.unwrap_or(TTL_S);
    format!("{}: {} {} every {ttl} s", premove.name, premove.agent, Value::Object(premove.params.clone()))
}

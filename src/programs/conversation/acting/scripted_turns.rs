//! Turns that need no model: opening the start page, and the steps of a script.

use crate::page::target::Target;
use crate::planning::{
    ActionStatus, HistoryEntry, INTERRUPTED, OUTCOME_UNKNOWN, PlanError, PlannedTurn, Speaker,
};
use crate::programs::conversation::effects;
use crate::programs::conversation::order_address::only_address;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::START;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::Locale;
use crate::script::narration::PlayerTexts;
use crate::script::player::{self, PlayInput, PlayerOutcome, turns};
use crate::script::{recording, rendering};
use crate::texts;
use crate::turn::action::Action;
use crate::turn::{Call, Thought, Turn};
use serde_json::{Map, Value, json};

/// The number of tries to open the start page if it is interrupted.
const MAX_TRIES: usize = 3;
const CUT_SHORT: [&str; 3] = [INTERRUPTED, OUTCOME_UNKNOWN, "browser_crashed"];

/// Returns the next turn if no planner is to be asked, or the step that a model must repair.
pub fn next(cx: &VisitContext) -> Option<PlayerOutcome> {
    if let Some(turn) = opening_turn(cx) {
        return Some(PlayerOutcome::Turn(turn));
    }
    let deps = &cx.deps;
    if deps.task.script.is_empty() {
        return None;
    }
    let (observed, context) = (cx.working_set.observation(), template_context(cx));
    let files: Vec<String> = effects::list_files(cx).into_iter().map(|file| file.name).collect();
    Some(player::next(&PlayInput {
        steps: &deps.task.script,
        known: &context,
        secrets: &deps.task.secret_inputs,
        history: &cx.state.messages,
        page: observed.as_ref().map(|observed| observed.observation.as_ref()),
        files: &files,
        locale: cx.state.locale,
        own_origin: &deps.hosts.own_origin,
        can_repair: deps.planner.model().is_some(),
    }))
}

/// Renders the agent's goal for this run. The inputs never change, so the goal does not either.
pub fn goal(cx: &VisitContext) -> Result<Option<String>, String> {
    let goal = cx.deps.task.goal.as_deref();
    goal.map(|goal| rendering::render_text(goal, &cx.state.inputs)).transpose()
}

/// Converts a model's answer about one step into a turn that plays it, or gives up if the model found no way.
pub fn repair_turn(cx: &VisitContext, repair: &player::RepairRequest, turn: Turn) -> Turn {
    turns::repair_turn(repair.step, repair.count, turn).unwrap_or_else(|message| {
        turns::give_up(player_texts(cx).not_repaired(&repair.sorry, message.as_deref()))
    })
}

/// Ends the run at the current step of its script if the model gave no answer, or none that can be read. An
/// unreadable answer is first asked for again, as often as any other.
pub fn give_up_repair(
    cx: &VisitContext,
    repair: &player::RepairRequest,
    fault: PlanError,
) -> Result<PlannedTurn, PlanError> {
    let (message, usage) = match fault {
        PlanError::Invalid { .. } if cx.state.invalid_actions + 1 < cx.deps.limits.invalid_actions => {
            return Err(fault);
        }
        PlanError::Invalid { message, usage } | PlanError::Unavailable { message, usage } => (message, usage),
    };
    Ok(PlannedTurn {
        turn: turns::give_up(player_texts(cx).not_repaired(&repair.sorry, Some(&message))),
        usage,
    })
}

/// Returns the texts of this run's script for the person.
pub fn player_texts(cx: &VisitContext) -> PlayerTexts<'_> {
    PlayerTexts { locale: cx.state.locale, steps: &cx.deps.task.script, page: None }
}

/// Returns the inputs, overridden by answers and variables.
fn template_context(cx: &VisitContext) -> Map<String, Value> {
    let state = &cx.state;
    let later = state.answers.iter().chain(&state.variables);
    let mut context = state.inputs.clone();
    context.extend(later.map(|(name, value)| (name.clone(), value.clone())));
    context
}

/// Returns the turn that opens the start page, once in a run.
fn opening_turn(cx: &VisitContext) -> Option<Turn> {
    let named = order_address(cx);
    let start = cx.deps.task.start_url.as_deref().or(named.as_deref())?;
    let outcomes =
        |entries: &[HistoryEntry]| entries.iter().filter_map(opening_outcome).collect::<Vec<ActionStatus>>();
    if cx.state.memory.opened || outcomes(&cx.state.messages).contains(&ActionStatus::Ok) {
        return None;
    }
    // A person who writes to an ended run wants another try.
    let ended = cx
        .state
        .messages
        .iter()
        .rposition(|entry| matches!(entry, HistoryEntry::Message { by: Speaker::Agent, .. }));
    let tries = outcomes(&cx.state.messages[ended.map_or(0, |at| at + 1)..]);
    let (code, message) = match tries.last() {
        None => return Some(open_turn(cx, start)),
        Some(ActionStatus::Ok) => return None,
        Some(ActionStatus::Failed { code, .. })
            if tries.len() < MAX_TRIES && CUT_SHORT.contains(&code.as_str()) =>
        {
            return Some(open_turn(cx, start));
        }
        Some(ActionStatus::Failed { code, message }) => (code.as_str(), message),
        Some(ActionStatus::Dropped { why }) => ("", why),
    };
    // A planner can find another way; a script cannot.
    let locale = cx.state.locale;
    let why = texts::page::translated_error(code, locale).unwrap_or(message);
    let not_opened = || turns::give_up(texts::page::start_page_not_opened(start, why, locale));
    (!cx.deps.task.script.is_empty()).then(not_opened)
}

/// Returns the one address that the person's order names, while the run has no page and nothing was done. A model would
/// spend its first call on opening it.
fn order_address(cx: &VisitContext) -> Option<String> {
    let acted = |entry: &HistoryEntry| !matches!(entry, HistoryEntry::Message { .. });
    let is_first_order = cx.deps.caller.is_none() && !cx.state.messages.iter().any(acted);
    let has_page = cx
        .working_set
        .observation()
        .is_some_and(|observed| !matches!(observed.observation.url.as_str(), "" | "about:blank"));
    if !cx.deps.asks_model() || cx.deps.browsers.is_none() || !is_first_order || has_page {
        return None;
    }
    let allowed = cx.deps.hosts.allowed.as_deref().unwrap_or_default();
    only_address(cx.state.last_user_message.as_deref()?, allowed)
}

fn open_turn(cx: &VisitContext, start: &str) -> Turn {
    let locale = cx.state.locale;
    if cx.deps.task.start_url.is_none() {
        return navigate_turn(locale, start);
    }
    let url = match rendering::render_text(start, &cx.state.inputs) {
        Ok(url) => rendering::complete_address(url.trim(), &cx.deps.hosts.own_origin),
        Err(fault) => return turns::give_up(texts::page::start_page_not_opened(start, &fault, locale)),
    };
    navigate_turn(locale, &url)
}

fn navigate_turn(locale: Locale, url: &str) -> Turn {
    let call = Call {
        action_id: Some(String::from(START)),
        action: String::from("navigate"),
        kind: Some(String::from("tool")),
        params: Map::from_iter([(String::from("url"), json!(url))]),
        ..Call::default()
    };
    let content = texts::page::opening_start_page(locale).to_owned();
    let thought = Thought { kind: String::from("PLAN"), content };
    Turn { thoughts: vec![thought], actions: vec![call], ..Turn::default() }
}

/// Returns the outcome of a turn that was to open the start page.
fn opening_outcome(entry: &HistoryEntry) -> Option<ActionStatus> {
    let HistoryEntry::Acted { turn, results } = entry else { return None };
    let opens = turn.actions.first().is_some_and(|call| call.action_id.as_deref() == Some(START));
    results.first().filter(|_| opens).map(|result| result.outcome.clone())
}

/// Puts the target of the action into the working set for the gate, and into the trace for the author of a
/// script.
pub fn record_target(cx: &mut VisitContext, action: &Action, target: Option<&Target>) {
    cx.working_set.set_target(target.cloned());
    let Some(observed) = cx.working_set.observation() else { return };
    if let Some(aimed) = recording::describe_elements(action, &observed.observation, target) {
        cx.change(ConversationChange::Aimed(aimed));
    }
}

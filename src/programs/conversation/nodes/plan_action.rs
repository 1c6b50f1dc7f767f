//! Asks the planner for the next turn (S1.21). The inbox is read first.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::files::StoredFile;
use crate::knowledge::passage::KnowledgeList;
use crate::model::endpoint::streaming::with_drafts;
use crate::model::role_requests::ThinkRequest;
use crate::model::roles::Thoughts;
use crate::page;
use crate::planning::{
    ActionResult, BaseObservation, HistoryEntry, PlanError, PlanRequest, PlanView, PlannedTurn,
};
use crate::programs::conversation::acting::action_words::describe_action;
use crate::programs::conversation::acting::file_list;
use crate::programs::conversation::acting::observe::is_forbidden;
use crate::programs::conversation::acting::reading::read_file;
use crate::programs::conversation::acting::{scripted_turns, secret_input};
use crate::programs::conversation::agent_message::agent_message;
use crate::programs::conversation::drafts::draft_sink;
use crate::programs::conversation::effects;
use crate::programs::conversation::inbox;
use crate::programs::conversation::planning::available_actions;
use crate::programs::conversation::planning::knowledge_recall;
use crate::programs::conversation::planning::open_items;
use crate::programs::conversation::planning::page_picture;
use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::planning::plan_steps::NextStep;
use crate::programs::conversation::planning::premove_runs;
use crate::programs::conversation::planning::stop_deferral;
use crate::programs::conversation::planning::thinking_policy;
use crate::programs::conversation::questions;
use crate::programs::conversation::questions::budget_check;
use crate::programs::conversation::questions::budget_check::BudgetState;
use crate::programs::conversation::shown_pages::{HistoryLength, PageViewer, ShownObservation};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::state::turn::expectation::{missed_expectation, open_dialog_note};
use crate::programs::conversation::state::turn::preconditions::{Preconditions, list_eids};
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::script::player::PlayerOutcome;
use crate::texts;
use crate::turn::Turn;
use crate::turn::action::Action;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Planned,
        /// The planner's answer holds no turn.
        Unreadable,
        OutOfIterations,
        /// Premoves are due first.
        NeedsPremoves,
        /// A turn of thoughts alone; another turn follows.
        Thought,
        /// A plan of the task must be made first.
        NeedsPlan,
        /// The turn is for a later item of the plan, which claims that the current one is done.
        MovedOn,
        /// The turn only claims that the current item is done.
        Claimed,
        /// The plan has open items, but none that can be worked on.
        NothingActionable,
        /// A limit is used up; the person may raise it.
        NeedsBudget,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if let Some(outcome) = check_before_turn(cx).await? {
        return Ok(outcome);
    }
    if cx.deps.browsers.is_none() && cx.deps.planner.model().is_none() {
        return Err(ProgramError::Failed(texts::model::agent_needs_model(cx.state.locale).to_owned()));
    }
    read_file::describe_downloads(cx).await;
    let knowledge = knowledge_recall::load_relics(cx).await;
    match next_turn(cx).await {
        Ok(planned) => take_turn(cx, planned, &knowledge).await,
        Err(PlanError::Invalid { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            plan_turn(cx, Turn::default(), Some(message));
            Ok(Unreadable)
        }
        Err(PlanError::Unavailable { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            Err(ProgramError::Failed(message))
        }
    }
}

/// Takes the planner's turn as a thought, as a claim that the current item is done, or as the next turn.
async fn take_turn(
    cx: &mut VisitContext,
    mut planned: PlannedTurn,
    knowledge: &KnowledgeList,
) -> Result<Outcome, ProgramError> {
    secret_input::hide_secrets(cx, &mut planned.turn).await?;
    budget_check::count_usage(cx, &planned.usage);
    send_thoughts(cx, &planned.turn);
    let deferred = cx.deps.asks_model() && stop_deferral::defer_stop(&mut planned.turn);
    let moved_on = is_for_later_item(cx, &planned.turn);
    if !moved_on && thinking_policy::is_thought_turn(cx, &planned.turn) {
        let tokens = planned.usage.iter().map(|usage| usage.output_tokens).sum();
        cx.change(ConversationChange::Iterated);
        keep_memory(cx, &planned.turn);
        cx.change(ConversationChange::Remembered(MemoryChange::Thought { turn: planned.turn, tokens }));
        return Ok(Thought);
    }
    if !moved_on && planned.turn.only_claims_done() && cx.state.plan.is_open() {
        keep_memory(cx, &planned.turn);
        cx.change(ConversationChange::Claimed(planned.turn));
        return Ok(Claimed);
    }
    let turn = planned.turn.clone();
    plan_turn(cx, planned.turn, None);
    if deferred {
        cx.change(ConversationChange::Note(stop_deferral::STOP_DEFERRED.to_owned()));
    }
    knowledge_recall::record_relics(cx, &turn, knowledge);
    Ok(if moved_on { MovedOn } else { Planned })
}

/// Checks what comes before a turn: limits, the inbox, the plan and premoves.
async fn check_before_turn(cx: &mut VisitContext) -> Result<Option<Outcome>, ProgramError> {
    if cx.state.iterations >= cx.state.iteration_limit(&cx.deps.limits) {
        return Ok(Some(OutOfIterations));
    }
    let (budget, nearly_used_up) = budget_check::check_budget(cx).await?;
    if let Some(used) = nearly_used_up.filter(|_| !cx.state.raised_limits.warned) {
        cx.push_event(Fact::Event(Event::Budget {
            limit: used.limit.to_owned(),
            used: used.used,
            most: used.most,
        }));
        cx.change(ConversationChange::Warned);
    }
    match budget {
        BudgetState::Enough => {}
        BudgetState::Over => return Ok(Some(OutOfIterations)),
        BudgetState::Empty(used) => {
            cx.ask = Some(questions::budget_question(cx.state.locale, &used));
            return Ok(Some(NeedsBudget));
        }
    }
    inbox::read_before_turn(cx);
    match plan_steps::next_step(cx) {
        NextStep::Plan => return Ok(Some(NeedsPlan)),
        NextStep::Nothing => {
            tracing::info!(run_id = %cx.run, "no_actionable_steps");
            return Ok(Some(NothingActionable));
        }
        NextStep::Turn => open_items::take_up_open_item(cx).await,
    }
    if !premove_runs::premoves_due(cx, Moment::now().millis()).is_empty() {
        return Ok(Some(NeedsPremoves));
    }
    check_expectation(cx);
    note_open_dialog(cx);
    Ok(None)
}

/// Notes for the planner that a dialog is still open after the person declined something.
fn note_open_dialog(cx: &mut VisitContext) {
    let Some(observed) = cx.working_set.observation() else { return };
    let note = open_dialog_note(last_results(cx), &cx.state.notes, &observed.observation);
    if let Some(note) = note.filter(|note| !cx.state.notes.contains(note)) {
        cx.change(ConversationChange::Note(note));
    }
}

/// Returns the results of the last turn that acted.
fn last_results(cx: &VisitContext) -> &[ActionResult] {
    let results = cx.state.messages.iter().rev().find_map(|entry| match entry {
        HistoryEntry::Acted { results, .. } => Some(results.as_slice()),
        _ => None,
    });
    results.unwrap_or_default()
}

/// Compares the expected outcome of the last turn with the current page, and notes a difference for the
/// planner.
fn check_expectation(cx: &mut VisitContext) {
    let Some(expected) = cx.state.expected.clone() else { return };
    let Some(HistoryEntry::Acted { results, .. }) =
        cx.state.messages.iter().rev().find(|entry| matches!(entry, HistoryEntry::Acted { .. }))
    else {
        return;
    };
    let observed = cx.working_set.observation();
    let text = observed.as_ref().map(|observed| page::text::write(&observed.observation, ""));
    let digest = observed.as_ref().map(|observed| observed.observation.digest());
    let now = observed.as_ref().zip(digest.as_ref()).zip(text.as_ref());
    let now = now.map(|((observed, digest), text)| {
        (observed.observation.url.as_str(), digest.as_str(), text.as_str())
    });
    if let Some(note) = missed_expectation(&expected, results, now) {
        cx.change(ConversationChange::Note(note));
    }
}

/// Reports whether the turn is for an item after the current one.
fn is_for_later_item(cx: &VisitContext, turn: &Turn) -> bool {
    let goals = &cx.state.plan;
    let Some(current) = goals.current() else { return false };
    let later_step = turn.step_ref.filter(|step| *step > current.position);
    later_step
        .is_some_and(|step| goals.items.iter().any(|item| item.position == step && !item.status.is_over()))
}

/// Plans the next turn by the script if there is one, otherwise by the planner. A model repairs the steps
/// that a script cannot do.
async fn next_turn(cx: &VisitContext) -> Result<PlannedTurn, PlanError> {
    match scripted_turns::next(cx) {
        Some(PlayerOutcome::Turn(turn)) => Ok(PlannedTurn { turn, usage: Vec::new() }),
        Some(PlayerOutcome::Repair(repair)) => {
            let turn = ask_planner(cx, Some(&repair.note)).await;
            turn.map(|PlannedTurn { turn, usage }| PlannedTurn {
                turn: scripted_turns::repair_turn(cx, &repair, turn),
                usage,
            })
            .or_else(|fault| scripted_turns::give_up_repair(cx, &repair, fault))
        }
        None => ask_planner(cx, None).await,
    }
}

async fn ask_planner(cx: &VisitContext, note: Option<&String>) -> Result<PlannedTurn, PlanError> {
    let (observed, deps) = (cx.working_set.observation(), &cx.deps);
    let picture = page_picture::picture_for_planner(cx).await;
    let (delta, secrets) = (changes_since_shown(cx), deps.named_secrets.describe());
    let stored = effects::list_files(cx);
    let files: Vec<String> = stored.iter().map(|file| file.name.clone()).collect();
    let mut notes = collect_notes(cx, &stored, note);
    notes.extend(picture.as_ref().map(|_| String::from(page_picture::MARKS_NOTE)));
    let tabs = titles_of_tabs(cx);
    let page_pictures = read_file::pictures_for_planner(cx);
    let goal =
        scripted_turns::goal(cx).map_err(|message| PlanError::Unavailable { message, usage: Vec::new() })?;
    let now = Moment::now().weekday_and_time();
    let request = PlanRequest {
        locale: cx.state.locale,
        prefers: Some(&deps.thinking.preference),
        goal: goal.as_deref(),
        secrets: &secrets,
        history: &cx.state.messages,
        page: observed.as_ref().map(|observed| observed.observation.as_ref()),
        may_look: page_picture::may_ask(cx, picture.is_some()),
        tabs: &tabs,
        since: delta.as_ref().map(base_observation),
        picture: picture.as_ref().map(|picture| picture.as_ref()),
        page_pictures: &page_pictures,
        actions: &available_actions::available_actions(cx),
        thoughts: thinking_policy::may_think_again(cx),
        tools: &deps.calls.tools,
        plan: plan_view(cx),
        answers: Some(&cx.state.answers),
        variables: Some(&cx.state.variables),
        now: Some(&now),
        steps_left: steps_left(cx),
        outputs: deps.task.outputs.get(1..).unwrap_or_default(),
        memory: Some(cx.state.memory.note.as_str()).filter(|note| !note.is_empty()),
        files: &files,
        notes: &notes,
    };
    plan_or_think(cx, &request).await
}

/// Returns the titles of the tabs. Those of pages on forbidden hosts are shown to nobody.
fn titles_of_tabs(cx: &VisitContext) -> Vec<String> {
    let Some(observed) = cx.working_set.observation() else { return Vec::new() };
    let tabs = observed.observation.tabs.iter();
    tabs.map(|tab| if is_forbidden(cx, &tab.origin) { String::new() } else { tab.title.clone() }).collect()
}

fn collect_notes(cx: &VisitContext, stored: &[StoredFile], note: Option<&String>) -> Vec<String> {
    let notes = cx.state.notes.iter().cloned().chain(file_notes(stored));
    notes.chain(knowledge_recall::relic_notes(cx)).chain(note.cloned()).collect()
}

fn base_observation((shown, changes): &(ShownObservation, String)) -> BaseObservation<'_> {
    BaseObservation { observation: &shown.observation, position: shown.position, changes }
}

/// Returns the actions on the page that are left, and all.
fn steps_left(cx: &VisitContext) -> Option<(u32, u32)> {
    let most = cx.state.step_limit(&cx.deps.limits);
    cx.deps.browsers.as_ref().map(|_| (most.saturating_sub(cx.state.tool_steps), most))
}

/// Asks for a turn, or only for thoughts if the agent has to think first.
async fn plan_or_think(cx: &VisitContext, request: &PlanRequest<'_>) -> Result<PlannedTurn, PlanError> {
    let planner = &cx.deps.planner;
    let Some((most, tokens)) = thinking_policy::required_thoughts(cx) else {
        return match draft_sink(cx) {
            Some(drafts) => with_drafts(drafts, planner.plan(request)).await,
            None => planner.plan(request).await,
        };
    };
    let Thoughts { thoughts, usage } = planner.think(&ThinkRequest { plan: request, most, tokens }).await?;
    Ok(PlannedTurn { turn: Turn { thoughts, ..Turn::default() }, usage })
}

/// Returns the last full observation that a model was shown, with the changes since. The command planner needs the
/// full page.
fn changes_since_shown(cx: &VisitContext) -> Option<(ShownObservation, String)> {
    cx.deps.planner.model()?;
    let (entries, summarized) = (cx.state.messages.len(), cx.state.memory.summarized_entries);
    let (observed, history) = (cx.working_set.observation()?, HistoryLength { entries, summarized });
    let viewer = PageViewer { root: cx.root.clone(), run: cx.run.clone() };
    let (full_every, vault) = (cx.deps.view.full_every, &cx.deps.vault);
    cx.deps.shown_pages.delta_for_planner(&viewer, &observed.observation, history, full_every, vault)
}

/// Returns the plan for the planner, if there is one (S2.9).
fn plan_view(cx: &VisitContext) -> Option<PlanView<'_>> {
    let goals = &cx.state.plan;
    let current = goals.current().map(|item| item.position);
    (!goals.items.is_empty()).then_some(PlanView { mission: &goals.mission, items: &goals.items, current })
}

/// Returns notes that tell a model which files it may upload. A person may add a file at any time.
fn file_notes(files_of_run: &[StoredFile]) -> impl Iterator<Item = String> {
    file_list::list_files(files_of_run).into_iter().map(|files| format!("files of this run: {files}"))
}

fn plan_turn(cx: &mut VisitContext, mut turn: Turn, fault: Option<String>) {
    describe_actions(cx, &mut turn);
    send_response(cx, &turn);
    keep_memory(cx, &turn);
    cx.working_set.clear_page_pictures();
    let preconditions = capture_preconditions(cx, &turn);
    cx.change(ConversationChange::Planned(TurnProgress::new(turn, fault, preconditions)));
}

fn capture_preconditions(cx: &VisitContext, turn: &Turn) -> Option<Preconditions> {
    let page = &cx.working_set.observation()?.observation;
    let viewer = PageViewer { root: cx.root.clone(), run: cx.run.clone() };
    let mut hidden: Vec<u32> = turn.actions.iter().flat_map(list_eids).collect();
    hidden.retain(|eid| page.line(*eid).is_none());
    let shown_before = cx.deps.shown_pages.find_lines(&viewer, &page.document, &hidden);
    Preconditions::capture(page, shown_before, &turn.actions)
}

/// Adds to each action of a model its description, by the page that the model saw.
fn describe_actions(cx: &VisitContext, turn: &mut Turn) {
    if !cx.deps.asks_model() {
        return;
    }
    let observed = cx.working_set.observation();
    let page = observed.as_ref().map(|observed| observed.observation.as_ref());
    let (actions, tools) = (available_actions::available_actions(cx), &cx.deps.calls.tools);
    for call in turn.actions.iter_mut() {
        if let Ok(action) = Action::parse_with(call, &actions, tools) {
            call.description = Some(describe_action(&action, page));
        }
    }
}

/// Keeps what the turn remembers, also where it does nothing else: its variables, and the planner's note to itself.
fn keep_memory(cx: &mut VisitContext, turn: &Turn) {
    if !turn.context.variables.is_empty() {
        cx.change(ConversationChange::Variables(turn.context.variables.clone()));
    }
    if let Some(note) = &turn.memory {
        cx.change(ConversationChange::Remembered(MemoryChange::Noted(note.clone())));
    }
}

/// Sends the turn's message to the person while the work goes on, unless the turn before had the same one
/// (S4.15). A message at the end, or before a rest, is sent there.
fn send_response(cx: &mut VisitContext, turn: &Turn) {
    let response = turn.response.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let before = cx.state.finished_turn().and_then(|(turn, _)| turn.response.as_deref().map(str::trim));
    if let Some(text) = response.filter(|text| turn.goes_on() && Some(*text) != before) {
        cx.push_event(agent_message(text));
    }
}

fn send_thoughts(cx: &mut VisitContext, turn: &Turn) {
    for thought in &turn.thoughts {
        cx.push_event(Fact::Event(Event::Thought {
            r#type: thought.kind.clone(),
            content: thought.content.clone(),
            action_id: turn.actions.first().map(|call| call.id_at(0)),
            step_ref: turn.step_ref,
            expected_outcome: turn.expected_outcome.clone(),
            confidence: Some(turn.confidence.unwrap_or(1.0)),
        }));
    }
}

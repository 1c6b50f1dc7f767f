//! Asks the planner for the next turn (S1.21). What the person said meanwhile is read first.

use crate::clock::Moment;
use crate::conversation::change::{Change, Planned as Plan};
use crate::conversation::cx::Cx;
use crate::conversation::standing::Stood;
use crate::conversation::{playing, typing, words};
use crate::model::{PlanError, PlanRequest, Planned as Answer, Since, Usage};
use crate::program::ProgramError;
use crate::program::spending::spent;
use crate::protocol::server::{Event, Fact};
use crate::script::player::Next;
use crate::turn::Turn;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Planned,
    /// There is an answer, but no turn to be had from it.
    Unreadable,
    OutOfIterations,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    if cx.state.iterations >= cx.deps.limits.iterations || used_up(cx).await? {
        return Ok(OutOfIterations);
    }
    playing::hear(cx);
    if cx.deps.browsers.is_none() && cx.deps.planner.model().is_none() {
        return Err(ProgramError::Failed(crate::program::words::no_model(cx.state.locale).to_owned()));
    }
    match plan(cx).await {
        Ok(mut planned) => {
            typing::hide(cx, &mut planned.turn).await?;
            used(cx, &planned.usage);
            think(cx, &planned.turn);
            take(cx, planned.turn, None);
            Ok(Planned)
        }
        Err(PlanError::Invalid { message, usage }) => {
            used(cx, &usage);
            take(cx, Turn::default(), Some(message));
            Ok(Unreadable)
        }
        Err(PlanError::Unavailable { message, usage }) => {
            used(cx, &usage);
            Err(ProgramError::Failed(message))
        }
    }
}

/// By the script where there is one, else by a planner; a model mends what a script cannot do.
async fn plan(cx: &Cx) -> Result<Answer, PlanError> {
    match playing::next(cx) {
        Some(Next::Turn(turn)) => Ok(Answer { turn, usage: Vec::new() }),
        Some(Next::Mend(mend)) => {
            let turn = ask(cx, Some(&mend.note)).await;
            turn.map(|Answer { turn, usage }| Answer { turn: playing::mended(cx, &mend, turn), usage })
                .or_else(|fault| playing::not_mended(cx, &mend, fault))
        }
        None => ask(cx, None).await,
    }
}

async fn ask(cx: &Cx, note: Option<&String>) -> Result<Answer, PlanError> {
    let (look, deps) = (cx.desk.look(), &cx.deps);
    // Plain orders are read against the whole page.
    let reads = deps.planner.model().is_some();
    let known = reads.then(|| cx.desk.show(cx.state.messages.len(), deps.full_every)).flatten();
    let secrets = deps.keys.described();
    let notes: Vec<String> = cx.state.notes.iter().cloned().chain(files(cx)).chain(note.cloned()).collect();
    let unfilled = |message| PlanError::Unavailable { message, usage: Vec::new() };
    let goal = playing::goal(cx).map_err(unfilled)?;
    let request = PlanRequest {
        locale: cx.state.locale,
        goal: goal.as_deref(),
        secrets: &secrets,
        history: &cx.state.messages,
        page: look.as_ref().map(|seen| seen.observation.as_ref()),
        since: known.as_ref().map(|(shown, changes)| Since {
            look: &shown.look.observation,
            at: shown.at,
            changes,
        }),
        picture: look.as_ref().filter(|_| deps.vision).map(|seen| seen.jpeg.as_ref()),
        actions: &cx.actions(),
        notes: &notes,
    };
    deps.planner.plan(&request).await
}

/// What may be uploaded; a file may be given at any moment.
fn files(cx: &Cx) -> impl Iterator<Item = String> {
    words::files(&cx.files().list()).into_iter().map(|files| format!("files of this run: {files}"))
}

/// Whether tokens, money or time of the run, or what its callers may spend, are used up (C5); none of them
/// has a limit by default.
async fn used_up(cx: &Cx) -> Result<bool, ProgramError> {
    let (state, limits) = (&cx.state, &cx.deps.limits);
    let seconds = Moment::now().millis().saturating_sub(state.begun_at) / 1000;
    let own = limits.tokens.is_some_and(|most| state.tokens >= most)
        || limits.money.is_some_and(|most| state.money >= most)
        || limits.wall_s.is_some_and(|most| seconds.unsigned_abs() >= most);
    match &cx.deps.caller {
        Some(caller) if !own => Ok(cx.deps.store.overspent(caller.clone()).await?),
        Some(_) | None => Ok(own),
    }
}

fn take(cx: &mut Cx, turn: Turn, fault: Option<String>) {
    if !turn.context.variables.is_empty() {
        cx.change(Change::Variables(turn.context.variables.clone()));
    }
    let stood = cx.desk.look().and_then(|seen| Stood::of(&seen.observation, &turn.actions));
    cx.change(Change::Planned(Plan::new(turn, fault, stood)));
}

fn think(cx: &mut Cx, turn: &Turn) {
    for thought in &turn.thoughts {
        cx.fact(Fact::Event(Event::Thought {
            r#type: thought.kind.clone(),
            content: thought.content.clone(),
            action_id: turn.actions.first().map(|call| call.id_at(0)),
            step_ref: turn.step_ref,
            expected_outcome: turn.expected_outcome.clone(),
            confidence: turn.confidence,
        }));
    }
}

fn used(cx: &mut Cx, usage: &[Usage]) {
    let (facts, total) = spent(usage);
    facts.into_iter().for_each(|fact| cx.fact(fact));
    if let Some(total) = total {
        cx.change(Change::Used { tokens: total.input + total.output, money: total.cost });
        cx.record.usage = Some(total);
    }
}

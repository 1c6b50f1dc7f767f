//! Whether an item of the plan is reached (S2.12, S2.16, C12): by its own conditions, else by the judge with
//! what is there to see. What was tried too often is planned anew once, then the person is asked.

use crate::conversation::asking;
use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::conversation::evidence::AtHand;
use crate::conversation::goals::GoalChange;
use crate::conversation::looking;
use crate::model::PlanError;
use crate::model::roles::JudgeRequest;
use crate::plan::{self, Evidence, Item};
use crate::program::ProgramError;
use crate::turn::TurnStatus;
pub use Outcome::*;

/// How often an item is planned anew before the person is asked.
const REPLANS: u32 = 1;
/// So many times in a row the whole is called done when it is not, and it ends as it is.
const REFUSALS: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is reached; the next one is due.
    Accepted,
    /// It is reached, and the turn that is planned already is for the next one.
    AcceptedOn,
    /// It is reached, and so may be the next: the whole was called done.
    AcceptedNext,
    /// All of them are.
    Finished,
    /// It is not, and is tried again.
    Rejected,
    /// Its conditions do not hold yet; nobody said they did.
    NotYet,
    /// What is left is planned anew.
    NeedsPlan,
    /// The person says what becomes of it.
    NeedsAnswer,
    /// The whole is called done once more, with some of it open.
    Partly,
}

/// What made it be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// The next turn is for a later item.
    MovedOn,
    /// The work is said to be done.
    Stops,
    /// This item is said to be done.
    Done,
    /// Nobody says so; its conditions may hold.
    None,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    if let Some(worn) = cx.state.goals.worn().map(|item| item.position) {
        return Ok(exhausted(cx, worn));
    }
    let claim = claim(cx);
    let Some(item) = cx.state.goals.current().or_else(|| plan::next(&cx.state.goals.items)).cloned() else {
        return Ok(if claim == Claim::Stops { finish(cx) } else { Accepted });
    };
    if cx.deps.browsers.is_some() && cx.state.needs_observe {
        looking::look(cx).await?;
    }
    let evidence = match judged(cx, &item, claim).await? {
        None => return Ok(NotYet),
        Some(Ok(evidence)) => evidence,
        Some(Err(why)) => return Ok(unread(cx, item.position, claim, &why)),
    };
    if !evidence.accepted && claim == Claim::None {
        return Ok(NotYet);
    }
    let (accepted, position, why) = (evidence.accepted, item.position, evidence.why.clone());
    cx.goal(GoalChange::Judged { position, evidence, claimed: claim != Claim::None });
    Ok(match (accepted, claim) {
        (true, Claim::MovedOn) => AcceptedOn,
        (true, Claim::Stops) if cx.state.goals.is_open() => AcceptedNext,
        (true, Claim::Stops) => finish(cx),
        (true, Claim::Done | Claim::None) => Accepted,
        (false, Claim::None) => NotYet,
        (false, Claim::MovedOn | Claim::Stops | Claim::Done) => rejected(cx, &item, claim, &why),
    })
}

fn claim(cx: &Cx) -> Claim {
    let state = &cx.state;
    let planned = state.planned_action.as_ref();
    if planned.is_some_and(|planned| planned.at == 0 && planned.action.is_none()) {
        return Claim::MovedOn;
    }
    if state.stopping().is_some() {
        return Claim::Stops;
    }
    match state.last_turn() {
        Some(turn) if turn.status == TurnStatus::Success && !state.is_mid_turn() => Claim::Done,
        Some(_) | None => Claim::None,
    }
}

/// What a judge says, or why no verdict of theirs can be read.
type Judged = Result<Evidence, String>;

/// None: nothing to judge by, and nobody says that it is done.
async fn judged(cx: &mut Cx, item: &Item, claim: Claim) -> Result<Option<Judged>, ProgramError> {
    let at_hand = AtHand::of(cx);
    if let Some(evidence) = at_hand.by_predicates(item) {
        return Ok(Some(Ok(evidence)));
    }
    if claim == Claim::None {
        return Ok(None);
    }
    let said = cx.state.said();
    let request = JudgeRequest {
        locale: cx.state.locale,
        item,
        mission: &cx.state.goals.mission,
        said: said.as_deref().unwrap_or_default(),
        work: &at_hand.work,
        url: at_hand.url.as_deref(),
        page: &at_hand.page,
        picture: at_hand.jpeg.as_deref(),
        files: &at_hand.files,
        variables: &at_hand.variables,
        answers: &at_hand.answers,
    };
    let judgement = cx.deps.planner.judge(&request).await;
    match judgement {
        Ok(judgement) => {
            cx.used(&judgement.usage);
            Ok(Some(Ok(at_hand.evidence(judgement.met, "judge", judgement.why))))
        }
        Err(PlanError::Invalid { message, usage }) => {
            cx.used(&usage);
            Ok(Some(Err(message)))
        }
        Err(PlanError::Unavailable { message, usage }) => {
            cx.used(&usage);
            Err(ProgramError::Failed(message))
        }
    }
}

fn rejected(cx: &mut Cx, item: &Item, claim: Claim, why: &str) -> Outcome {
    let position = item.position;
    tracing::warn!(run_id = %cx.run, step = position, why, "acceptance_failed");
    let note = format!("item {position} of the plan does not count as done: {why}");
    if claim == Claim::MovedOn {
        cx.change(Change::NotNow { why: note.clone() });
    }
    if claim == Claim::Stops {
        cx.change(Change::Goal(GoalChange::Refused));
        if cx.state.goals.refusals >= REFUSALS {
            let response = cx.state.stopping().unwrap_or_default();
            cx.change(Change::Responded(response));
            return Partly;
        }
    }
    if cx.state.goals.worn().is_some() {
        return exhausted(cx, position);
    }
    tracing::info!(run_id = %cx.run, step = position, attempt = item.attempts + 1, "retry_step");
    cx.change(Change::Note(note));
    Rejected
}

/// No verdict can be read: that is no fault of the work, so it counts as no attempt, and the person says.
fn unread(cx: &mut Cx, position: u32, claim: Claim, why: &str) -> Outcome {
    tracing::warn!(run_id = %cx.run, step = position, why, "verdict_unreadable");
    if claim == Claim::MovedOn {
        cx.change(Change::NotNow { why: format!("item {position} of the plan could not be judged") });
    }
    let told = cx
        .state
        .locale
        .pick("модель не змогла сказати, чи його виконано", "the model could not say whether it is done");
    let (goal, _) = cx.state.goals.fault(position);
    cx.ask = Some(asking::worn(cx.state.locale, position, &goal, &format!("{told} ({why})")));
    cx.change(Change::Goal(GoalChange::Asked(position)));
    NeedsAnswer
}

/// It was tried as often as it may be.
fn exhausted(cx: &mut Cx, position: u32) -> Outcome {
    tracing::error!(run_id = %cx.run, step = position, "step_exhausted");
    if cx.state.goals.replans < REPLANS && cx.may_plan() {
        cx.goal(GoalChange::GivenUp(position));
        return NeedsPlan;
    }
    let (goal, why) = cx.state.goals.fault(position);
    cx.ask = Some(asking::worn(cx.state.locale, position, &goal, &why));
    cx.change(Change::Goal(GoalChange::Asked(position)));
    NeedsAnswer
}

fn finish(cx: &mut Cx) -> Outcome {
    let response = cx.state.stopping().unwrap_or_default();
    cx.change(Change::Responded(response));
    Finished
}

//! Ends of the planned action other than by its execution: by the person, or not carried out.

use crate::engine::program::ProgramError;
use crate::planning::{ActionResult, ActionStatus, SECRET_GONE, SECRET_MISPLACED};
use crate::programs::conversation::shown_pages::PageViewer;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::{ActionEnd, Event, Failure};
use crate::protocol::server::Fact;
use crate::secrets::vault::FillError;
use crate::texts::page::{error_for_people, secret_gone, secret_misplaced};

/// Finishes an action that the person has carried out. `comment` is the person's text, `report` describes
/// what changed on the page.
pub fn finish_done_by_person(cx: &mut VisitContext, comment: Option<String>, report: Option<String>) {
    let Some(planned) = &cx.state.planned_action else { return };
    let result = ActionResult { answer: comment, ..planned.result(ActionStatus::Ok, report) };
    // The person's answer or action may change the rest of the turn.
    let dropped = planned.remaining_as_dropped("the person answered first; go on from there");
    cx.change(ConversationChange::Finished { result, dropped, counts: false });
}

/// Finishes the planned action as not carried out; viewers and the planner receive the reason.
pub fn finish_not_done(cx: &mut VisitContext, planned: &TurnProgress, code: &str, message: String) {
    let shown_message = message_for_people(cx, code, &message);
    cx.push_event(not_done_event(planned, code, &shown_message));
    let outcome = ActionStatus::Failed { code: code.to_owned(), message };
    let result = planned.result(outcome, None);
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
}

/// Writes an error of an action for people, who read the names that its elements had.
pub fn message_for_people(cx: &VisitContext, code: &str, message: &str) -> String {
    let (target, observed) = (cx.working_set.target(), cx.working_set.observation());
    let page = observed.as_ref().map(|observed| &observed.observation);
    let viewer = PageViewer { root: cx.root.clone(), run: cx.run.clone() };
    let name_of = |eid: u32| {
        let examined = || target.as_ref()?.element(eid).map(|element| element.display_name().to_owned());
        let shown = || page?.line(eid).map(|line| line.name.clone());
        // An element that is gone stood in an earlier observation.
        let earlier = || {
            let lines = cx.deps.shown_pages.find_lines(&viewer, &page?.document, &[eid]);
            lines.first().map(|line| line.name.clone())
        };
        shown().or_else(earlier).or_else(examined)
    };
    error_for_people(code, message, &name_of, cx.state.locale)
}

/// Finishes the planned action because its secret is lost, or does not belong in this element.
pub fn finish_unfilled(cx: &mut VisitContext, planned: &TurnProgress, unfilled: FillError) {
    let locale = cx.state.locale;
    let (code, message) = match unfilled {
        FillError::Gone => (SECRET_GONE, secret_gone(locale)),
        FillError::Misplaced => (SECRET_MISPLACED, secret_misplaced(locale)),
    };
    cx.change(ConversationChange::NeedsObserve);
    finish_not_done(cx, planned, code, message.to_owned());
}

/// Creates the event about an action that was not carried out.
pub fn not_done_event(planned: &TurnProgress, code: &str, message: &str) -> Fact {
    let result = planned.result(ActionStatus::Ok, None);
    Fact::Event(Event::from(ActionEnd {
        action_id: result.action_id,
        action: result.action,
        error: Some(Failure { code: code.to_owned(), message: message.to_owned() }),
        dropped: planned.remaining_ids(),
        ..ActionEnd::default()
    }))
}

/// Finishes the planned action as declined by the person. Returns true if the run goes on with the person's comment.
pub fn finish_declined(
    cx: &mut VisitContext,
    why: &str,
    comment: Option<String>,
) -> Result<bool, ProgramError> {
    let result = cx.planned_turn()?.result(ActionStatus::Dropped { why: why.to_owned() }, None);
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
    Ok(add_comment(cx, comment))
}

/// Adds the comment with which a person declined. Returns false if there is none.
pub fn add_comment(cx: &mut VisitContext, comment: Option<String>) -> bool {
    let comment = comment.filter(|comment| !comment.trim().is_empty());
    let has_comment = comment.is_some();
    comment.into_iter().for_each(|comment| cx.change(ConversationChange::MessageReceived(comment)));
    has_comment
}

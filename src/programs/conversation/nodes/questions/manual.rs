//! Takes the page back after a take-over (S1.26).

use crate::engine::program::{ProgramError, QuestionResult};
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::turn::action::{Action, PageAction, PersonAction};
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        HandedBack,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let QuestionResult { answer, handed_back, .. } = cx.answer()?;
    // A report consists of page texts; every other message is from the person.
    let (report, texts) = if handed_back { (answer.message, None) } else { (None, answer.message) };
    let texts: Vec<String> = answer.text.into_iter().chain(texts).collect();
    let asked_for = cx.state.planned_action.as_ref().and_then(|planned| planned.action.as_ref());
    match asked_for {
        // The person has carried out the planned action.
        Some(Action::Person(PersonAction::NeedUser { .. }) | Action::Page(PageAction::Type { .. }))
        | None => {
            let comment = Some(texts.join("\n")).filter(|comment| !comment.is_empty());
            finish_action::finish_done_by_person(cx, comment, report);
        }
        // The action only lacked the secret that the person has typed: it is planned again on the current
        // page.
        Some(_) => {
            texts.into_iter().for_each(|text| cx.change(ConversationChange::MessageReceived(text)));
            report.into_iter().for_each(|report| cx.change(ConversationChange::HandedBack(report)));
            cx.change(ConversationChange::Dropped { why: String::from("the person had the page first") });
        }
    }
    cx.change(ConversationChange::NeedsObserve);
    Ok(HandedBack)
}

//! Takes the person's answer to a question, and stores it under its key (S2.5, S2.11).

use crate::conversation::change::ConversationChange;
use crate::conversation::cx::Cx;
use crate::conversation::goals::GoalChange;
use crate::conversation::words;
use crate::program::ProgramError;
use crate::turn::action::Action;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    /// The person wants the run to end as it is.
    Ended,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let text = cx.answer()?.answer.text.unwrap_or_default();
    if let Some(position) = cx.state.goals.asked {
        return Ok(about_an_item(cx, position, text));
    }
    let Ok(planned) = cx.planned() else {
        // The question came from the service itself.
        cx.change(ConversationChange::Heard(text));
        return Ok(Answered);
    };
    if let Some(Action::AskUser { answer_key, .. }) = planned.action.clone() {
        cx.change(ConversationChange::Answered { key: answer_key.clone(), text: text.clone() });
        cx.state_updated(Some(&answer_key), false);
    }
    cx.finish_without_step(Some(text), None);
    Ok(Answered)
}

/// Applies the answer about an item whose attempts are used up.
fn about_an_item(cx: &mut Cx, position: u32, text: String) -> Outcome {
    let [_, skip, end] = words::ways_on(cx.state.locale);
    let key = format!("step_{position}");
    cx.change(ConversationChange::Answered { key: key.clone(), text: text.clone() });
    cx.state_updated(Some(&key), false);
    let said = text.trim();
    if said == skip {
        cx.goal(GoalChange::Skipped(position));
        return Answered;
    }
    cx.goal(GoalChange::Again(position));
    if said == end {
        return Ended;
    }
    cx.change(ConversationChange::Heard(text));
    Answered
}

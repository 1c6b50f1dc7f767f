//! Takes the page back after the person has done something on it (S1.26).

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::program::ProgramError;
use crate::turn::action::Action;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    HandedBack,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    let asked_for = cx.state.planned_action.as_ref().and_then(|planned| planned.action.as_ref());
    match asked_for {
        // What the person has done is what was planned.
        Some(Action::NeedUser { .. } | Action::Type { .. }) | None => {
            // A message may be the report of what changed on the page meanwhile, in the page's words.
            cx.finish_without_step(answer.text, answer.message);
        }
        // It only lacked what the person has typed: it is planned again on the page as it is now.
        Some(_) => {
            let said = [answer.text, answer.message].into_iter().flatten();
            said.for_each(|said| cx.change(Change::Note(said)));
            cx.change(Change::Dropped { why: String::from("the person had the page first") });
        }
    }
    cx.change(Change::NeedsObserve);
    Ok(HandedBack)
}

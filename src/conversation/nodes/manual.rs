//! Takes the page back after the person has done something on it (S1.26).

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::program::{ProgramError, Resolved};
use crate::turn::action::Action;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    HandedBack,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let Resolved { answer, handed_back, .. } = cx.answer()?;
    // The report of what changed stands in the page's words; every other message is the person's own.
    let (report, words) = if handed_back { (answer.message, None) } else { (None, answer.message) };
    let words: Vec<String> = answer.text.into_iter().chain(words).collect();
    let asked_for = cx.state.planned_action.as_ref().and_then(|planned| planned.action.as_ref());
    match asked_for {
        // What the person has done is what was planned.
        Some(Action::NeedUser { .. } | Action::Type { .. }) | None => {
            let said = Some(words.join("\n")).filter(|said| !said.is_empty());
            cx.finish_without_step(said, report);
        }
        // It only lacked what the person has typed: it is planned again on the page as it is now.
        Some(_) => {
            words.into_iter().for_each(|words| cx.change(Change::Heard(words)));
            report.into_iter().for_each(|report| cx.change(Change::HandedBack(report)));
            cx.change(Change::Dropped { why: String::from("the person had the page first") });
        }
    }
    cx.change(Change::NeedsObserve);
    Ok(HandedBack)
}

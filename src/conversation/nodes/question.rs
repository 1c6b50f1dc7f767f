//! Takes the person's answer to the agent's own question, and keeps it under its key (S2.5, S2.11).

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::program::ProgramError;
use crate::turn::action::Action;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let text = cx.answer()?.answer.text.unwrap_or_default();
    if let Some(Action::AskUser { answer_key, .. }) = cx.planned()?.action.clone() {
        cx.change(Change::Answered { key: answer_key, text: text.clone() });
    }
    cx.finish_without_step(Some(text), None);
    Ok(Answered)
}

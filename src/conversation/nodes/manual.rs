//! Takes the page back after the person has done something on it (S1.26).

use crate::conversation::cx::Cx;
use crate::conversation::state::Change;
use crate::program::ProgramError;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    HandedBack,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    let words = answer.text.or(answer.message).unwrap_or_default();
    cx.finish_without_step(Some(words));
    cx.change(Change::NeedsObserve);
    Ok(HandedBack)
}

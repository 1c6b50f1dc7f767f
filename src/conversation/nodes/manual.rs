//! Takes the page back after the person has done something on it (S1.26).

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::program::ProgramError;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    HandedBack,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    // A message may be the report of what changed on the page meanwhile, in the page's words.
    cx.finish_without_step(answer.text, answer.message);
    cx.change(Change::NeedsObserve);
    Ok(HandedBack)
}

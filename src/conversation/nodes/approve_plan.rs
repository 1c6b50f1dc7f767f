//! Takes the person's answer to a plan: yes, no, or what to do otherwise (C20, C24).

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::conversation::goals::GoalChange;
use crate::program::ProgramError;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Approved,
    /// Not like this; the person has said how.
    Redirected,
    Declined,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    if answer.confirmed == Some(true) {
        return Ok(Approved);
    }
    match answer.comment.filter(|comment| !comment.trim().is_empty()) {
        Some(comment) => {
            cx.change(Change::Heard(comment.clone()));
            cx.change(Change::Goal(GoalChange::Wanted(format!("the person wants it otherwise: {comment}"))));
            Ok(Redirected)
        }
        None => Ok(Declined),
    }
}

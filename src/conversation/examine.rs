//! A close look at what an action is about, as it is at this moment: the gate judges by it, and an approval
//! is bound to it.

use super::cx::Cx;
use crate::browser::fault::Fault;
use crate::page::target::Target;
use crate::program::ProgramError;
use crate::turn::action::Action;

/// The element where the action takes effect, and what is dragged onto it.
pub async fn examine(cx: &Cx, action: &Action, eid: u32) -> Result<Result<Target, Fault>, ProgramError> {
    let mut target = match cx.examined(eid).await? {
        Ok(target) => target,
        Err(fault) => return Ok(Err(fault)),
    };
    if let Action::Drag { from_eid, .. } = action {
        match cx.examined(*from_eid).await? {
            Ok(dragged) => target.dragged = Some(Box::new(dragged)),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    Ok(Ok(target))
}

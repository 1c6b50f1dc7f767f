//! Examines the target of an action at this moment. The gate's decision and the approval are based on it.

use crate::browser::error::PageError;
use crate::engine::program::ProgramError;
use crate::page::target::Target;
use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::action::{Action, PageAction};

/// Examines the element on which the action takes effect, and the one that is dragged onto it.
pub async fn examine(
    cx: &VisitContext,
    action: &Action,
    eid: u32,
) -> Result<Result<Target, PageError>, ProgramError> {
    let mut target = match cx.examine_element(eid).await? {
        Ok(target) => target,
        Err(fault) => return Ok(Err(fault)),
    };
    if let Action::Page(PageAction::Drag { from_eid, .. }) = action {
        match cx.examine_element(*from_eid).await? {
            Ok(dragged) => target.dragged = Some(Box::new(dragged)),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    Ok(Ok(target))
}

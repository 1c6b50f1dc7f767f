//! A close look at what an action is about, as it is at this moment: the gate judges by it, and an approval
//! is bound to it.

use crate::browser::fault::Fault;
use crate::browser::{Browser, Examine};
use crate::page::target::Target;
use crate::turn::action::Action;
use actix::Addr;

/// The element where the action takes effect, and what is dragged onto it.
pub async fn examine(browser: &Addr<Browser>, action: &Action, eid: u32) -> Result<Target, Fault> {
    let look = async |eid| browser.send(Examine { eid }).await.unwrap_or_else(|_| Err(Fault::crashed()));
    let mut target = look(eid).await?;
    if let Action::Drag { from_eid, .. } = action {
        target.dragged = Some(Box::new(look(*from_eid).await?));
    }
    Ok(target)
}

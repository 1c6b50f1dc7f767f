//! Acquires a browser slot; the person is told if the run has to wait for one.

use crate::browser::pool::slots::{RequestSlot, Slot, SlotReply, WaitReason};
use crate::browser::pool::supervisor::Supervisor;
use crate::engine::program::ProgramError;
use crate::engine::program::journal::Journal;
use crate::programs::conversation::agent_message::agent_message;
use crate::protocol::Locale;
use crate::texts;
use actix::Addr;

/// Waits for a browser slot, without a time limit. Dropping the future leaves the queue.
pub async fn acquire_slot(
    supervisor: &Addr<Supervisor>,
    enter: RequestSlot,
    journal: &Journal,
    locale: Locale,
) -> Result<Slot, ProgramError> {
    let entry = supervisor.send(enter).await.map_err(|_| ProgramError::service_stopping())?;
    match entry.map_err(|fault| ProgramError::Failed(fault.to_string()))? {
        SlotReply::Assigned(slot) => Ok(slot),
        SlotReply::Queued { why, slot } => {
            journal.store_events(vec![agent_message(&waiting_text(&why, locale))]).await?;
            slot.await.map_err(|_| ProgramError::service_stopping())
        }
    }
}

fn waiting_text(why: &WaitReason, locale: Locale) -> String {
    match why {
        WaitReason::Full { slots, ahead } => texts::page::waiting_for_browser(*slots, *ahead, locale),
        WaitReason::Profile(name) => texts::page::waiting_for_profile(name, locale),
    }
}

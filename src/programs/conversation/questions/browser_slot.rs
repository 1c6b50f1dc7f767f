//! Acquires a browser slot; the person is told if the run has to wait for one.

use crate::browser::pool::slots::{RequestSlot, Slot, SlotReply, WaitReason};
use crate::browser::pool::supervisor::Supervisor;
use crate::engine::program::ProgramError;
use crate::engine::program::journal::Journal;
use crate::protocol::server::Fact;
use crate::protocol::{Locale, markdown};
use actix::Addr;

/// Waits for a browser slot, without a time limit. Dropping the future leaves the queue.
pub async fn acquire_slot(
    supervisor: &Addr<Supervisor>,
    enter: RequestSlot,
    journal: &Journal,
    locale: Locale,
) -> Result<Slot, ProgramError> {
    let entry = supervisor.send(enter).await.map_err(|_| service_stopping_error())?;
    match entry.map_err(|fault| ProgramError::Failed(fault.to_string()))? {
        SlotReply::In(place) => Ok(place),
        SlotReply::Waits { why, place } => {
            journal.store_events(vec![agent_message(&words(&why, locale))]).await?;
            place.await.map_err(|_| service_stopping_error())
        }
    }
}

pub fn service_stopping_error() -> ProgramError {
    ProgramError::Failed(String::from("the service is stopping"))
}

/// Returns the event for a message to the person that is not the final response.
pub fn agent_message(text: &str) -> Fact {
    let html = markdown::safe_html(text);
    Fact::AgentMessage { text: text.to_owned(), html, r#final: false }
}

fn words(why: &WaitReason, locale: Locale) -> String {
    match (why, locale) {
        (WaitReason::Full { places, ahead }, Locale::Uk) => {
            format!("Чекаю на вільний браузер: зайнято всі місця ({places}), попереду в черзі: {ahead}.")
        }
        (WaitReason::Full { places, ahead }, Locale::En) => {
            format!("Waiting for a free browser: all slots ({places}) are in use, ahead in line: {ahead}.")
        }
        (WaitReason::Profile(name), Locale::Uk) => {
            format!("Чекаю на профіль браузера «{name}»: його використовує інше завдання.")
        }
        (WaitReason::Profile(name), Locale::En) => {
            format!("Waiting for the browser profile “{name}”: another task is using it.")
        }
    }
}

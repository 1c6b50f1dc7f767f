//! Take-over: at most one controller at a time. While a person holds the lease, the run neither observes nor
//! acts, and every input is checked against the holder.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::takeover::comparison::{StateBefore, TakeoverChanges};
use crate::browser::takeover::holder_dialogs::DialogSubscriber;
use crate::browser::takeover::holder_view::HolderView;
use crate::browser::takeover::input_state::HeldInput;
use crate::browser::takeover::pending_input::PendingInput;
use crate::ids::SessionId;
use actix::Message;

/// Gives the page to a person. Refused while another session holds the page.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct GivePage {
    pub holder: SessionId,
}

/// Ends the take-over; with a holder, only if that session holds the page. Returns the changes since it
/// began.
#[derive(Debug, Message)]
#[rtype(result = "Result<TakeoverChanges, PageError>")]
pub struct TakePageBack {
    pub holder: Option<SessionId>,
}

#[derive(Debug, Default)]
pub struct TakeoverLease {
    pub(in crate::browser) holder: Option<SessionId>,
    pub(in crate::browser) before: Option<StateBefore>,
    pub(crate) held: HeldInput,
    /// Subscriber to the page's dialogs.
    pub(crate) dialog_subscriber: Option<DialogSubscriber>,
    /// Subscriber to the page's address and file choosers.
    pub(crate) view: Option<HolderView>,
    /// Number of take-overs so far, including the current one.
    pub(in crate::browser) number: u64,
    pub(crate) pending_input: PendingInput,
}

impl TakeoverLease {
    pub fn holder(&self) -> Option<&SessionId> {
        self.holder.as_ref()
    }

    /// Reports whether a take-over has begun and the page's state was recorded.
    pub fn is_active(&self) -> bool {
        self.holder.is_some() && self.before.is_some()
    }

    /// Returns an error while a person holds the page.
    pub fn check_free(&self) -> Result<(), PageError> {
        match self.holder {
            Some(_) => Err(PageError::lease_held()),
            None => Ok(()),
        }
    }

    pub(crate) fn check_held_by(&self, session: &SessionId) -> Result<(), PageError> {
        if self.holder.as_ref() == Some(session) {
            return Ok(());
        }
        Err(PageError::new(ErrorCode::NoLease, "this window does not hold the page; take it over first"))
    }
}

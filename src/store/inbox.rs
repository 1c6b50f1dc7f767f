//! What people and other runs said to a run and it has not taken in yet.

use super::Reply;
use super::rows::{InboxItem, Message, RunRow, Try};
use crate::ids::RunId;

/// What must be so of a run, and of what it has not taken in yet, for a message to be put there.
pub type Holds = Box<dyn FnOnce(&RunRow, &[Message]) -> bool + Send>;

pub trait Inbox {
    /// Puts a message into a run's inbox and tells its number.
    fn deliver(&self, run: RunId, item: InboxItem, tried: Option<Try>) -> Reply<Option<Message>>;
    /// The same, but only if it holds, with nothing written in between; none if it does not.
    fn deliver_if(&self, run: RunId, item: InboxItem, holds: Holds) -> Reply<Option<Message>>;
    /// The oldest first.
    fn inbox(&self, run: RunId) -> Reply<Vec<Message>>;
}

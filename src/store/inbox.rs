//! Storage of inboxes: messages to a run that it has not read yet.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::RunRow;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::inbox::{InboxItem, InboxRow};

/// Condition on a run's row and its unread messages under which a message is delivered.
pub type DeliveryCondition = Box<dyn FnOnce(&RunRow, &[InboxRow]) -> bool + Send>;

/// Delivery of messages to runs.
pub trait Inbox {
    /// Adds a message to a run's inbox and returns it with its number. `None` if the run does not exist.
    fn deliver(
        &self,
        run: RunId,
        item: InboxItem,
        idempotency_record: Option<IdempotencyRecord>,
    ) -> StoreFuture<Option<InboxRow>>;
    /// Delivers a message if `holds` returns true, within the same transaction. `None` if it returns false or
    /// the run does not exist.
    fn deliver_if(
        &self,
        run: RunId,
        item: InboxItem,
        holds: DeliveryCondition,
    ) -> StoreFuture<Option<InboxRow>>;
    /// Returns the unread messages of a run, oldest first.
    fn inbox(&self, run: RunId) -> StoreFuture<Vec<InboxRow>>;
}

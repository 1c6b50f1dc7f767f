//! Decides what one socket is sent next. Pure: an outbox holds a cursor into the event log of each followed
//! run tree and the flow control of pictures. It holds no events, so a slow viewer costs no memory.
//!
//! ```text
//! events:    event ──▶ next in order? send : note that it is behind ──▶ read from the store ──▶ send
//! pictures:  picture ──▶ fewer than 2 unacknowledged? send : keep it, the newest wins
//! ```

use crate::ids::RunId;
use std::collections::HashMap;

/// Maximum number of events sent beyond the last acknowledged mark. Sending pauses there until a pong from
/// the client shows that it has caught up.
const WINDOW: u64 = 512;
/// Number of events between two marks. A mark is a WebSocket ping whose pong acknowledges the events before
/// it.
const MARK_EVERY: u64 = 64;
/// Maximum number of unacknowledged pictures (`frame_ack` in `docs/protocol.md`).
const MAX_UNACKNOWLEDGED: usize = 2;

/// Events that are sent to one socket: its position in each run tree, and the window of unacknowledged ones.
#[derive(Debug, Default)]
pub struct Outbox {
    cursors: HashMap<RunId, Cursor>,
    sent: u64,
    acknowledged: u64,
}

/// Position of the socket in the log of one run tree.
#[derive(Debug)]
struct Cursor {
    /// Number of the last event sent.
    at: u64,
    /// Number of the newest event known.
    newest: u64,
    /// True while a read from the store is under way.
    reading: bool,
}

/// The next action for a run tree.
#[derive(Debug, PartialEq, Eq)]
pub enum OutboxAction {
    Send,
    /// Read the events after this number from the store.
    Read(u64),
    Nothing,
}

impl Outbox {
    /// Follows a run tree from event `after`, even if it was followed from elsewhere.
    pub fn follow(&mut self, root: &RunId, after: u64) -> OutboxAction {
        self.cursors.insert(root.clone(), Cursor { at: after, newest: after, reading: true });
        OutboxAction::Read(after)
    }

    /// True if the socket follows this run tree.
    pub fn is_following(&self, root: &RunId) -> bool {
        self.cursors.contains_key(root)
    }

    /// True if the socket follows this run tree and has been sent all of its events.
    pub fn is_current(&self, root: &RunId) -> bool {
        self.cursors.get(root).is_some_and(|cursor| !cursor.reading && cursor.at == cursor.newest)
    }

    /// Stops following a run tree. Returns true if it was followed.
    pub fn forget(&mut self, root: &RunId) -> bool {
        self.cursors.remove(root).is_some()
    }

    /// Handles an event that was just stored.
    pub fn handle_new_event(&mut self, root: &RunId, seq: u64) -> OutboxAction {
        let has_room = self.has_room();
        let Some(cursor) = self.cursors.get_mut(root) else { return OutboxAction::Nothing };
        cursor.newest = cursor.newest.max(seq);
        if cursor.reading || seq <= cursor.at {
            return OutboxAction::Nothing;
        }
        if seq == cursor.at + 1 && has_room {
            cursor.at = seq;
            self.sent += 1;
            return OutboxAction::Send;
        }
        self.next_read(root)
    }

    /// Handles an event read from the store, in order. Returns true if it is to be sent.
    pub fn handle_stored_event(&mut self, root: &RunId, seq: u64) -> bool {
        let has_room = self.has_room();
        let Some(cursor) = self.cursors.get_mut(root) else { return false };
        cursor.newest = cursor.newest.max(seq);
        if seq != cursor.at + 1 || !has_room {
            return false;
        }
        cursor.at = seq;
        self.sent += 1;
        true
    }

    /// Handles the end of a read. `more` is true if the store may have further events.
    pub fn finish_read(&mut self, root: &RunId, more: bool) -> OutboxAction {
        if let Some(cursor) = self.cursors.get_mut(root) {
            cursor.reading = false;
            cursor.newest = cursor.newest.max(cursor.at + u64::from(more));
        }
        self.next_read(root)
    }

    /// Handles a pong: the client has received everything up to `mark`. Returns the run trees to read on,
    /// each with the number to read after.
    pub fn acknowledge_events(&mut self, mark: u64) -> Vec<(RunId, u64)> {
        self.acknowledged = self.acknowledged.max(mark.min(self.sent));
        let roots: Vec<RunId> = self.cursors.keys().cloned().collect();
        let mut reads = Vec::new();
        for root in roots {
            if let OutboxAction::Read(after) = self.next_read(&root) {
                reads.push((root, after));
            }
        }
        reads
    }

    /// Returns the mark to send now, if one is due.
    pub fn due_mark(&self) -> Option<u64> {
        self.sent.is_multiple_of(MARK_EVERY).then_some(self.sent)
    }

    fn next_read(&mut self, root: &RunId) -> OutboxAction {
        let has_room = self.has_room();
        match self.cursors.get_mut(root) {
            Some(cursor) if has_room && !cursor.reading && cursor.newest > cursor.at => {
                cursor.reading = true;
                OutboxAction::Read(cursor.at)
            }
            _ => OutboxAction::Nothing,
        }
    }

    fn has_room(&self) -> bool {
        self.sent - self.acknowledged < WINDOW
    }
}

/// Flow control of the pictures of one socket.
#[derive(Debug)]
pub struct PictureQueue<P> {
    under_way: Vec<u32>,
    waiting: Option<(u32, P)>,
}

impl<P> Default for PictureQueue<P> {
    fn default() -> Self {
        Self { under_way: Vec::new(), waiting: None }
    }
}

impl<P> PictureQueue<P> {
    /// Accepts a new picture. Returns it if it may be sent now; else it waits and replaces one that waited
    /// before.
    pub fn offer(&mut self, frame: u32, picture: P) -> Option<(u32, P)> {
        if self.under_way.len() < MAX_UNACKNOWLEDGED {
            self.under_way.push(frame);
            return Some((frame, picture));
        }
        self.waiting = Some((frame, picture));
        None
    }

    /// Handles the acknowledgement of `frame` and of all frames before it. Returns the waiting picture if it
    /// may be sent now.
    pub fn acknowledge(&mut self, frame: u32) -> Option<(u32, P)> {
        self.under_way.retain(|sent| *sent > frame);
        if self.under_way.len() >= MAX_UNACKNOWLEDGED {
            return None;
        }
        let (frame, picture) = self.waiting.take()?;
        self.under_way.push(frame);
        Some((frame, picture))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn at_most_two_pictures_are_under_way_and_the_newest_wins() {
        let mut pictures = PictureQueue::default();
        assert_eq!(pictures.offer(1, "a"), Some((1, "a")));
        assert_eq!(pictures.offer(2, "b"), Some((2, "b")));
        assert_eq!(pictures.offer(3, "c"), None);
        assert_eq!(pictures.offer(4, "d"), None);
        assert_eq!(pictures.acknowledge(1), Some((4, "d")));
        assert_eq!(pictures.acknowledge(1), None);
        assert_eq!(pictures.acknowledge(4), None);
        assert_eq!(pictures.offer(5, "e"), Some((5, "e")));
    }

    /// Simulates a log and a client that may be slow in any way, and returns the events that arrive: 1, 2, 3
    /// … without gap or repeat.
    fn arrives_in_order(events: &[u8]) -> Vec<u64> {
        let root = RunId::from("root");
        let mut outbox = Outbox::default();
        let mut log = 0u64;
        let mut arrived = Vec::new();
        let mut reading = Some(0u64);
        outbox.follow(&root, 0);
        for event in events {
            match event % 3 {
                0 => {
                    log += 1;
                    match outbox.handle_new_event(&root, log) {
                        OutboxAction::Send => arrived.push(log),
                        OutboxAction::Read(after) => reading = Some(after),
                        OutboxAction::Nothing => {}
                    }
                }
                1 => {
                    if let Some(after) = reading.take() {
                        for seq in after + 1..=log.min(after + 5) {
                            if outbox.handle_stored_event(&root, seq) {
                                arrived.push(seq);
                            }
                        }
                        if let OutboxAction::Read(after) = outbox.finish_read(&root, log > after + 5) {
                            reading = Some(after);
                        }
                    }
                }
                _ => {
                    let mark = arrived.len() as u64;
                    reading = outbox.acknowledge_events(mark).first().map(|read| read.1).or(reading);
                }
            }
        }
        arrived
    }

    proptest! {
        #[test]
        fn a_viewer_sees_every_fact_once_and_in_order(events in proptest::collection::vec(0u8..3, 0..2_000)) {
            let arrived = arrives_in_order(&events);
            let expected: Vec<u64> = (1..=arrived.len() as u64).collect();
            prop_assert_eq!(arrived, expected);
        }
    }
}

//! Links of one session: which trees they lead to, what was sent over them, and what follows when one ends. Pure, but for the
//! channels to the links.

use crate::ids::RunId;
use crate::session::relay::link::LinkEnd;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::mpsc;

/// Most frames that wait for a link. More wait only if the owner does not read.
const WAITING_FRAMES: usize = 256;
/// Room below which mouse moves are not sent; only the newest is kept.
const ROOM_FOR_MOVES: usize = WAITING_FRAMES / 2;
/// Delay before the first attempt to connect again, which doubles with each further one.
const FIRST_RETRY: Duration = Duration::from_millis(250);
/// Most doublings of the delay: up to two seconds.
const DOUBLINGS: u32 = 3;
/// The same for a tree without an owner, which has no page: up to sixteen seconds, or until an event of the tree.
const DOUBLINGS_WITHOUT_OWNER: u32 = 6;
/// Attempts that may fail before the viewer is told that the owner cannot be reached: together they take longer than a lease, after
/// which another node owns the run.
const UNREPORTED_FAILURES: u32 = 8;

/// Links of a session, at most one for each run tree.
#[derive(Debug, Default)]
pub struct LinkTable {
    links: HashMap<RunId, Link>,
    opened: u64,
    /// Tree whose page the viewer has asked for over its link.
    takeover: Option<RunId>,
    /// Newest mouse move that waits for room.
    pending_move: Option<String>,
    /// True if the viewer has been told that input was dropped.
    drop_reported: bool,
    /// Attempts without a frame of the owner.
    failures: u32,
    /// True if the viewer has been told why there are no pictures.
    is_outage_reported: bool,
    /// Number of the next attempt.
    attempt: u64,
    /// True if nothing else begins an attempt before that one.
    is_waiting: bool,
}

#[derive(Debug)]
struct Link {
    number: u64,
    frames: mpsc::Sender<String>,
    /// Number of the `view` that the owner was sent last.
    view: Option<u64>,
    /// Pictures of this link that the viewer has not acknowledged.
    unacknowledged: Vec<u32>,
}

/// Result of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputResult {
    /// It was sent, or replaces a mouse move that waits.
    Taken,
    Dropped,
    /// As `Dropped`, and the viewer has been told already.
    DroppedAgain,
}

/// Reaction to the end of the link to the watched tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    pub after: Duration,
    /// Number of the attempt.
    pub attempt: u64,
    /// True if the viewer should be told why there are no pictures.
    pub report: bool,
}

impl LinkTable {
    /// Adds a link to a tree. Returns its number, and the end at which its frames arrive.
    pub fn open(&mut self, root: &RunId) -> (u64, mpsc::Receiver<String>) {
        let (frames, receiver) = mpsc::channel(WAITING_FRAMES);
        self.opened += 1;
        let link = Link { number: self.opened, frames, view: None, unacknowledged: Vec::new() };
        self.links.insert(root.clone(), link);
        (self.opened, receiver)
    }

    pub fn leads_to(&self, root: &RunId) -> bool {
        self.links.contains_key(root)
    }

    /// True if this is the present link to the tree.
    pub fn is_current(&self, root: &RunId, number: u64) -> bool {
        self.links.get(root).is_some_and(|link| link.number == number)
    }

    /// Sends a frame to the owner. Returns false if there is no link or no room.
    pub fn send(&self, root: &RunId, frame: String) -> bool {
        self.links.get(root).is_some_and(|link| link.frames.try_send(frame).is_ok())
    }

    /// True if the owner was sent this `view`.
    pub fn shows_view(&self, root: &RunId, view: u64) -> bool {
        self.links.get(root).is_some_and(|link| link.view == Some(view))
    }

    /// Records the `view` that the owner is sent.
    pub fn set_view(&mut self, root: &RunId, view: u64) {
        if let Some(link) = self.links.get_mut(root) {
            link.view = Some(view);
        }
    }

    /// Ends the views of all trees but this one. Returns the trees whose links stay, and are to be told.
    pub fn end_views(&mut self, except: Option<&RunId>) -> Vec<RunId> {
        let (mut told, takeover) = (Vec::new(), self.takeover.clone());
        self.links.retain(|root, link| {
            if except == Some(root) || link.view.take().is_none() {
                return true;
            }
            let stays = takeover.as_ref() == Some(root);
            if stays {
                told.push(root.clone());
            }
            stays
        });
        self.attempt += 1;
        (self.failures, self.is_outage_reported, self.is_waiting) = (0, false, false);
        told
    }

    /// Records a frame of the owner.
    pub fn note_frame(&mut self, root: &RunId) {
        (self.failures, self.is_outage_reported) = (0, false);
        if self.takeover.as_ref() == Some(root)
            && let Some(pending_move) = self.pending_move.take()
        {
            self.send(root, pending_move);
        }
    }

    /// Records a picture that is sent to the viewer.
    pub fn note_picture(&mut self, root: &RunId, picture: u32) {
        if let Some(link) = self.links.get_mut(root) {
            link.unacknowledged.push(picture);
        }
    }

    /// Handles the acknowledgement of a picture. Returns true if it is for the owner: an earlier owner had numbers of its own.
    pub fn acknowledge(&mut self, root: &RunId, picture: u32) -> bool {
        let Some(link) = self.links.get_mut(root) else { return false };
        let is_known = link.unacknowledged.contains(&picture);
        if is_known {
            link.unacknowledged.retain(|sent| *sent > picture);
        }
        is_known
    }

    /// Tree whose page the viewer has asked for over its link.
    pub fn takeover(&self) -> Option<&RunId> {
        self.takeover.as_ref()
    }

    /// Records the tree whose page the viewer asks for. Ends the link to an earlier one, unless it is watched.
    pub fn set_takeover(&mut self, root: &RunId) {
        self.links.retain(|other, link| other == root || link.view.is_some());
        self.takeover = Some(root.clone());
        self.pending_move = None;
    }

    /// Forgets the page that was asked for: the viewer has one of this node.
    pub fn forget_takeover(&mut self) {
        (self.takeover, self.pending_move) = (None, None);
    }

    /// Sends an input of the viewer to the owner of the page that the viewer has asked for.
    pub fn send_input(&mut self, frame: &str, is_move: bool) -> InputResult {
        let Some(link) = self.takeover.as_ref().and_then(|root| self.links.get(root)) else {
            return InputResult::Dropped;
        };
        if is_move && link.frames.capacity() < ROOM_FOR_MOVES {
            self.pending_move = Some(frame.to_owned());
            return InputResult::Taken;
        }
        let pending_move = self.pending_move.take().filter(|_| !is_move);
        let mut frames = pending_move.into_iter().chain([frame.to_owned()]);
        if frames.all(|frame| link.frames.try_send(frame).is_ok()) {
            self.drop_reported = false;
            return InputResult::Taken;
        }
        match std::mem::replace(&mut self.drop_reported, true) {
            true => InputResult::DroppedAgain,
            false => InputResult::Dropped,
        }
    }

    /// Handles the end of a link. Returns `None` if it is not the present one, else whether the viewer has asked for the page.
    pub fn end(&mut self, root: &RunId, number: u64) -> Option<bool> {
        if !self.is_current(root, number) {
            return None;
        }
        self.links.remove(root);
        let was_asked = self.takeover.as_ref() == Some(root);
        if was_asked {
            self.forget_takeover();
        }
        Some(was_asked)
    }

    /// Returns when the watched tree is connected to again after the end of its link.
    pub fn retry_after(&mut self, end: &LinkEnd) -> Retry {
        let has_owner = *end != LinkEnd::NoOwner;
        let doublings = if has_owner { DOUBLINGS } else { DOUBLINGS_WITHOUT_OWNER };
        let after = FIRST_RETRY * 2_u32.pow(self.failures.min(doublings));
        self.failures = self.failures.saturating_add(1);
        let is_lasting = match end {
            LinkEnd::NoAddress | LinkEnd::Refused { .. } => true,
            LinkEnd::Unreachable { .. } => self.failures > UNREPORTED_FAILURES,
            LinkEnd::Closed | LinkEnd::NoOwner | LinkEnd::Moved | LinkEnd::Lost | LinkEnd::StoreFailed => {
                false
            }
        };
        self.attempt += 1;
        self.is_waiting = has_owner;
        let report = is_lasting && !std::mem::replace(&mut self.is_outage_reported, true);
        Retry { after, attempt: self.attempt, report }
    }

    /// True while the next attempt is waited for.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Begins an attempt. Returns false if another one has taken its place.
    pub fn begin_attempt(&mut self, attempt: u64) -> bool {
        let is_next = self.attempt == attempt;
        if is_next {
            self.is_waiting = false;
        }
        is_next
    }
}

impl LinkEnd {
    /// Returns the reason for the viewer, with what to do.
    pub fn message(&self) -> String {
        match self {
            Self::Closed | Self::Lost => String::from(
                "the connection to the service that works on this run was lost; try again in a moment",
            ),
            Self::NoOwner => {
                String::from("no service of the cluster works on this run now; try again in a moment")
            }
            Self::NoAddress => String::from(
                "another service of the cluster works on this run, and its settings name no address for this one; \
                 set `cluster.address` there",
            ),
            Self::Moved => String::from(
                "the run has just gone over to another service of the cluster; try again in a moment",
            ),
            Self::Unreachable { address, cause } => format!(
                "the service that works on this run cannot be reached at {address} ({cause}); check that it runs, \
                 `cluster.address` in its settings, and that this machine may connect to it"
            ),
            Self::Refused { address, cause } => format!(
                "the service that works on this run refused the connection at {address} ({cause}); check that \
                 `cluster.address` in its settings leads to it"
            ),
            Self::StoreFailed => String::from("the service could not use its store; its log says why"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> RunId {
        RunId::from("root")
    }

    #[test]
    fn only_pictures_of_the_present_link_are_acknowledged_to_the_owner() {
        let (mut links, root) = (LinkTable::default(), root());
        let (first, _frames) = links.open(&root);
        links.note_picture(&root, 7);
        links.note_picture(&root, 9);
        assert!(links.acknowledge(&root, 9), "and the one before it");
        assert!(!links.acknowledge(&root, 7) && !links.acknowledge(&root, 9), "once");
        links.note_picture(&root, 10);
        assert_eq!(links.end(&root, first), Some(false));
        let (_, _frames) = links.open(&root);
        links.note_picture(&root, 1);
        assert!(!links.acknowledge(&root, 10), "of the owner before");
        assert!(links.acknowledge(&root, 1));
        assert_eq!(links.end(&root, first), None, "an earlier link");
    }

    #[test]
    fn a_link_stays_without_a_view_while_the_page_is_asked_for() {
        let (mut links, held, other) = (LinkTable::default(), root(), RunId::from("other"));
        let (_, mut held_frames) = links.open(&held);
        let (_, mut other_frames) = links.open(&other);
        links.set_view(&held, 1);
        links.set_view(&other, 2);
        links.set_takeover(&held);
        assert!(links.shows_view(&other, 2) && !links.shows_view(&other, 1));
        assert_eq!(links.end_views(Some(&other)), std::slice::from_ref(&held));
        assert!(links.leads_to(&held) && links.leads_to(&other));
        assert_eq!(links.end_views(None), Vec::<RunId>::new());
        assert!(links.leads_to(&held) && !links.leads_to(&other));
        assert_eq!(held_frames.try_recv(), Err(mpsc::error::TryRecvError::Empty));
        assert_eq!(other_frames.try_recv(), Err(mpsc::error::TryRecvError::Disconnected));
    }

    // The owner that does not read costs a bounded number of frames, and the newest mouse move.
    #[test]
    fn input_waits_for_the_owner_up_to_a_limit() {
        let (mut links, root) = (LinkTable::default(), root());
        assert_eq!(links.send_input("x", false), InputResult::Dropped, "no page was asked for");
        let (_, mut frames) = links.open(&root);
        links.set_takeover(&root);
        for number in 0..10_000 {
            assert_eq!(links.send_input(&format!("move {number}"), true), InputResult::Taken);
        }
        assert_eq!(frames.len(), WAITING_FRAMES - ROOM_FOR_MOVES + 1);
        assert_eq!(links.send_input("key", false), InputResult::Taken);
        let sent: Vec<String> = std::iter::from_fn(|| frames.try_recv().ok()).collect();
        assert_eq!(sent[sent.len() - 2..], ["move 9999", "key"]);
        let taken = (0..10_000).filter(|_| links.send_input("key", false) == InputResult::Taken).count();
        assert_eq!(taken, WAITING_FRAMES);
        assert_eq!(links.send_input("key", false), InputResult::DroppedAgain);
        assert!(frames.try_recv().is_ok());
        assert_eq!(links.send_input("key", false), InputResult::Taken);
        assert_eq!(links.send_input("key", false), InputResult::Dropped);
    }

    #[test]
    fn an_owner_that_stays_away_is_reported_once() {
        let (mut links, root) = (LinkTable::default(), root());
        let away = LinkEnd::Unreachable { address: String::from("http://a"), cause: String::from("refused") };
        let retries: Vec<Retry> = (0..12).map(|_| links.retry_after(&away)).collect();
        let reported: Vec<usize> = (0..12).filter(|at| retries[*at].report).collect();
        assert_eq!(reported, [8]);
        let delays: Vec<u128> = retries.iter().map(|retry| retry.after.as_millis()).collect();
        assert_eq!(delays[..5], [250, 500, 1_000, 2_000, 2_000]);
        assert!(delays[..8].iter().sum::<u128>() > 10_000, "the lease");
        assert!(links.is_waiting() && !links.begin_attempt(retries[10].attempt) && links.is_waiting());
        assert!(links.begin_attempt(retries[11].attempt) && !links.is_waiting());
        links.note_frame(&root);
        assert!(!links.retry_after(&LinkEnd::Lost).report);
        assert!(links.retry_after(&LinkEnd::NoAddress).report, "nothing changes by itself");
        assert!(away.message().contains("http://a (refused)"));
    }

    // Most chats that are shown have ended, and their trees have no owner.
    #[test]
    fn a_tree_without_an_owner_is_looked_for_rarely_and_after_its_events() {
        let mut links = LinkTable::default();
        let delays: Vec<u64> = (0..8).map(|_| links.retry_after(&LinkEnd::NoOwner).after.as_secs()).collect();
        assert_eq!(delays, [0, 0, 1, 2, 4, 8, 16, 16]);
        assert!(!links.is_waiting());
    }
}

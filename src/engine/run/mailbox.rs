//! The mailbox of a run: signals and messages that the run has received and not yet acted upon. Pure.
//!
//! A signal that arrives while the run writes or looks is either covered by the next action, or left to the
//! actor that the registry starts next. No third case exists, so no signal is lost.

use crate::engine::lifecycle::PendingSignals;
use crate::engine::run::messages::{NumberedSignal, RunSignal};
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::user_command::{UserCommand, UserCommandRow};

/// Signals and messages that a run has received and not yet acted upon.
#[derive(Debug, Default)]
pub struct Mailbox {
    /// Pending stop, pause, resume and timeout.
    pending: PendingSignals,
    /// Number of the newest user command received.
    last_command: u64,
    /// The newest user command, until `take_pending` makes it the one under way.
    next_command: Option<UserCommandRow>,
    /// The user command being carried out, until that is stored.
    current_command: Option<UserCommandRow>,
    /// True if the run ends because the service has restarted.
    service_restarted: bool,
    /// Unread messages, oldest first.
    inbox: Vec<InboxRow>,
    /// True if the stored inbox may have messages that were not received.
    must_read_inbox: bool,
    /// Number of the newest signal received.
    newest: u64,
    /// Number of the newest signal when the current action began. The action may not cover later ones.
    covered: u64,
    /// Number of the newest signal when the run last looked at its children.
    newest_at_check: u64,
    /// Number of the newest signal when the run last handled outside events; `None` before the first time.
    newest_at_handling: Option<u64>,
}

/// Final state of the mailbox when a run's actor leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaveState {
    /// Number of the newest signal acted upon.
    pub covered_up_to: u64,
    /// True if a later signal has arrived, so that the registry must start another actor.
    pub must_restart: bool,
}

impl Mailbox {
    /// Creates a mailbox with the signals that woke the run.
    pub fn with_signals(signals: Vec<NumberedSignal>) -> Self {
        let mut mailbox = Self::default();
        signals.into_iter().for_each(|signal| mailbox.receive_signal(signal));
        mailbox.mark_covered();
        mailbox
    }

    /// Receives a signal. The run acts upon it as soon as possible.
    pub fn receive_signal(&mut self, NumberedSignal { n, signal }: NumberedSignal) {
        self.newest = self.newest.max(n);
        match signal {
            RunSignal::Wake => {}
            RunSignal::LookAtInbox => self.must_read_inbox = true,
            RunSignal::Read(message) => {
                if self.inbox.last().is_none_or(|last| last.n < message.n) {
                    self.inbox.push(message);
                }
            }
            RunSignal::Command(row) => self.receive_command(row),
            // The later of pause and resume wins.
            RunSignal::Pause | RunSignal::PauseForTakeover => {
                (self.pending.pause, self.pending.resume) = (true, false)
            }
            RunSignal::Resume => (self.pending.pause, self.pending.resume) = (false, true),
            RunSignal::Stop => self.pending.stop = true,
            RunSignal::TimeUp => self.pending.time_up = true,
            RunSignal::EndAfterRestart => (self.pending.stop, self.service_restarted) = (true, true),
        }
    }

    /// Receives a user command. Ignores commands older than the newest.
    pub fn receive_command(&mut self, row: UserCommandRow) {
        if row.n <= self.last_command {
            return;
        }
        (self.last_command, self.next_command) = (row.n, Some(row));
        match row.command {
            UserCommand::Stop => self.pending.stop = true,
            UserCommand::Pause => (self.pending.pause, self.pending.resume) = (true, false),
            UserCommand::Resume => (self.pending.pause, self.pending.resume) = (false, true),
        }
    }

    /// Marks all signals so far as covered by the action that begins now.
    pub fn mark_covered(&mut self) {
        self.covered = self.newest;
    }

    /// Marks the moment of a look at the children. The look does not cover later signals.
    pub fn mark_children_checked(&mut self) {
        self.newest_at_check = self.newest;
    }

    /// True if a signal arrived between the look at the children and the action that followed.
    pub fn must_check_children_again(&self) -> bool {
        self.newest_at_check != self.covered
    }

    /// Marks the moment at which the run handles outside events.
    pub fn mark_outside_events_handled(&mut self) {
        self.mark_covered();
        self.newest_at_handling = Some(self.newest);
    }

    /// True if a signal has arrived since the run last handled outside events, or if it has never done so.
    pub fn has_new_signals(&self) -> bool {
        self.newest_at_handling != Some(self.newest)
    }

    /// Returns the number up to which signals are acted upon. Later ones need another actor.
    pub fn leave_state(&self) -> LeaveState {
        LeaveState { covered_up_to: self.covered, must_restart: self.newest > self.covered }
    }

    /// Returns the signals that have not been acted upon.
    pub fn pending(&self) -> PendingSignals {
        self.pending
    }

    /// Reports whether there is neither a signal to act upon nor a user command being carried out.
    pub fn has_nothing_pending(&self) -> bool {
        self.pending == PendingSignals::default()
            && self.next_command.is_none()
            && self.current_command.is_none()
    }

    /// Returns the user command being carried out, if that is not stored yet.
    pub fn command_under_way(&self) -> Option<UserCommandRow> {
        self.current_command
    }

    /// Returns the number of the user command carried out by the commit that is being stored, once.
    pub fn take_command_under_way(&mut self) -> Option<u64> {
        self.current_command.take().map(|row| row.n)
    }

    /// Returns the pending flags and clears them.
    pub fn take_pending(&mut self) -> PendingSignals {
        self.current_command = self.next_command.take().or(self.current_command);
        std::mem::take(&mut self.pending)
    }

    /// True if the run ends because the service has restarted.
    pub fn ends_after_restart(&self) -> bool {
        self.service_restarted
    }

    /// Returns the unread messages, oldest first.
    pub fn inbox(&self) -> &[InboxRow] {
        &self.inbox
    }

    /// Puts stored messages before received ones and drops duplicates.
    pub fn restore_inbox(&mut self, stored: Vec<InboxRow>) {
        let newest = stored.last().map_or(0, |message| message.n);
        self.inbox.retain(|message| message.n > newest);
        self.inbox.splice(0..0, stored);
    }

    /// Returns true, once, if the stored inbox may have messages that were not received.
    pub fn take_must_read_inbox(&mut self) -> bool {
        std::mem::take(&mut self.must_read_inbox)
    }

    /// Removes messages up to number `n` as read.
    pub fn remove_read(&mut self, n: u64) {
        self.inbox.retain(|message| message.n > n);
    }

    /// Removes and returns all messages.
    pub fn take_inbox(&mut self) -> Vec<InboxRow> {
        std::mem::take(&mut self.inbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::rows::inbox::InboxItem;

    /// An event in the life of a mailbox.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum StoryEvent {
        SignalReceived,
        Covered,
        ChildrenChecked,
    }

    fn after(story: &[StoryEvent]) -> Mailbox {
        let mut mailbox = Mailbox::default();
        let mut n = 0;
        for event in story {
            match event {
                StoryEvent::SignalReceived => {
                    n += 1;
                    mailbox.receive_signal(NumberedSignal { n, signal: RunSignal::Wake });
                }
                StoryEvent::Covered => mailbox.mark_covered(),
                StoryEvent::ChildrenChecked => mailbox.mark_children_checked(),
            }
        }
        mailbox
    }

    fn stories(length: usize) -> Vec<Vec<StoryEvent>> {
        let mut all = vec![Vec::new()];
        for _ in 0..length {
            let longer = |story: &Vec<StoryEvent>| {
                let story = story.clone();
                [StoryEvent::SignalReceived, StoryEvent::Covered, StoryEvent::ChildrenChecked]
                    .map(|last| [&story[..], &[last]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    // In every sequence, signals that arrive after `mark_covered` are left to the next actor.
    #[test]
    fn no_wake_up_signal_is_lost() {
        for story in (0..7).flat_map(stories) {
            let mailbox = after(&story);
            let last = |what| story.iter().rposition(|event| *event == what);
            let last_action = last(StoryEvent::Covered).map_or(0, |at| at + 1);
            let uncovered =
                story[last_action..].iter().filter(|event| **event == StoryEvent::SignalReceived).count();
            let received = story.iter().filter(|event| **event == StoryEvent::SignalReceived).count();
            let expected =
                LeaveState { covered_up_to: (received - uncovered) as u64, must_restart: uncovered > 0 };
            assert_eq!(mailbox.leave_state(), expected, "{story:?}");
            // A signal between the check and the write is not covered by the write.
            if let (Some(last_check), Some(last_action)) =
                (last(StoryEvent::ChildrenChecked), last(StoryEvent::Covered))
                && last_check < last_action
            {
                let between = story[last_check..last_action].contains(&StoryEvent::SignalReceived);
                assert_eq!(mailbox.must_check_children_again(), between, "{story:?}");
            }
        }
    }

    // The later of pause and resume counts; everything else stays pending until it is done.
    #[test]
    fn pending_signals_combine_to_the_last_command() {
        let none = PendingSignals::default();
        let (pause, resume) =
            (PendingSignals { pause: true, ..none }, PendingSignals { resume: true, ..none });
        for (signals, expected) in [
            (vec![RunSignal::Wake], none),
            (vec![RunSignal::Pause], pause),
            (vec![RunSignal::Pause, RunSignal::Resume], resume),
            (vec![RunSignal::Resume, RunSignal::PauseForTakeover], pause),
            (vec![RunSignal::Stop, RunSignal::Resume], PendingSignals { stop: true, ..resume }),
            (vec![RunSignal::TimeUp, RunSignal::Pause], PendingSignals { time_up: true, ..pause }),
            (vec![RunSignal::EndAfterRestart], PendingSignals { stop: true, ..none }),
        ] {
            let numbered =
                signals.iter().cloned().zip(1..).map(|(signal, n)| NumberedSignal { n, signal }).collect();
            let mut mailbox = Mailbox::with_signals(numbered);
            assert_eq!(mailbox.ends_after_restart(), signals == [RunSignal::EndAfterRestart]);
            assert_eq!((mailbox.pending(), mailbox.take_pending()), (expected, expected), "{signals:?}");
            assert_eq!(mailbox.pending(), none, "a signal is carried out once");
        }
    }

    // A user command is returned once and carried until that is stored; an older one has no effect.
    #[test]
    fn a_user_command_is_returned_once_and_carried_until_stored() {
        let (pause, older) = (
            UserCommandRow { n: 7, command: UserCommand::Pause },
            UserCommandRow { n: 6, command: UserCommand::Resume },
        );
        let mut mailbox = Mailbox::default();
        for row in [pause, older, pause] {
            mailbox.receive_signal(NumberedSignal { n: 1, signal: RunSignal::Command(row) });
        }
        assert_eq!((mailbox.take_pending().pause, mailbox.command_under_way()), (true, Some(pause)));
        mailbox.receive_command(pause);
        assert_eq!(
            (mailbox.take_pending(), mailbox.command_under_way()),
            (PendingSignals::default(), Some(pause))
        );
        assert_eq!((mailbox.take_command_under_way(), mailbox.take_command_under_way()), (Some(7), None));
    }

    // A message is present once and in order, whether it was received or stored first (S1.19).
    #[test]
    fn messages_are_there_once_and_in_order() {
        let message = |n| InboxRow { n, item: InboxItem::Words(format!("m{n}")) };
        let read = |n| NumberedSignal { n, signal: RunSignal::Read(message(n)) };
        let mut mailbox = Mailbox::with_signals(vec![read(2), read(2), read(3)]);
        mailbox.restore_inbox(vec![message(1), message(2)]);
        assert_eq!(mailbox.inbox(), [message(1), message(2), message(3)]);
        mailbox.remove_read(1);
        assert_eq!(mailbox.take_inbox(), [message(2), message(3)]);
        assert_eq!(mailbox.inbox(), []);
    }
}

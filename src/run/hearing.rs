//! The mailbox of a run: signals and messages that the run has received and not yet acted upon. Pure.
//!
//! A signal that arrives while the run writes or looks is either covered by the next action, or left to the
//! actor that the registry starts next. No third case exists, so no signal is lost.

use super::lifecycle::Orders;
use super::{Do, RunSignal};
use crate::store::rows::{Message, UserCommand, WishRow};

#[derive(Debug, Default)]
pub struct Hearing {
    /// Pending stop, pause, resume and timeout.
    orders: Orders,
    /// Number of the newest user command received.
    last_wish: u64,
    /// The newest user command, until `take_orders` returns it.
    wished: Option<WishRow>,
    /// The user command being carried out, until that is stored.
    carried: Option<WishRow>,
    /// True if the run ends because the service has restarted.
    lapsed: bool,
    /// Unread messages, oldest first.
    inbox: Vec<Message>,
    /// Number of the newest signal received.
    heard: u64,
    /// Number of the newest signal when the current action began. The action may not cover later ones.
    minded: u64,
    /// Number of the newest signal when the run last looked at its children.
    looked: u64,
    /// Number of the newest signal when the run last attended to outside events; `None` before the first
    /// time.
    attended: Option<u64>,
}

/// Final state of the mailbox when a run's actor leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaveState {
    /// Number of the newest signal acted upon.
    pub heard: u64,
    /// True if a later signal has arrived, so that the registry must start another actor.
    pub again: bool,
}

impl Hearing {
    /// Creates a mailbox with the signals that woke the run.
    pub fn with_signals(orders: Vec<Do>) -> Self {
        let mut hearing = Self::default();
        orders.into_iter().for_each(|order| hearing.hear(order));
        hearing.mind();
        hearing
    }

    /// Receives a signal. The run acts upon it as soon as possible.
    pub fn hear(&mut self, Do { n, order }: Do) {
        self.heard = self.heard.max(n);
        match order {
            RunSignal::Wake => {}
            RunSignal::Read(message) => {
                if self.inbox.last().is_none_or(|last| last.n < message.n) {
                    self.inbox.push(message);
                }
            }
            RunSignal::Wish(row) => self.wish(row),
            // The later of pause and resume wins.
            RunSignal::Pause | RunSignal::GiveWay => (self.orders.pause, self.orders.resume) = (true, false),
            RunSignal::Resume => (self.orders.pause, self.orders.resume) = (false, true),
            RunSignal::Stop => self.orders.stop = true,
            RunSignal::TimeUp => self.orders.time_up = true,
            RunSignal::Lapse => (self.orders.stop, self.lapsed) = (true, true),
        }
    }

    /// Receives a user command. Ignores commands older than the newest.
    pub fn wish(&mut self, row: WishRow) {
        if row.n <= self.last_wish {
            return;
        }
        (self.last_wish, self.wished) = (row.n, Some(row));
        match row.wish {
            UserCommand::Stop => self.orders.stop = true,
            UserCommand::Pause => (self.orders.pause, self.orders.resume) = (true, false),
            UserCommand::Resume => (self.orders.pause, self.orders.resume) = (false, true),
        }
    }

    /// Marks all signals so far as covered by the action that begins now.
    pub fn mind(&mut self) {
        self.minded = self.heard;
    }

    /// Marks the moment of a look at the children. The look does not cover later signals.
    pub fn look(&mut self) {
        self.looked = self.heard;
    }

    /// True if a signal arrived between the look at the children and the action that followed.
    pub fn must_look_again(&self) -> bool {
        self.looked != self.minded
    }

    /// Marks all signals so far as attended to.
    pub fn attend(&mut self) {
        self.mind();
        self.attended = Some(self.heard);
    }

    /// True if a signal has arrived that the run has not attended to, or if it has never attended.
    pub fn is_unattended(&self) -> bool {
        self.attended != Some(self.heard)
    }

    pub fn leave(&self) -> LeaveState {
        LeaveState { heard: self.minded, again: self.heard > self.minded }
    }

    pub fn orders(&self) -> Orders {
        self.orders
    }

    /// Returns the user command being carried out, if that is not stored yet.
    pub fn carried(&self) -> Option<WishRow> {
        self.carried
    }

    /// Returns the number of the user command carried out by the commit that is being stored, once.
    pub fn store_carried(&mut self) -> Option<u64> {
        self.carried.take().map(|row| row.n)
    }

    /// Returns the pending flags and clears them.
    pub fn take_orders(&mut self) -> Orders {
        self.carried = self.wished.take().or(self.carried);
        std::mem::take(&mut self.orders)
    }

    pub fn lapsed(&self) -> bool {
        self.lapsed
    }

    pub fn inbox(&self) -> &[Message] {
        &self.inbox
    }

    /// Puts stored messages before received ones and drops duplicates.
    pub fn restore(&mut self, stored: Vec<Message>) {
        let newest = stored.last().map_or(0, |message| message.n);
        self.inbox.retain(|message| message.n > newest);
        self.inbox.splice(0..0, stored);
    }

    /// Removes messages up to number `n` as read.
    pub fn read(&mut self, n: u64) {
        self.inbox.retain(|message| message.n > n);
    }

    /// Removes and returns all messages.
    pub fn take_inbox(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.inbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::rows::InboxItem;

    /// Possible happenings, in any order.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Happens {
        Comes,
        Minds,
        Looks,
    }

    fn after(story: &[Happens]) -> Hearing {
        let mut hearing = Hearing::default();
        let mut n = 0;
        for happens in story {
            match happens {
                Happens::Comes => {
                    n += 1;
                    hearing.hear(Do { n, order: RunSignal::Wake });
                }
                Happens::Minds => hearing.mind(),
                Happens::Looks => hearing.look(),
            }
        }
        hearing
    }

    fn stories(length: usize) -> Vec<Vec<Happens>> {
        let mut all = vec![Vec::new()];
        for _ in 0..length {
            let longer = |story: &Vec<Happens>| {
                let story = story.clone();
                [Happens::Comes, Happens::Minds, Happens::Looks].map(|last| [&story[..], &[last]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    // In every sequence, signals that arrive after `mind` are left to the next actor.
    #[test]
    fn no_wake_up_is_lost() {
        for story in (0..7).flat_map(stories) {
            let hearing = after(&story);
            let last = |what| story.iter().rposition(|happens| *happens == what);
            let minded = last(Happens::Minds).map_or(0, |at| at + 1);
            let unminded = story[minded..].iter().filter(|happens| **happens == Happens::Comes).count();
            let comes = story.iter().filter(|happens| **happens == Happens::Comes).count();
            let expected = LeaveState { heard: (comes - unminded) as u64, again: unminded > 0 };
            assert_eq!(hearing.leave(), expected, "{story:?}");
            // A message between the look and the write: the write does not know of it.
            if let (Some(looked), Some(minded)) = (last(Happens::Looks), last(Happens::Minds))
                && looked < minded
            {
                let between = story[looked..minded].contains(&Happens::Comes);
                assert_eq!(hearing.must_look_again(), between, "{story:?}");
            }
        }
    }

    // The later of pause and resume counts; everything else stays pending until it is done.
    #[test]
    fn orders_add_up_to_what_is_wanted_in_the_end() {
        let none = Orders::default();
        let (pause, resume) = (Orders { pause: true, ..none }, Orders { resume: true, ..none });
        for (orders, expected) in [
            (vec![RunSignal::Wake], none),
            (vec![RunSignal::Pause], pause),
            (vec![RunSignal::Pause, RunSignal::Resume], resume),
            (vec![RunSignal::Resume, RunSignal::GiveWay], pause),
            (vec![RunSignal::Stop, RunSignal::Resume], Orders { stop: true, ..resume }),
            (vec![RunSignal::TimeUp, RunSignal::Pause], Orders { time_up: true, ..pause }),
            (vec![RunSignal::Lapse], Orders { stop: true, ..none }),
        ] {
            let told = orders.iter().cloned().zip(1..).map(|(order, n)| Do { n, order }).collect();
            let mut hearing = Hearing::with_signals(told);
            assert_eq!(hearing.lapsed(), orders == [RunSignal::Lapse]);
            assert_eq!((hearing.orders(), hearing.take_orders()), (expected, expected), "{orders:?}");
            assert_eq!(hearing.orders(), none, "an order is done once");
        }
    }

    // A user command is returned once and carried until that is stored; an older one has no effect.
    #[test]
    fn a_command_is_given_out_once_and_carried_until_it_is_stored() {
        let (pause, older) =
            (WishRow { n: 7, wish: UserCommand::Pause }, WishRow { n: 6, wish: UserCommand::Resume });
        let mut hearing = Hearing::default();
        for row in [pause, older, pause] {
            hearing.hear(Do { n: 1, order: RunSignal::Wish(row) });
        }
        assert_eq!((hearing.take_orders().pause, hearing.carried()), (true, Some(pause)));
        hearing.wish(pause);
        assert_eq!((hearing.take_orders(), hearing.carried()), (Orders::default(), Some(pause)));
        assert_eq!((hearing.store_carried(), hearing.store_carried()), (Some(7), None));
    }

    // A message is present once and in order, whether it was received or stored first (S1.19).
    #[test]
    fn messages_are_there_once_and_in_order() {
        let message = |n| Message { n, item: InboxItem::Words(format!("m{n}")) };
        let read = |n| Do { n, order: RunSignal::Read(message(n)) };
        let mut hearing = Hearing::with_signals(vec![read(2), read(2), read(3)]);
        hearing.restore(vec![message(1), message(2)]);
        assert_eq!(hearing.inbox(), [message(1), message(2), message(3)]);
        hearing.read(1);
        assert_eq!(hearing.take_inbox(), [message(2), message(3)]);
        assert_eq!(hearing.inbox(), []);
    }
}

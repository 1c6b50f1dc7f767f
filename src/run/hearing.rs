//! What a run has been told and has not acted upon yet: orders, messages, and how far it has come with them.
//! Pure. An order that comes while the run writes or looks is either minded by what it does next, or left
//! to the actor that comes after it; there is no third way, so none is lost.

use super::lifecycle::Orders;
use super::{Do, Order};
use crate::store::rows::{Message, Wish, WishRow};

#[derive(Debug, Default)]
pub struct Hearing {
    /// Stop, pause and the like, not yet done.
    orders: Orders,
    /// The number of the last command of a person that has come.
    last_wish: u64,
    /// That command, until it is given out.
    wished: Option<WishRow>,
    /// The same until it is stored that it was carried out.
    carried: Option<WishRow>,
    /// Whether it is stopped because the service has started anew.
    lapsed: bool,
    /// Messages that nobody has read, oldest first.
    inbox: Vec<Message>,
    /// The number of the last order that has come.
    heard: u64,
    /// The last order that had come when it began what it does now: later ones may not be minded by that.
    minded: u64,
    /// The last order that had come when it looked at its children.
    looked: u64,
    /// The last order that had come when it attended to what happens beside it; none before it has.
    attended: Option<u64>,
}

/// How a run leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leave {
    /// The last order that it acted upon.
    pub heard: u64,
    /// Whether another has come since, so that somebody must come after it.
    pub again: bool,
}

impl Hearing {
    /// With the orders that a run is woken for.
    pub fn of(orders: Vec<Do>) -> Self {
        let mut hearing = Self::default();
        orders.into_iter().for_each(|order| hearing.hear(order));
        hearing.mind();
        hearing
    }

    /// Takes an order in; it is acted upon at the next moment when that is possible.
    pub fn hear(&mut self, Do { n, order }: Do) {
        self.heard = self.heard.max(n);
        match order {
            Order::Wake => {}
            Order::Read(message) => {
                if self.inbox.last().is_none_or(|last| last.n < message.n) {
                    self.inbox.push(message);
                }
            }
            Order::Wish(row) => self.wish(row),
            // The later of the two is what the person wants.
            Order::Pause | Order::GiveWay => (self.orders.pause, self.orders.resume) = (true, false),
            Order::Resume => (self.orders.pause, self.orders.resume) = (false, true),
            Order::Stop => self.orders.stop = true,
            Order::TimeUp => self.orders.time_up = true,
            Order::Lapse => (self.orders.stop, self.lapsed) = (true, true),
        }
    }

    /// Takes a person's command in; one that is older than another does nothing any more.
    pub fn wish(&mut self, row: WishRow) {
        if row.n <= self.last_wish {
            return;
        }
        (self.last_wish, self.wished) = (row.n, Some(row));
        match row.wish {
            Wish::Stop => self.orders.stop = true,
            Wish::Pause => (self.orders.pause, self.orders.resume) = (true, false),
            Wish::Resume => (self.orders.pause, self.orders.resume) = (false, true),
        }
    }

    /// What it does from here on takes every order so far into account.
    pub fn mind(&mut self) {
        self.minded = self.heard;
    }

    /// It looks at what became of its children: whatever they say later it has not seen.
    pub fn look(&mut self) {
        self.looked = self.heard;
    }

    /// Whether something has come between its look at its children and what it did then.
    pub fn must_look_again(&self) -> bool {
        self.looked != self.minded
    }

    /// It attends to all that has come so far.
    pub fn attend(&mut self) {
        self.mind();
        self.attended = Some(self.heard);
    }

    /// Whether something has come that it has not attended to; at first it has attended to nothing.
    pub fn is_unattended(&self) -> bool {
        self.attended != Some(self.heard)
    }

    pub fn leave(&self) -> Leave {
        Leave { heard: self.minded, again: self.heard > self.minded }
    }

    pub fn orders(&self) -> Orders {
        self.orders
    }

    /// The command that what it does now carries out, until that is stored.
    pub fn carried(&self) -> Option<WishRow> {
        self.carried
    }

    /// The number up to which commands are carried out with what is stored now.
    pub fn store_carried(&mut self) -> Option<u64> {
        self.carried.take().map(|row| row.n)
    }

    /// Gives the orders out, once.
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

    /// Messages that were stored come before those that were heard, none twice.
    pub fn restore(&mut self, stored: Vec<Message>) {
        let newest = stored.last().map_or(0, |message| message.n);
        self.inbox.retain(|message| message.n > newest);
        self.inbox.splice(0..0, stored);
    }

    /// Messages up to this number have been read.
    pub fn read(&mut self, n: u64) {
        self.inbox.retain(|message| message.n > n);
    }

    /// Takes all messages away, read or not.
    pub fn take_inbox(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.inbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::rows::InboxItem;

    /// What can happen, in any order.
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
                    hearing.hear(Do { n, order: Order::Wake });
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

    // Whatever comes after it minded its orders is for the actor that comes next, in every order of things.
    #[test]
    fn no_wake_up_is_lost() {
        for story in (0..7).flat_map(stories) {
            let hearing = after(&story);
            let last = |what| story.iter().rposition(|happens| *happens == what);
            let minded = last(Happens::Minds).map_or(0, |at| at + 1);
            let unminded = story[minded..].iter().filter(|happens| **happens == Happens::Comes).count();
            let comes = story.iter().filter(|happens| **happens == Happens::Comes).count();
            let expected = Leave { heard: (comes - unminded) as u64, again: unminded > 0 };
            assert_eq!(hearing.leave(), expected, "{story:?}");
            // It looks, somebody speaks, it writes: what it writes knows nothing of that.
            if let (Some(looked), Some(minded)) = (last(Happens::Looks), last(Happens::Minds))
                && looked < minded
            {
                let between = story[looked..minded].contains(&Happens::Comes);
                assert_eq!(hearing.must_look_again(), between, "{story:?}");
            }
        }
    }

    // The later of pause and resume counts; all else stands until it is done.
    #[test]
    fn orders_add_up_to_what_is_wanted_in_the_end() {
        let none = Orders::default();
        let (pause, resume) = (Orders { pause: true, ..none }, Orders { resume: true, ..none });
        for (orders, expected) in [
            (vec![Order::Wake], none),
            (vec![Order::Pause], pause),
            (vec![Order::Pause, Order::Resume], resume),
            (vec![Order::Resume, Order::GiveWay], pause),
            (vec![Order::Stop, Order::Resume], Orders { stop: true, ..resume }),
            (vec![Order::TimeUp, Order::Pause], Orders { time_up: true, ..pause }),
            (vec![Order::Lapse], Orders { stop: true, ..none }),
        ] {
            let told = orders.iter().cloned().zip(1..).map(|(order, n)| Do { n, order }).collect();
            let mut hearing = Hearing::of(told);
            assert_eq!(hearing.lapsed(), orders == [Order::Lapse]);
            assert_eq!((hearing.orders(), hearing.take_orders()), (expected, expected), "{orders:?}");
            assert_eq!(hearing.orders(), none, "an order is done once");
        }
    }

    // A person's command is given out once, and is carried out until that is stored; an older one does nothing.
    #[test]
    fn a_command_is_given_out_once_and_carried_until_it_is_stored() {
        let (pause, older) = (WishRow { n: 7, wish: Wish::Pause }, WishRow { n: 6, wish: Wish::Resume });
        let mut hearing = Hearing::default();
        for row in [pause, older, pause] {
            hearing.hear(Do { n: 1, order: Order::Wish(row) });
        }
        assert_eq!((hearing.take_orders().pause, hearing.carried()), (true, Some(pause)));
        hearing.wish(pause);
        assert_eq!((hearing.take_orders(), hearing.carried()), (Orders::default(), Some(pause)));
        assert_eq!((hearing.store_carried(), hearing.store_carried()), (Some(7), None));
    }

    // S1.19: a message is there once, in its place, whether it was heard or stored first.
    #[test]
    fn messages_are_there_once_and_in_order() {
        let message = |n| Message { n, item: InboxItem::Words(format!("m{n}")) };
        let read = |n| Do { n, order: Order::Read(message(n)) };
        let mut hearing = Hearing::of(vec![read(2), read(2), read(3)]);
        hearing.restore(vec![message(1), message(2)]);
        assert_eq!(hearing.inbox(), [message(1), message(2), message(3)]);
        hearing.read(1);
        assert_eq!(hearing.take_inbox(), [message(2), message(3)]);
        assert_eq!(hearing.inbox(), []);
    }
}

//! What a page asks while a person holds it: told to them alone, and answered by them. It stands in no
//! picture. Nobody else hears its words, the run neither. An alert asks nothing: the page goes on at once, the
//! run is told of it without what is known to be secret, and they see it until they have put it away.

use super::Browser;
use super::asking::Held;
use crate::ids::{RunId, SessionId};
use crate::page::dialog::Dialog;
use actix::{Context, Handler, Message, Recipient};

/// From now on who holds the page hears there what it asks. Of no use to anybody else.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Confide {
    pub holder: SessionId,
    /// As they call what they hold.
    pub run: RunId,
    pub to: Recipient<Asked>,
}

/// The page asks this and waits; none: it does not any more.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub struct Asked {
    pub run: RunId,
    /// Which of all that it asked.
    pub number: u64,
    pub dialog: Option<Dialog>,
}

/// Who is told, and what they were told last.
#[derive(Debug)]
pub struct Confidant {
    run: RunId,
    to: Recipient<Asked>,
    told: Option<u64>,
    /// An alert that they have not put away yet.
    alert: Option<u64>,
}

impl Confidant {
    fn tell(&mut self, held: Option<Held>) {
        let open = held.as_ref().map(|held| held.serial);
        if open == self.told {
            return;
        }
        if open.is_some() {
            // It takes the place of one.
            self.alert = None;
        }
        let number = open.or(self.told).unwrap_or_default();
        self.told = open;
        self.send(number, held.map(|held| held.dialog));
    }

    /// A page that alerts without end is shown one at a time.
    fn tell_alert(&mut self, number: u64, dialog: Dialog) {
        if self.told.is_none() && self.alert.is_none() {
            self.alert = Some(number);
            self.send(number, Some(dialog));
        }
    }

    /// Whether that was an alert that was shown; no number means any.
    fn put_away(&mut self, number: Option<u64>) -> bool {
        let shown = self.alert.take_if(|alert| number.is_none_or(|number| number == *alert));
        if let Some(alert) = shown {
            self.send(alert, None);
        }
        shown.is_some()
    }

    fn send(&self, number: u64, dialog: Option<Dialog>) {
        self.to.do_send(Asked { run: self.run.clone(), number, dialog });
    }
}

impl Handler<Confide> for Browser {
    type Result = ();

    fn handle(&mut self, Confide { holder, run, to }: Confide, _: &mut Context<Self>) {
        if self.holding.holder() == Some(&holder) {
            self.holding.confidant = Some(Confidant { run, to, told: None, alert: None });
            self.confide();
        }
    }
}

impl Browser {
    /// What the page asks by now, to who holds it.
    pub(super) fn confide(&mut self) {
        let held = self.here.window.borrow().as_ref().and_then(|window| window.asking.by_hand());
        if let Some(confidant) = &mut self.holding.confidant {
            confidant.tell(held);
        }
    }

    /// What the page alerts, to who holds it.
    pub(super) fn confide_alert(&mut self, number: u64, dialog: Dialog) {
        if let Some(confidant) = &mut self.holding.confidant {
            confidant.tell_alert(number, dialog);
        }
    }

    /// Whether this was an alert that they have read.
    pub(super) fn put_away(&mut self, number: Option<u64>) -> bool {
        self.holding.confidant.as_mut().is_some_and(|confidant| confidant.put_away(number))
    }

    /// They may have missed that it is over.
    pub(super) fn confide_over(&self, number: u64) {
        if let Some(confidant) = &self.holding.confidant {
            confidant.send(number, None);
        }
    }

    /// They give the page back: what it asks them stays without an answer.
    pub(super) fn confide_no_more(&mut self) {
        let window = self.here.window.borrow().clone();
        if let Some(window) = window.filter(|window| window.asking.by_hand().is_some()) {
            window.dismiss("when the page was handed back");
        }
        self.confide();
        self.accompany_no_more();
        if let Some(mut confidant) = self.holding.confidant.take() {
            confidant.put_away(None);
        }
    }
}

//! What a page asks while a person holds it: told to them alone, and answered by them. It stands in no
//! picture. Nobody else hears its words, the run neither. An alert asks nothing: the page goes on at once, the
//! run is told of it without what is known to be secret, and they see it until they have put it away.

use super::Browser;
use super::asking::Held;
use super::attended::Attended;
use super::fault::Fault;
use super::holding::Input;
use super::link::Session;
use super::window::Window;
use super::wire::{PATIENCE, Raw};
use crate::ids::{RunId, SessionId};
use crate::page::dialog::Dialog;
use crate::protocol::client::{Hands, KeyEvent, MouseEvent};
use actix::{Context, Handler, Message, Recipient};
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use futures_util::future::try_join_all;
use std::rc::Rc;

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

impl Handler<Input> for Browser {
    type Result = Attended<Result<(), Fault>>;

    fn handle(&mut self, Input { holder, hands }: Input, _: &mut Context<Self>) -> Self::Result {
        match self.hand(&holder, hands) {
            // Sent in the order of the messages; answered when the page has taken it, or asks something.
            Ok((window, session, orders)) => {
                let taken = try_join_all(orders.into_iter().map(|order| session.begin(order, PATIENCE)));
                let one = self.holding.under_way.one();
                Attended::by(async move {
                    let _one = one;
                    tokio::select! {
                        biased;
                        taken = taken => taken.map(|_| ()),
                        _ = window.asking.opens() => Ok(()),
                    }
                })
            }
            Err(fault) => Attended::now(Err(fault)),
        }
    }
}

impl Browser {
    /// What is to be sent for it, and where.
    fn hand(&mut self, holder: &SessionId, hands: Hands) -> Result<(Rc<Window>, Session, Vec<Raw>), Fault> {
        self.holding.check_held_by(holder)?;
        let window = self.here.window.borrow().clone().ok_or_else(Fault::crashed)?;
        let front = window.current()?.session;
        let asked = window.asking.by_hand();
        if let Hands::Dialog { accept, text, number } = hands {
            if self.holding.confidant.as_mut().is_some_and(|confidant| confidant.put_away(number)) {
                return Ok((window, front, Vec::new()));
            }
            // It may be gone, and another one have come.
            let open = asked.is_some();
            if let Some(held) = asked.filter(|held| number.is_none_or(|number| number == held.serial)) {
                window.asking.over(&held.session);
                // It may be gone by itself meanwhile, which is no fault of theirs.
                window.link.session(held.session).post(answer(held.dialog, accept, text));
                self.confide();
            } else if let Some(confidant) = self.holding.confidant.as_ref().filter(|_| !open) {
                // They may have missed that it is over.
                confidant.send(number.unwrap_or_default(), None);
            }
            return Ok((window, front, Vec::new()));
        }
        // A page that asks takes nothing but the end of what was begun.
        if asked.is_some() && !lets_go(&hands) {
            return Ok((window, front, Vec::new()));
        }
        Ok((window, front, self.holding.held.orders(self.here.config.viewport, hands)))
    }

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

    /// They give the page back: what it asks them stays without an answer.
    pub(super) fn confide_no_more(&mut self) {
        let window = self.here.window.borrow().clone();
        if let Some(window) = window.filter(|window| window.asking.by_hand().is_some()) {
            window.dismiss("when the page was handed back");
        }
        self.confide();
        if let Some(mut confidant) = self.holding.confidant.take() {
            confidant.put_away(None);
        }
    }
}

fn answer(dialog: Dialog, accept: bool, text: Option<String>) -> Raw {
    let mut order = HandleJavaScriptDialogParams::new(accept);
    if accept && dialog.takes_text() {
        order.prompt_text = Some(text.unwrap_or(dialog.default));
    }
    Raw::of(&order)
}

/// Of a button or a key that was held down.
fn lets_go(hands: &Hands) -> bool {
    matches!(hands, Hands::Mouse { event: MouseEvent::Up, .. } | Hands::Key { event: KeyEvent::Up, .. })
}

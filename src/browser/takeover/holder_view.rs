//! Page address and file choosers for the holder of a take-over, sent to nobody else, and the holder's own
//! navigation.

use crate::ids::{RunId, SessionId};
use actix::{Message, Recipient};

/// Subscribes the holder to the page's address and file choosers. Ignored from anyone else.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubscribeHolderView {
    pub holder: SessionId,
    /// Run id that the subscriber uses for the held browser.
    pub run: RunId,
    pub to: Recipient<HolderViewChanged>,
}

/// Change of the page, for the holder.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub struct HolderViewChanged {
    pub run: RunId,
    pub change: HolderViewChange,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HolderViewChange {
    Address(String),
    /// The page waits for files, or no longer does if not `open`.
    Chooser {
        number: u64,
        multiple: bool,
        open: bool,
    },
}

/// The subscriber, and the open file chooser.
#[derive(Debug)]
pub struct HolderView {
    run: RunId,
    to: Recipient<HolderViewChanged>,
    address: String,
    choosers: u64,
    open: Option<Chooser>,
}

/// File field that the holder activated.
#[derive(Debug)]
pub(in crate::browser) struct Chooser {
    number: u64,
    pub(in crate::browser) session: String,
    pub(in crate::browser) node: i64,
    pub(in crate::browser) multiple: bool,
}

impl HolderView {
    pub(in crate::browser) fn new(run: RunId, to: Recipient<HolderViewChanged>) -> Self {
        Self { run, to, address: String::new(), choosers: 0, open: None }
    }

    fn send(&self, change: HolderViewChange) {
        self.to.do_send(HolderViewChanged { run: self.run.clone(), change });
    }

    pub(in crate::browser) fn show_address(&mut self, url: &str) {
        if self.address != url {
            url.clone_into(&mut self.address);
            self.send(HolderViewChange::Address(url.to_owned()));
        }
    }

    /// Sends the current address again, to replace rejected input in the holder's address field.
    pub(in crate::browser) fn reset_address(&self) {
        self.send(HolderViewChange::Address(self.address.clone()));
    }

    pub(in crate::browser) fn open_chooser(&mut self, session: &str, node: i64, multiple: bool) {
        self.choosers += 1;
        let number = self.choosers;
        self.open = Some(Chooser { number, session: session.to_owned(), node, multiple });
        self.send(HolderViewChange::Chooser { number, multiple, open: true });
    }

    /// Closes the chooser of this number and returns it.
    pub(in crate::browser) fn close_chooser(&mut self, number: u64) -> Option<Chooser> {
        let chooser = self.open.take_if(|open| open.number == number);
        self.send(HolderViewChange::Chooser { number, multiple: false, open: false });
        chooser
    }

    /// Closes the open chooser if its field is in this session; `None` matches any.
    pub(in crate::browser) fn close_chooser_of_session(&mut self, session: Option<&str>) {
        let of_session = |open: &&Chooser| session.is_none_or(|session| open.session == session);
        if let Some(number) = self.open.as_ref().filter(of_session).map(|open| open.number) {
            self.close_chooser(number);
        }
    }
}

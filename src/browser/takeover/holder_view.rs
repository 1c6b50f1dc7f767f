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
    pub to: Recipient<HolderNews>,
}

/// Change of the page, for the holder.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub struct HolderNews {
    pub run: RunId,
    pub news: PageNews,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PageNews {
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
    pub(in crate::browser) run: RunId,
    pub(in crate::browser) to: Recipient<HolderNews>,
    pub(in crate::browser) address: String,
    pub(in crate::browser) choosers: u64,
    pub(in crate::browser) open: Option<Chooser>,
}

/// File field that the holder activated.
#[derive(Debug)]
pub(in crate::browser) struct Chooser {
    pub(in crate::browser) number: u64,
    pub(in crate::browser) session: String,
    pub(in crate::browser) node: i64,
    pub(in crate::browser) multiple: bool,
}

impl HolderView {
    pub(in crate::browser) fn send(&self, news: PageNews) {
        self.to.do_send(HolderNews { run: self.run.clone(), news });
    }

    pub(in crate::browser) fn show_address(&mut self, url: &str) {
        if self.address != url {
            url.clone_into(&mut self.address);
            self.send(PageNews::Address(url.to_owned()));
        }
    }

    pub(in crate::browser) fn open_chooser(&mut self, session: &str, node: i64, multiple: bool) {
        self.choosers += 1;
        let number = self.choosers;
        self.open = Some(Chooser { number, session: session.to_owned(), node, multiple });
        self.send(PageNews::Chooser { number, multiple, open: true });
    }

    /// Closes the chooser of this number and returns it.
    pub(in crate::browser) fn close_chooser(&mut self, number: u64) -> Option<Chooser> {
        let chooser = self.open.take_if(|open| open.number == number);
        self.send(PageNews::Chooser { number, multiple: false, open: false });
        chooser
    }
}

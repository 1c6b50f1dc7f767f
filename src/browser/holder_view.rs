//! The address of the page and the file choosers that it opens, told to the person who holds it and to nobody
//! else; and the person's ways to another page.

use super::Browser;
use super::act::navigate::{address, travel};
use super::act::upload;
use super::attended::Attended;
use super::fault::{Code, Fault};
use super::window::Window;
use super::wire::{Event, PATIENCE, Raw};
use crate::ids::{RunId, SessionId};
use actix::{Context, Handler, Message, Recipient};
use serde_json::{Value, json};
use std::rc::Rc;

const CHOOSER: &str = "the page asks for a file: use upload with the element that was clicked and a file of this run, or \
    need_user if there is none";

/// From now on who holds the page hears there where it is. Of no use to anybody else.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Accompany {
    pub holder: SessionId,
    /// As they call what they hold.
    pub run: RunId,
    pub to: Recipient<HolderNews>,
}

/// News of the page for the person who holds it.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub struct HolderNews {
    pub run: RunId,
    pub news: PageNews,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PageNews {
    Address(String),
    /// The page waits for files; or, closed, does not any more.
    Chooser {
        number: u64,
        multiple: bool,
        open: bool,
    },
}

/// The holder's end, and the chooser that is open.
#[derive(Debug)]
pub struct HolderView {
    run: RunId,
    to: Recipient<HolderNews>,
    address: String,
    choosers: u64,
    open: Option<Chooser>,
}

/// A file field that was pressed.
#[derive(Debug)]
struct Chooser {
    number: u64,
    session: String,
    node: i64,
    multiple: bool,
}

impl HolderView {
    fn send(&self, news: PageNews) {
        self.to.do_send(HolderNews { run: self.run.clone(), news });
    }

    fn show_address(&mut self, url: &str) {
        if self.address != url {
            url.clone_into(&mut self.address);
            self.send(PageNews::Address(url.to_owned()));
        }
    }

    fn open_chooser(&mut self, session: &str, node: i64, multiple: bool) {
        self.choosers += 1;
        let number = self.choosers;
        self.open = Some(Chooser { number, session: session.to_owned(), node, multiple });
        self.send(PageNews::Chooser { number, multiple, open: true });
    }

    /// Takes the chooser of this number, which is closed with that.
    fn close_chooser(&mut self, number: u64) -> Option<Chooser> {
        let chooser = self.open.take_if(|open| open.number == number);
        self.send(PageNews::Chooser { number, multiple: false, open: false });
        chooser
    }
}

impl Handler<Accompany> for Browser {
    type Result = ();

    fn handle(&mut self, Accompany { holder, run, to }: Accompany, ctx: &mut Context<Self>) {
        if self.holding.holder() != Some(&holder) {
            return;
        }
        self.holding.view = Some(HolderView { run, to, address: String::new(), choosers: 0, open: None });
        self.show_address();
        let window = self.here.window.borrow().clone();
        if let Some(window) = window {
            self.refresh(&window, ctx);
        }
    }
}

impl Browser {
    /// The address of the page in front, to who holds it.
    pub(super) fn show_address(&mut self) {
        let url = self.shown.0.clone();
        if let Some(view) = &mut self.holding.view {
            view.show_address(&url);
        }
    }

    /// The document whose field asked for files is gone.
    pub(super) fn chooser_over(&mut self, session: &str) {
        let Some(view) = &mut self.holding.view else { return };
        if let Some(number) =
            view.open.as_ref().filter(|open| open.session == session).map(|open| open.number)
        {
            view.close_chooser(number);
        }
    }

    /// Nobody is told any more: the page is given back.
    pub(super) fn accompany_no_more(&mut self) {
        let Some(mut view) = self.holding.view.take() else { return };
        if let Some(number) = view.open.as_ref().map(|open| open.number) {
            view.close_chooser(number);
        }
    }

    /// The page wants a file: of the person who holds it, else of the run.
    pub(super) fn chooser_opened(&mut self, window: &Window, event: &Event) {
        let node = event.params.get("backendNodeId").and_then(Value::as_i64);
        let is_held = self.holding.holder().is_some();
        match (&mut self.holding.view, node) {
            (Some(view), Some(node)) => {
                let multiple = event.text("/mode") == "selectMultiple";
                view.open_chooser(event.session.as_deref().unwrap_or_default(), node, multiple);
            }
            _ if is_held => {}
            _ => window.note(String::from(CHOOSER)),
        }
    }

    /// Goes to an address that the person gave. They may go where the run may not ask to, but nowhere that is closed.
    pub(super) fn go_by_hand(&self, url: &str) -> Attended<Result<(), Fault>> {
        let checked = self.held_window().and_then(|window| {
            let (tab, url) = (window.current()?, address(url)?);
            match tab.session.closed().fault(url.as_str()) {
                Some(fault) => Err(fault),
                None => Ok((window, tab, url)),
            }
        });
        let (window, tab, url) = match checked {
            Ok(checked) => checked,
            Err(fault) => {
                // The address in their field is what they typed, not where they are.
                if let Some(view) = &self.holding.view {
                    view.send(PageNews::Address(view.address.clone()));
                }
                return Attended::now(Err(fault));
            }
        };
        let order = Raw::new("Page.navigate", json!({"url": url.as_str(), "transitionType": "typed"}));
        let sent = tab.session.begin(order, PATIENCE);
        Attended::by(async move {
            tokio::select! {
                biased;
                // They see for themselves what came of it.
                _ = sent => Ok(()),
                _ = window.asking.opens() => Ok(()),
            }
        })
    }

    /// Goes one step back in the history of the tab.
    pub(super) fn back_by_hand(&self) -> Attended<Result<(), Fault>> {
        match self.held_window().and_then(|window| Ok((window.current()?, window))) {
            Ok((tab, window)) => Attended::by(async move {
                tokio::select! {
                    biased;
                    went = travel(&tab, -1) => went,
                    _ = window.asking.opens() => Ok(()),
                }
            }),
            Err(fault) => Attended::now(Err(fault)),
        }
    }

    /// Gives files of the run to the field whose chooser has this number; without any it is only closed.
    pub(super) fn choose_by_hand(&mut self, number: u64, names: &[String]) -> Attended<Result<(), Fault>> {
        let chooser = self.holding.view.as_mut().and_then(|view| view.close_chooser(number));
        let Some(chooser) = chooser.filter(|_| !names.is_empty()) else { return Attended::now(Ok(())) };
        let given = self.held_window().and_then(|window| {
            upload::several(chooser.multiple, names)?;
            let paths = names.iter().map(|name| upload::path(&window, name));
            let files = paths.collect::<Result<Vec<_>, _>>()?;
            let params = json!({"files": files, "backendNodeId": chooser.node});
            let session = window.link.session(chooser.session.clone());
            Ok(session.begin(Raw::new("DOM.setFileInputFiles", params), PATIENCE))
        });
        match given {
            Ok(given) => Attended::by(async move {
                given.await.map(|_| ()).map_err(|_| {
                    Fault::new(Code::NoFileField, "the field that asked for files is gone; press it again")
                })
            }),
            Err(fault) => Attended::now(Err(fault)),
        }
    }

    fn held_window(&self) -> Result<Rc<Window>, Fault> {
        let window = self.here.window.borrow().clone().ok_or_else(Fault::crashed)?;
        match window.asking.held() {
            // It takes nothing else until it is answered.
            Some(held) => Err(Fault::dialog_open(&held.dialog)),
            None => Ok(window),
        }
    }
}

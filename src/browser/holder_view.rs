//! Page address and file choosers for the holder of a take-over, sent to nobody else, and the holder's own
//! navigation.

use super::Browser;
use super::act::navigate::{parse_url, travel};
use super::act::upload;
use super::cancel_on_drop::CancelOnDrop;
use super::cdp_message::{CdpEvent, PATIENCE, RawCommand};
use super::fault::{ErrorCode, PageError};
use super::window::PageContext;
use crate::ids::{RunId, SessionId};
use actix::{Context, Handler, Message, Recipient};
use serde_json::{Value, json};
use std::rc::Rc;

const CHOOSER: &str = "the page asks for a file: use upload with the element that was clicked and a file of this run, or \
    need_user if there is none";

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
    run: RunId,
    to: Recipient<HolderNews>,
    address: String,
    choosers: u64,
    open: Option<Chooser>,
}

/// File field that the holder activated.
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

    /// Closes the chooser of this number and returns it.
    fn close_chooser(&mut self, number: u64) -> Option<Chooser> {
        let chooser = self.open.take_if(|open| open.number == number);
        self.send(PageNews::Chooser { number, multiple: false, open: false });
        chooser
    }
}

impl Handler<SubscribeHolderView> for Browser {
    type Result = ();

    fn handle(
        &mut self,
        SubscribeHolderView { holder, run, to }: SubscribeHolderView,
        ctx: &mut Context<Self>,
    ) {
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
    /// Sends the address of the tab in front to the holder.
    pub(super) fn show_address(&mut self) {
        let url = self.shown.0.clone();
        if let Some(view) = &mut self.holding.view {
            view.show_address(&url);
        }
    }

    /// Closes the chooser of this session, whose document is gone.
    pub(super) fn close_chooser_of_session(&mut self, session: &str) {
        let Some(view) = &mut self.holding.view else { return };
        if let Some(number) =
            view.open.as_ref().filter(|open| open.session == session).map(|open| open.number)
        {
            view.close_chooser(number);
        }
    }

    /// Ends the subscription when the page is handed back.
    pub(super) fn end_holder_view(&mut self) {
        let Some(mut view) = self.holding.view.take() else { return };
        if let Some(number) = view.open.as_ref().map(|open| open.number) {
            view.close_chooser(number);
        }
    }

    /// Handles a file chooser: sent to the holder if there is one, otherwise noted for the run.
    pub(super) fn chooser_opened(&mut self, window: &PageContext, event: &CdpEvent) {
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

    /// Navigates to an address that the holder entered. The holder is not bound by the run's restrictions,
    /// but by the URL policy.
    pub(super) fn navigate_for_holder(&self, url: &str) -> CancelOnDrop<Result<(), PageError>> {
        let checked = self.held_window().and_then(|window| {
            let (tab, url) = (window.current()?, parse_url(url)?);
            match tab.session.closed().fault(url.as_str()) {
                Some(fault) => Err(fault),
                None => Ok((window, tab, url)),
            }
        });
        let (window, tab, url) = match checked {
            Ok(checked) => checked,
            Err(fault) => {
                // Resets the holder's address field, which shows the rejected input, to the current address.
                if let Some(view) = &self.holding.view {
                    view.send(PageNews::Address(view.address.clone()));
                }
                return CancelOnDrop::now(Err(fault));
            }
        };
        let order = RawCommand::new("Page.navigate", json!({"url": url.as_str(), "transitionType": "typed"}));
        let sent = tab.session.send(order, PATIENCE);
        CancelOnDrop::by(async move {
            tokio::select! {
                biased;
                // The holder sees the result on the page.
                _ = sent => Ok(()),
                _ = window.asking.wait_for_any() => Ok(()),
            }
        })
    }

    /// Goes one step back in the tab's history.
    pub(super) fn go_back_for_holder(&self) -> CancelOnDrop<Result<(), PageError>> {
        match self.held_window().and_then(|window| Ok((window.current()?, window))) {
            Ok((tab, window)) => CancelOnDrop::by(async move {
                tokio::select! {
                    biased;
                    went = travel(&tab, -1) => went,
                    _ = window.asking.wait_for_any() => Ok(()),
                }
            }),
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    /// Sets files of the run in the field of this chooser; without files, only closes the chooser.
    pub(super) fn set_files_for_holder(
        &mut self,
        number: u64,
        names: &[String],
    ) -> CancelOnDrop<Result<(), PageError>> {
        let chooser = self.holding.view.as_mut().and_then(|view| view.close_chooser(number));
        let Some(chooser) = chooser.filter(|_| !names.is_empty()) else { return CancelOnDrop::now(Ok(())) };
        let given = self.held_window().and_then(|window| {
            upload::check_file_count(chooser.multiple, names)?;
            let paths = names.iter().map(|name| upload::path(&window, name));
            let files = paths.collect::<Result<Vec<_>, _>>()?;
            let params = json!({"files": files, "backendNodeId": chooser.node});
            let session = window.link.session(chooser.session.clone());
            Ok(session.send(RawCommand::new("DOM.setFileInputFiles", params), PATIENCE))
        });
        match given {
            Ok(given) => CancelOnDrop::by(async move {
                given.await.map(|_| ()).map_err(|_| {
                    PageError::new(
                        ErrorCode::NoFileField,
                        "the field that asked for files is gone; press it again",
                    )
                })
            }),
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    fn held_window(&self) -> Result<Rc<PageContext>, PageError> {
        let window = self.here.window.borrow().clone().ok_or_else(PageError::crashed)?;
        match window.asking.held() {
            // The page accepts no other input before the answer.
            Some(held) => Err(PageError::dialog_open(&held.dialog)),
            None => Ok(window),
        }
    }
}

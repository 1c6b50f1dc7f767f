//! Downloads of pages: each comes to a place of its own beside the run's files and is moved in when it is
//! whole. A program is held back unless the action that fetched it was allowed to; what is too large is
//! stopped. Chromium tells every window of all downloads, so whose one is shows where it lies.

use super::Browser;
use super::link::{Event, PATIENCE};
use super::tab::Raw;
use super::window::Window;
use crate::files::{self, Folder, Kept};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// Downloads that are remembered, of all windows.
const MOST: usize = 64;
/// How long an action waits for what it fetches.
const WAIT: Duration = Duration::from_secs(5);

/// What a window has fetched and is fetching.
#[derive(Debug)]
pub struct Downloads {
    pub folder: Folder,
    /// Chromium's number → what it is called and where it comes from.
    begun: RefCell<HashMap<String, Begun>>,
    /// Numbers of those that pages of this window began.
    coming: RefCell<Vec<String>>,
    /// Kept since the last action began.
    kept: RefCell<Vec<Kept>>,
    /// The action under way may fetch a program.
    programs: Cell<bool>,
    changed: Notify,
}

#[derive(Clone, Debug)]
struct Begun {
    name: String,
    url: String,
    /// An action that was allowed to fetch programs was under way.
    program_may: bool,
    /// It is being stopped: whoever does that tells of it.
    refused: bool,
}

impl Downloads {
    pub fn new(folder: Folder) -> Self {
        let (begun, coming, kept, programs, changed) = Default::default();
        Self { folder, begun, coming, kept, programs, changed }
    }

    /// Where files go in Chromium; none where they cannot be had.
    pub fn order(&self, context: Option<&str>) -> Option<Raw> {
        let path = self.folder.incoming().ok()?.to_str()?.to_owned();
        let mut params = json!({"behavior": "allowAndName", "downloadPath": path, "eventsEnabled": true});
        if let Some(context) = context {
            params["browserContextId"] = json!(context);
        }
        Some(Raw::new("Browser.setDownloadBehavior", params))
    }

    pub fn action_begins(&self, programs: bool) {
        self.kept.borrow_mut().clear();
        // What is on its way still comes in; it is not waited for again.
        self.coming.borrow_mut().clear();
        self.programs.set(programs);
    }

    /// What has been kept since the action began.
    pub fn kept(&self) -> Vec<Kept> {
        self.kept.borrow().clone()
    }

    /// Waits for what is on its way, but not for long. True if something still is.
    pub async fn come_in(&self) -> bool {
        let all = async {
            while !self.coming.borrow().is_empty() {
                self.changed.notified().await;
            }
        };
        tokio::time::timeout(WAIT, all).await.is_err()
    }

    fn over(&self, guid: &str) -> Option<Begun> {
        self.coming.borrow_mut().retain(|coming| coming != guid);
        self.changed.notify_waiters();
        self.begun.borrow_mut().remove(guid)
    }

    fn is_refused(&self, guid: &str) -> bool {
        self.begun.borrow().get(guid).is_some_and(|begun| begun.refused)
    }

    fn is_here(&self, guid: &str) -> bool {
        let begun = self.coming.borrow().iter().any(|coming| coming == guid);
        begun || ["", ".crdownload"].iter().any(|end| self.folder.arriving(&format!("{guid}{end}")).exists())
    }
}

impl Begun {
    fn is_held_back(&self) -> bool {
        !self.program_may && files::is_program_name(&self.name)
    }
}

impl Browser {
    /// Of Chromium as a whole.
    pub(super) fn download_told(&self, window: &Rc<Window>, event: &Event, ctx: &mut Context<Self>) {
        let guid = event.text("/guid").to_owned();
        match event.method.as_str() {
            "Browser.downloadWillBegin" => self.download_begins(window, &guid, event, ctx),
            "Browser.downloadProgress" if window.downloads.begun.borrow().contains_key(&guid) => {
                self.download_goes_on(window, guid, event, ctx);
            }
            _ => {}
        }
    }

    fn download_begins(&self, window: &Rc<Window>, guid: &str, event: &Event, ctx: &mut Context<Self>) {
        let downloads = &window.downloads;
        let begun = Begun {
            name: files::safe_name(event.text("/suggestedFilename")),
            url: event.text("/url").to_owned(),
            program_may: downloads.programs.get(),
            refused: false,
        };
        let held_back = begun.is_held_back();
        if downloads.begun.borrow().len() < MOST {
            downloads.begun.borrow_mut().insert(guid.to_owned(), begun.clone());
        }
        if held_back {
            self.cancel(window, guid.to_owned(), program(&begun), ctx);
        }
    }

    fn download_goes_on(&self, window: &Rc<Window>, guid: String, event: &Event, ctx: &mut Context<Self>) {
        let number = |field: &str| event.params.get(field).and_then(Value::as_f64).unwrap_or_default();
        let bytes = number("receivedBytes").max(number("totalBytes"));
        match event.text("/state") {
            // Sizes are far below what a float counts exactly.
            "inProgress" if bytes > window.downloads.folder.max as f64 => {
                let most = window.downloads.folder.max;
                self.cancel(window, guid, format!("it is larger than {}", files::size_of(most)), ctx);
            }
            "completed" if window.downloads.is_here(&guid) => self.keep_download(window, &guid),
            "canceled" if window.downloads.is_refused(&guid) => {}
            "canceled" | "completed" => drop(window.downloads.over(&guid)),
            _ => {}
        }
    }

    /// Another window's is none that this one can stop: only what was ours is told of.
    fn cancel(&self, window: &Rc<Window>, guid: String, why: String, ctx: &mut Context<Self>) {
        if let Some(begun) = window.downloads.begun.borrow_mut().get_mut(&guid) {
            begun.refused = true;
        }
        let mut params = json!({"guid": guid});
        if window.lasting.is_none() {
            params["browserContextId"] = json!(window.context);
        }
        let order = window.link.browser().begin(Raw::new("Browser.cancelDownload", params), PATIENCE);
        let window = Rc::downgrade(window);
        ctx.spawn(order.into_actor(self).map(move |cancelled, _, _| {
            let Some(window) = window.upgrade() else { return };
            // One that was whole before it could be stopped is judged when that is told.
            if cancelled.is_err() && window.downloads.is_here(&guid) {
                return;
            }
            let begun = window.downloads.over(&guid).filter(|_| cancelled.is_ok());
            if let Some(begun) = begun {
                window.note(format!("download of \"{}\" refused: {why}", begun.name));
            }
        }));
    }

    fn keep_download(&self, window: &Window, guid: &str) {
        let downloads = &window.downloads;
        let path = downloads.folder.arriving(guid);
        let Some(begun) = downloads.begun.borrow().get(guid).cloned() else { return };
        if begun.is_held_back() || !begun.program_may && files::begins_as_program(&path) {
            let _ = std::fs::remove_file(&path);
            window.note(format!("download of \"{}\" refused: {}", begun.name, program(&begun)));
        } else {
            match downloads.folder.take_in(&path, &begun.name) {
                Ok(kept) => {
                    window.note(format!("downloaded {}; it is among the files of this run", kept.shown()));
                    downloads.kept.borrow_mut().push(kept);
                }
                Err(fault) => window.note(format!("download of \"{}\" refused: {fault}", begun.name)),
            }
        }
        downloads.over(guid);
    }
}

impl Window {
    /// A page of this window has begun one.
    pub(super) fn download_comes(&self, event: &Event) {
        let mut coming = self.downloads.coming.borrow_mut();
        if coming.len() < MOST {
            coming.push(event.text("/guid").to_owned());
        }
    }
}

fn program(begun: &Begun) -> String {
    let url: String = begun.url.chars().take(200).collect();
    format!("it is a program; the person is asked first if you navigate to {url}")
}

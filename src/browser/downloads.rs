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
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// Downloads at once that are remembered: of our own pages, and of whom it is not known yet.
const MOST: usize = 64;
/// How long an action waits for what it fetches.
const WAIT: Duration = Duration::from_secs(5);
const TOO_MANY: &str = "too many downloads are under way";

/// What a window has fetched and is fetching.
#[derive(Debug)]
pub struct Downloads {
    pub folder: Folder,
    /// The newest last.
    begun: RefCell<VecDeque<Begun>>,
    /// Numbers of those that pages of this window began and that are not over.
    own: RefCell<Vec<String>>,
    /// Those of them that the action under way began.
    coming: RefCell<Vec<String>>,
    /// Kept since the last action began.
    kept: RefCell<Vec<Kept>>,
    /// The action under way may fetch a program.
    programs: Cell<bool>,
    changed: Notify,
}

#[derive(Clone, Debug)]
struct Begun {
    /// Chromium's number of it.
    guid: String,
    name: String,
    url: String,
    /// An action that was allowed to fetch programs was under way.
    program_may: bool,
    /// It is being stopped: whoever does that tells of it.
    refused: bool,
}

impl Downloads {
    pub fn new(folder: Folder) -> Self {
        let (begun, own, coming, kept, programs, changed) = Default::default();
        Self { folder, begun, own, coming, kept, programs, changed }
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

    /// Programs may come, if at all, for as long as what is returned is kept.
    #[must_use]
    pub fn action_begins(&self, programs: bool) -> Allowing<'_> {
        self.kept.borrow_mut().clear();
        // What is on its way still comes in; it is not waited for again.
        self.coming.borrow_mut().clear();
        self.programs.set(programs);
        Allowing(&self.programs)
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
        self.own.borrow_mut().retain(|own| own != guid);
        self.changed.notify_waiters();
        let mut begun = self.begun.borrow_mut();
        let place = begun.iter().position(|begun| begun.guid == guid)?;
        begun.remove(place)
    }

    /// A page of ours began it, which may be told before or after Chromium tells every window.
    fn announce(&self, guid: &str) {
        for announced in [&self.own, &self.coming] {
            if announced.borrow().len() < MOST {
                announced.borrow_mut().push(guid.to_owned());
            }
        }
    }

    /// Remembers it. Others' make room for ours; false if there is none even so.
    fn remember(&self, new: Begun) -> bool {
        let mut begun = self.begun.borrow_mut();
        if begun.len() >= MOST {
            let own = self.own.borrow();
            let Some(other) = begun.iter().position(|begun| !own.contains(&begun.guid)) else { return false };
            begun.remove(other);
        }
        begun.push_back(new);
        true
    }

    fn find(&self, guid: &str) -> Option<Begun> {
        self.begun.borrow().iter().find(|begun| begun.guid == guid).cloned()
    }

    fn is_refused(&self, guid: &str) -> bool {
        self.find(guid).is_some_and(|begun| begun.refused)
    }

    fn is_here(&self, guid: &str) -> bool {
        let begun = self.coming.borrow().iter().any(|coming| coming == guid);
        begun || ["", ".crdownload"].iter().any(|end| self.folder.arriving(&format!("{guid}{end}")).exists())
    }
}

/// An action that may fetch programs is under way. It may end at any await.
#[derive(Debug)]
pub struct Allowing<'a>(&'a Cell<bool>);

impl Drop for Allowing<'_> {
    fn drop(&mut self) {
        self.0.set(false);
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
            "Browser.downloadProgress" if window.downloads.find(&guid).is_some() => {
                self.download_goes_on(window, guid, event, ctx);
            }
            _ => {}
        }
    }

    fn download_begins(&self, window: &Rc<Window>, guid: &str, event: &Event, ctx: &mut Context<Self>) {
        let downloads = &window.downloads;
        let begun = Begun {
            guid: guid.to_owned(),
            name: files::safe_name(event.text("/suggestedFilename")),
            url: event.text("/url").to_owned(),
            program_may: downloads.programs.get(),
            refused: false,
        };
        let held_back = begun.is_held_back().then(|| program(&begun));
        let room = downloads.remember(begun);
        if let Some(why) = held_back.or_else(|| (!room).then(|| String::from(TOO_MANY))) {
            self.cancel(window, guid.to_owned(), why, ctx);
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
        if let Some(begun) = window.downloads.begun.borrow_mut().iter_mut().find(|begun| begun.guid == guid) {
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
        let Some(begun) = downloads.find(guid) else { return };
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
        self.downloads.announce(event.text("/guid"));
    }
}

fn program(begun: &Begun) -> String {
    let url: String = begun.url.chars().take(200).collect();
    format!("it is a program; the person is asked first if you navigate to {url}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Shelf;
    use crate::ids::RunId;

    fn begun(guid: String) -> Begun {
        Begun { guid, name: String::from("a"), url: String::new(), program_may: false, refused: false }
    }

    #[test]
    fn downloads_of_others_take_no_room_from_ours() {
        let downloads = Downloads::new(Shelf::new("nowhere".into(), 1, 1).of(&RunId::from("r1")));
        let others = |from: usize| {
            (from..from + 2 * MOST).for_each(|n| assert!(downloads.remember(begun(format!("other {n}")))));
        };
        others(0);
        downloads.announce("told first");
        for ours in ["told first", "told last"] {
            assert!(downloads.remember(begun(ours.to_owned())));
        }
        downloads.announce("told last");
        others(2 * MOST);
        assert!(downloads.find("told first").is_some() && downloads.find("told last").is_some());
        // Of ours alone there is an end, and those that are over make room.
        for n in 2..MOST {
            downloads.announce(&format!("ours {n}"));
            assert!(downloads.remember(begun(format!("ours {n}"))));
        }
        assert!(!downloads.remember(begun(String::from("one more"))));
        assert!(downloads.over("ours 2").is_some() && downloads.remember(begun(String::from("one more"))));
    }

    #[test]
    fn programs_may_come_only_while_the_action_that_was_allowed_to_lasts() {
        let downloads = Downloads::new(Shelf::new("nowhere".into(), 1, 1).of(&RunId::from("r1")));
        let allowing = downloads.action_begins(true);
        assert!(downloads.programs.get());
        drop(allowing);
        assert!(!downloads.programs.get());
    }
}

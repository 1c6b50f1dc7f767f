//! Downloads of pages: each comes to a place of its own beside the run's files and is moved in when it is
//! whole. A program is held back unless the action that fetched it was allowed to; what is too large is
//! stopped. Chromium tells every window of all downloads, so whose one is shows where it lies.

use super::wire::Raw;
use crate::files::{self, Folder, Kept};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::Notify;

/// Downloads at once that are remembered: of our own pages, and of whom it is not known yet.
const MOST: usize = 64;
/// How long an action waits for what it fetches.
const WAIT: Duration = Duration::from_secs(5);
/// What a window has fetched and is fetching.
#[derive(Debug)]
pub struct Downloads {
    pub folder: Folder,
    /// The newest last.
    pub(super) begun: RefCell<VecDeque<Begun>>,
    /// Numbers of those that pages of this window began and that are not over.
    own: RefCell<Vec<String>>,
    /// Those of them that the action under way began.
    coming: RefCell<Vec<String>>,
    /// Kept since the last action began.
    pub(super) kept: RefCell<Vec<Kept>>,
    /// The action under way may fetch a program.
    pub(super) programs: Cell<bool>,
    changed: Notify,
}

#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// Chromium's number of it.
    pub(super) guid: String,
    pub(super) name: String,
    pub(super) url: String,
    /// An action that was allowed to fetch programs was under way.
    pub(super) program_may: bool,
    /// It is being stopped: whoever does that tells of it.
    pub(super) refused: bool,
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

    pub(super) fn over(&self, guid: &str) -> Option<Begun> {
        self.coming.borrow_mut().retain(|coming| coming != guid);
        self.own.borrow_mut().retain(|own| own != guid);
        self.changed.notify_waiters();
        let mut begun = self.begun.borrow_mut();
        let place = begun.iter().position(|begun| begun.guid == guid)?;
        begun.remove(place)
    }

    /// A page of ours began it, which may be told before or after Chromium tells every window.
    pub(super) fn announce(&self, guid: &str) {
        for announced in [&self.own, &self.coming] {
            if announced.borrow().len() < MOST {
                announced.borrow_mut().push(guid.to_owned());
            }
        }
    }

    /// Remembers it. Others' make room for ours; false if there is none even so.
    pub(super) fn remember(&self, new: Begun) -> bool {
        let mut begun = self.begun.borrow_mut();
        if begun.len() >= MOST {
            let own = self.own.borrow();
            let Some(other) = begun.iter().position(|begun| !own.contains(&begun.guid)) else { return false };
            begun.remove(other);
        }
        begun.push_back(new);
        true
    }

    pub(super) fn find(&self, guid: &str) -> Option<Begun> {
        self.begun.borrow().iter().find(|begun| begun.guid == guid).cloned()
    }

    pub(super) fn is_refused(&self, guid: &str) -> bool {
        self.find(guid).is_some_and(|begun| begun.refused)
    }

    pub(super) fn is_own(&self, guid: &str) -> bool {
        self.own.borrow().iter().any(|own| own == guid)
    }

    pub(super) fn is_here(&self, guid: &str) -> bool {
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
    pub(super) fn is_held_back(&self) -> bool {
        !self.program_may && files::is_program_name(&self.name)
    }
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

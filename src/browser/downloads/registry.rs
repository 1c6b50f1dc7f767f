//! Downloads of pages. Each arrives in a folder beside the run's files and is moved in when complete. A
//! program is held back unless the action that fetched it was allowed to fetch one; a file that is too large
//! is stopped. Chromium reports every download to every page context, so the folder in which the file arrives
//! shows whose it is.

use crate::browser::cdp::message::RawCommand;
use crate::files::{self, RunFiles, StoredFile};
use serde_json::json;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of concurrent downloads to track: those of our own pages, and those not yet attributed.
const MOST: usize = 64;
/// Time that an action waits for its downloads.
const WAIT: Duration = Duration::from_secs(5);

/// Completed and current downloads of a page context.
#[derive(Debug)]
pub struct Downloads {
    pub folder: RunFiles,
    list: watch::Sender<DownloadList>,
}

#[derive(Debug, Default)]
struct DownloadList {
    /// Downloads that Chromium reported, newest last.
    reported: VecDeque<Download>,
    /// Ids of the unfinished downloads that pages of this context began.
    own: Vec<String>,
    /// Ids of those that the current action began.
    of_action: Vec<String>,
    /// Files kept since the last action began.
    kept: Vec<StoredFile>,
    /// True if the current action may fetch a program.
    programs: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Download {
    /// Chromium's id of the download.
    pub(crate) guid: String,
    pub(crate) name: String,
    pub(crate) url: String,
    /// True if the download began during an action that was allowed to fetch programs.
    pub(crate) program_may: bool,
    /// True if the download is being cancelled; the code that cancels it adds the note.
    pub(crate) refused: bool,
}

impl Downloads {
    pub fn new(folder: RunFiles) -> Self {
        Self { folder, list: watch::Sender::default() }
    }

    /// Returns the command that sets the download folder; `None` if the folder cannot be used.
    pub fn behavior_command(&self, context: Option<&str>) -> Option<RawCommand> {
        let path = self.folder.incoming().ok()?.to_str()?.to_owned();
        let mut params = json!({"behavior": "allowAndName", "downloadPath": path, "eventsEnabled": true});
        if let Some(context) = context {
            params["browserContextId"] = json!(context);
        }
        Some(RawCommand::new("Browser.setDownloadBehavior", params))
    }

    /// Begins an action. With `programs`, programs may be fetched until the returned guard is dropped.
    #[must_use]
    pub fn begin_action(&self, programs: bool) -> ProgramPermission<'_> {
        self.list.send_modify(|list| {
            list.kept.clear();
            // Earlier downloads still complete, but are not waited for again.
            list.of_action.clear();
            list.programs = programs;
        });
        ProgramPermission(&self.list)
    }

    /// Returns the files kept since the action began.
    pub fn kept_files(&self) -> Vec<StoredFile> {
        self.list.borrow().kept.clone()
    }

    /// Adds a file that was kept.
    pub(crate) fn keep(&self, file: StoredFile) {
        self.list.send_modify(|list| list.kept.push(file));
    }

    /// Reports whether the current action may fetch a program.
    pub(crate) fn may_fetch_programs(&self) -> bool {
        self.list.borrow().programs
    }

    /// Waits up to five seconds for the action's downloads. Returns true if one is still unfinished.
    pub async fn wait_for_downloads(&self) -> bool {
        let mut list = self.list.subscribe();
        tokio::time::timeout(WAIT, list.wait_for(|list| list.of_action.is_empty())).await.is_err()
    }

    pub(crate) fn remove(&self, guid: &str) -> Option<Download> {
        let mut removed = None;
        self.list.send_modify(|list| {
            list.of_action.retain(|of_action| of_action != guid);
            list.own.retain(|own| own != guid);
            let index = list.reported.iter().position(|reported| reported.guid == guid);
            removed = index.and_then(|index| list.reported.remove(index));
        });
        removed
    }

    /// Marks a download as being cancelled.
    pub(crate) fn refuse(&self, guid: &str) {
        self.list.send_modify(|list| {
            list.reported
                .iter_mut()
                .filter(|reported| reported.guid == guid)
                .for_each(|reported| reported.refused = true);
        });
    }

    /// Records that a page of ours began a download. The browser-wide event may come before or after this
    /// one.
    pub(crate) fn record_begin(&self, guid: &str) {
        self.list.send_modify(|DownloadList { own, of_action, .. }| {
            for announced in [own, of_action] {
                if announced.len() < MOST {
                    announced.push(guid.to_owned());
                }
            }
        });
    }

    /// Records a download. Others' downloads are evicted for it; returns false if there are none to evict.
    pub(crate) fn remember(&self, new: Download) -> bool {
        self.list.send_if_modified(|DownloadList { reported, own, .. }| {
            if reported.len() >= MOST {
                let other = reported.iter().position(|reported| !own.contains(&reported.guid));
                let Some(other) = other else { return false };
                reported.remove(other);
            }
            reported.push_back(new);
            true
        })
    }

    pub(crate) fn find(&self, guid: &str) -> Option<Download> {
        self.list.borrow().reported.iter().find(|reported| reported.guid == guid).cloned()
    }

    pub(crate) fn is_refused(&self, guid: &str) -> bool {
        self.find(guid).is_some_and(|reported| reported.refused)
    }

    pub(crate) fn is_own(&self, guid: &str) -> bool {
        self.list.borrow().own.iter().any(|own| own == guid)
    }

    pub(crate) fn has_file(&self, guid: &str) -> bool {
        let reported = self.list.borrow().of_action.iter().any(|of_action| of_action == guid);
        reported
            || ["", ".crdownload"]
                .iter()
                .any(|end| self.folder.incoming_path(&format!("{guid}{end}")).exists())
    }
}

/// Permission of the current action to fetch programs. Dropping it, at any await point, revokes the
/// permission.
#[derive(Debug)]
pub struct ProgramPermission<'a>(&'a watch::Sender<DownloadList>);

impl Drop for ProgramPermission<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|list| list.programs = false);
    }
}

impl Download {
    pub(crate) fn is_held_back(&self) -> bool {
        !self.program_may && files::has_executable_extension(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileStore;
    use crate::ids::RunId;

    fn reported(guid: String) -> Download {
        Download { guid, name: String::from("a"), url: String::new(), program_may: false, refused: false }
    }

    #[test]
    fn downloads_of_other_owners_do_not_count_for_this_one() {
        let downloads = Downloads::new(FileStore::new("nowhere".into(), 1, 1).run_files(&RunId::from("r1")));
        let others = |from: usize| {
            (from..from + 2 * MOST).for_each(|n| assert!(downloads.remember(reported(format!("other {n}")))));
        };
        others(0);
        downloads.record_begin("told first");
        for ours in ["told first", "told last"] {
            assert!(downloads.remember(reported(ours.to_owned())));
        }
        downloads.record_begin("told last");
        others(2 * MOST);
        assert!(downloads.find("told first").is_some() && downloads.find("told last").is_some());
        // Our own downloads are limited too, and finished ones make room.
        for n in 2..MOST {
            downloads.record_begin(&format!("ours {n}"));
            assert!(downloads.remember(reported(format!("ours {n}"))));
        }
        assert!(!downloads.remember(reported(String::from("one more"))));
        assert!(
            downloads.remove("ours 2").is_some() && downloads.remember(reported(String::from("one more")))
        );
    }

    #[test]
    fn programs_may_come_only_while_the_action_that_was_allowed_to_lasts() {
        let downloads = Downloads::new(FileStore::new("nowhere".into(), 1, 1).run_files(&RunId::from("r1")));
        let allowing = downloads.begin_action(true);
        assert!(downloads.may_fetch_programs());
        drop(allowing);
        assert!(!downloads.may_fetch_programs());
    }
}

//! Downloads of pages. Each arrives in a folder beside the run's files and is moved in when complete. A
//! program waits there for a person, unless the action that fetched it was allowed to fetch one; without a judge it is
//! refused. A file that is too large is stopped. Chromium reports every download to every page context, so the folder in which the file arrives
//! shows whose it is. [`Downloads`] decides, and the actor executes its effects.

pub(crate) mod naming;

use crate::browser::cdp::message::RawCommand;
use crate::files::runnable::RunnableKind;
use crate::files::{self, DownloadedFile, RunFiles, StoredFile};
use crate::text::truncate;
use serde_json::json;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of concurrent downloads to track: those of our own pages, and those not yet attributed.
const MOST: usize = 64;
/// Time that an action waits for its downloads.
const WAIT: Duration = Duration::from_secs(5);
/// Time that a download may take to begin.
const BEGIN: Duration = Duration::from_secs(3);
const TOO_MANY: &str = "too many downloads are under way";

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
    /// Files kept that no outcome has reported with their addresses.
    arrived: Vec<DownloadedFile>,
    /// Programs that have arrived and wait until they are judged, or until a person has answered.
    waiting: Vec<Download>,
    /// True if the current action may fetch a program.
    programs: bool,
}

#[derive(Clone, Debug)]
struct Download {
    /// Chromium's id of the download.
    guid: String,
    name: String,
    url: String,
    /// True if the download began during an action that was allowed to fetch programs.
    program_may: bool,
    /// True if the download is being cancelled; `handle_cancelled` gives the note.
    refused: bool,
    /// True if the file has arrived and is judged.
    is_known: bool,
}

/// Work for the actor.
#[derive(Debug, PartialEq)]
pub(crate) enum DownloadEffect {
    /// Cancels a download; `handle_cancelled` takes the result.
    Cancel { guid: String, why: String },
    /// Adds a note for the run.
    Note(String),
    /// Asks the judge about a program that has arrived.
    Judge { guid: String, program: ArrivedProgram },
}

/// A program that has arrived, for the question about it.
#[derive(Debug, PartialEq)]
pub(crate) struct ArrivedProgram {
    pub name: String,
    pub url: String,
    pub size: u64,
    pub kind: RunnableKind,
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

    /// Stores text that was read from a page as a file of the run. Its address tells where the text comes from.
    pub fn keep_text(&self, name: &str, text: &str, url: &str) -> Result<StoredFile, files::FilesError> {
        let kept = self.folder.write_text(name, text)?;
        let arrived = DownloadedFile { name: kept.name.clone(), url: url.to_owned() };
        self.list.send_modify(|list| {
            list.kept.push(kept.clone());
            list.arrived.push(arrived);
        });
        Ok(kept)
    }

    /// Returns the files kept since the action began.
    pub fn kept_files(&self) -> Vec<StoredFile> {
        self.list.borrow().kept.clone()
    }

    /// Takes the files kept that no outcome has reported yet, also those that came after their action.
    pub fn take_arrived(&self) -> Vec<DownloadedFile> {
        let mut arrived = Vec::new();
        self.list.send_modify(|list| arrived = std::mem::take(&mut list.arrived));
        arrived
    }

    /// Handles the beginning of a download in any page context. `name` is safe for a file. With `is_judged`, a
    /// program may arrive, because somebody is asked about it then.
    pub(crate) fn handle_begin(
        &self,
        guid: &str,
        name: String,
        url: String,
        is_judged: bool,
    ) -> Option<DownloadEffect> {
        let program_may = self.may_fetch_programs();
        let begun =
            Download { guid: guid.to_owned(), name, url, program_may, refused: false, is_known: false };
        let held_back = (begun.is_held_back() && !is_judged).then(|| begun.program_refusal());
        let has_room = self.remember(begun);
        let why = held_back.or_else(|| (!has_room).then(|| String::from(TOO_MANY)))?;
        Some(self.cancel(guid, why))
    }

    /// Handles a state of a download, as in CDP.
    pub(crate) fn handle_progress(
        &self,
        guid: &str,
        state: &str,
        bytes: f64,
        is_judged: bool,
    ) -> Option<DownloadEffect> {
        let begun = self.find(guid)?;
        let most = self.folder.max;
        match state {
            // Sizes are far below the largest integer that a float represents exactly.
            "inProgress" if bytes > most as f64 => {
                Some(self.cancel(guid, format!("it is larger than {}", files::format_size(most))))
            }
            "completed" if self.has_file(guid) && begun.is_known => None,
            "completed" if self.has_file(guid) => Some(self.handle_arrival(&begun, is_judged)),
            "canceled" if begun.refused => None,
            "canceled" | "completed" => {
                let broke_off = state == "canceled" && self.is_own(guid);
                self.remove(guid);
                broke_off.then(|| {
                    DownloadEffect::Note(format!(
                        "download of \"{}\" broke off before it was whole",
                        begun.name
                    ))
                })
            }
            _ => None,
        }
    }

    /// Handles the reply to a cancellation.
    pub(crate) fn handle_cancelled(
        &self,
        guid: &str,
        is_cancelled: bool,
        why: &str,
    ) -> Option<DownloadEffect> {
        // A download that completed before it could be cancelled is handled on its completion event.
        if !is_cancelled && self.has_file(guid) {
            return None;
        }
        let begun = self.remove(guid).filter(|_| is_cancelled)?;
        Some(DownloadEffect::Note(begun.refusal_note(why)))
    }

    fn cancel(&self, guid: &str, why: String) -> DownloadEffect {
        self.refuse(guid);
        DownloadEffect::Cancel { guid: guid.to_owned(), why }
    }

    /// Handles a complete file: it is kept, unless it is a program that was not allowed.
    fn handle_arrival(&self, begun: &Download, is_judged: bool) -> DownloadEffect {
        let path = self.folder.incoming_path(&begun.guid);
        if !begun.is_held_back() && (begun.program_may || !files::has_runnable_bytes(&path)) {
            self.remove(&begun.guid);
            return DownloadEffect::Note(self.keep_file(begun));
        }
        if !is_judged {
            self.remove(&begun.guid);
            let _ = std::fs::remove_file(&path);
            return DownloadEffect::Note(begun.refusal_note(&begun.program_refusal()));
        }
        self.list.send_modify(|list| {
            let known = list.reported.iter_mut().filter(|known| known.guid == begun.guid);
            known.for_each(|known| known.is_known = true);
            list.waiting.push(begun.clone());
        });
        let program = ArrivedProgram {
            name: begun.name.clone(),
            url: begun.url.clone(),
            size: std::fs::metadata(&path).map(|facts| facts.len()).unwrap_or_default(),
            kind: files::find_runnable_kind(&begun.name, &path),
        };
        DownloadEffect::Judge { guid: begun.guid.clone(), program }
    }

    /// Records that a program waits for a person. The action that fetched it waits no longer.
    pub(crate) fn leave_waiting(&self, guid: &str) {
        self.remove(guid);
    }

    /// Keeps a program that was waiting. Returns the note for the run; `None` if it is gone.
    pub(crate) fn accept_waiting(&self, guid: &str) -> Option<String> {
        let begun = self.take_waiting(guid)?;
        Some(self.keep_file(&begun))
    }

    /// Deletes a program that was waiting. Returns the note for the run; `None` if it is gone.
    pub(crate) fn discard_waiting(&self, guid: &str) -> Option<String> {
        let begun = self.take_waiting(guid)?;
        let _ = std::fs::remove_file(self.folder.incoming_path(guid));
        Some(begun.refusal_note("it is a program, and was not allowed"))
    }

    fn take_waiting(&self, guid: &str) -> Option<Download> {
        self.remove(guid);
        let mut taken = None;
        self.list.send_modify(|list| {
            let at = list.waiting.iter().position(|waiting| waiting.guid == guid);
            taken = at.map(|at| list.waiting.remove(at));
        });
        taken
    }

    /// Moves the complete file to those of the run. Returns the note for the run.
    fn keep_file(&self, begun: &Download) -> String {
        let path = self.folder.incoming_path(&begun.guid);
        match self.folder.move_in(&path, &begun.name) {
            Ok(kept) => {
                let note = format!("downloaded {}; it is among the files of this run", kept.display());
                let arrived = DownloadedFile { name: kept.name.clone(), url: begun.url.clone() };
                self.list.send_modify(|list| {
                    list.kept.push(kept);
                    list.arrived.push(arrived);
                });
                note
            }
            Err(fault) => begun.refusal_note(&fault.to_string()),
        }
    }

    /// Reports whether the current action may fetch a program.
    fn may_fetch_programs(&self) -> bool {
        self.list.borrow().programs
    }

    /// Waits up to three seconds until the action has begun a download, or kept its file. Returns false if it has not.
    pub async fn wait_for_begin(&self) -> bool {
        let mut list = self.list.subscribe();
        let begun = list.wait_for(|list| !list.of_action.is_empty() || !list.kept.is_empty());
        tokio::time::timeout(BEGIN, begun).await.is_ok()
    }

    /// Waits up to five seconds for the action's downloads. Returns true if one is still unfinished.
    pub async fn wait_for_downloads(&self) -> bool {
        let mut list = self.list.subscribe();
        tokio::time::timeout(WAIT, list.wait_for(|list| list.of_action.is_empty())).await.is_err()
    }

    fn remove(&self, guid: &str) -> Option<Download> {
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
    fn refuse(&self, guid: &str) {
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
    fn remember(&self, new: Download) -> bool {
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

    fn find(&self, guid: &str) -> Option<Download> {
        self.list.borrow().reported.iter().find(|reported| reported.guid == guid).cloned()
    }

    fn is_own(&self, guid: &str) -> bool {
        self.list.borrow().own.iter().any(|own| own == guid)
    }

    fn has_file(&self, guid: &str) -> bool {
        let reported = self.list.borrow().of_action.iter().any(|of_action| of_action == guid);
        reported
            || ["", ".crdownload"]
                .iter()
                .any(|end| self.folder.incoming_path(&format!("{guid}{end}")).exists())
    }
}

/// Deletes the files that wait for a person: they go with their page context.
impl Drop for Downloads {
    fn drop(&mut self) {
        for waiting in &self.list.borrow().waiting {
            let _ = std::fs::remove_file(self.folder.incoming_path(&waiting.guid));
        }
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
    fn is_held_back(&self) -> bool {
        !self.program_may && files::runnable::has_runnable_ending(&self.name)
    }

    fn program_refusal(&self) -> String {
        let url = truncate::truncate(&self.url, 200);
        format!("it is a program; the person is asked first if you navigate to {url}")
    }

    fn refusal_note(&self, why: &str) -> String {
        format!("download of \"{}\" refused: {why}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileStore;
    use crate::ids::RunId;

    fn reported(guid: String) -> Download {
        let (name, url) = (String::from("a"), String::new());
        Download { guid, name, url, program_may: false, refused: false, is_known: false }
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
    fn downloads_are_cancelled_noted_or_forgotten() {
        let downloads = Downloads::new(FileStore::new("nowhere".into(), 1, 1).run_files(&RunId::from("r1")));
        let begin = |guid: &str, name: &str| {
            downloads.handle_begin(guid, name.to_owned(), String::from("https://a.b/c"), false)
        };
        let note = |text: &str| Some(DownloadEffect::Note(text.to_owned()));
        let too_large = downloads.folder.max as f64 + 1.0;
        // Files of other page contexts.
        assert_eq!(begin("other", "a.txt"), None);
        assert_eq!(downloads.handle_progress("other", "inProgress", too_large - 1.0, false), None);
        assert_eq!(downloads.handle_progress("other", "completed", 1.0, false), None);
        assert!(downloads.find("other").is_none());
        assert_eq!(downloads.handle_progress("other", "canceled", 1.0, false), None, "it is unknown");
        // A program that was not allowed.
        let why = "it is a program; the person is asked first if you navigate to https://a.b/c";
        let cancel = |guid: &str, why: &str| DownloadEffect::Cancel { guid: guid.into(), why: why.into() };
        assert_eq!(begin("program", "setup.exe"), Some(cancel("program", why)));
        assert_eq!(downloads.handle_progress("program", "canceled", 1.0, false), None);
        let refused = note("download of \"setup.exe\" refused: it is a program");
        assert_eq!(downloads.handle_cancelled("program", true, "it is a program"), refused);
        assert_eq!(downloads.handle_cancelled("program", true, "it is a program"), None);
        // A file of ours that is too large, one that broke off, and one that completed meanwhile.
        for guid in ["large", "broken", "complete"] {
            downloads.record_begin(guid);
            assert_eq!(begin(guid, "b.txt"), None);
        }
        let large = downloads.handle_progress("large", "inProgress", too_large, false);
        assert!(matches!(large, Some(DownloadEffect::Cancel { .. })), "{large:?}");
        let broken = note("download of \"b.txt\" broke off before it was whole");
        assert_eq!(downloads.handle_progress("broken", "canceled", 1.0, false), broken);
        assert_eq!(downloads.handle_cancelled("complete", false, ""), None);
        assert!(downloads.find("complete").is_some() && downloads.find("broken").is_none());
    }

    #[test]
    fn a_program_waits_until_it_is_allowed_or_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let files = FileStore::new(folder.path().into(), 1, 1).run_files(&RunId::from("r1"));
        let arrive = |downloads: &Downloads, guid: &str| {
            downloads.record_begin(guid);
            let begun =
                downloads.handle_begin(guid, String::from("a.txt"), String::from("https://a.b/c"), true);
            assert_eq!(begun, None);
            let path = downloads.folder.incoming().unwrap().join(guid);
            std::fs::write(&path, "#!/bin/sh").unwrap();
            let effect = downloads.handle_progress(guid, "completed", 9.0, true);
            let Some(DownloadEffect::Judge { program, .. }) = effect else { panic!("{effect:?}") };
            assert_eq!((program.size, program.kind), (9, RunnableKind::Script));
            assert_eq!(downloads.handle_progress(guid, "completed", 9.0, true), None, "it is judged once");
            downloads.leave_waiting(guid);
            assert!(path.exists());
            path
        };
        let downloads = Downloads::new(files.clone());
        arrive(&downloads, "one");
        assert!(downloads.accept_waiting("one").unwrap().starts_with("downloaded a.txt"));
        assert_eq!(downloads.accept_waiting("one"), None, "nothing is kept twice");
        assert_eq!((downloads.kept_files().len(), downloads.take_arrived().len()), (1, 1));
        let refused = arrive(&downloads, "two");
        assert!(downloads.discard_waiting("two").unwrap().contains("refused"));
        assert!(!refused.exists());
        let left = arrive(&downloads, "three");
        drop(downloads);
        assert!(!left.exists(), "it is deleted with its page context");
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

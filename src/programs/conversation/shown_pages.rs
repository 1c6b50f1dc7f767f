//! Last full observation shown to the planner of each run; later looks are sent as changes to it. Kept in memory for the
//! runs that were active last, so that a run that waited for a person need not send its page in full again, and until
//! the run ends or is deleted.

use crate::ids::RunId;
use crate::page::delta;
use crate::page::observation::{Line, Observation};
use crate::secrets::vault::Vault;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of runs whose observations are kept.
const MOST: usize = 32;

/// A full observation that the planner was shown.
#[derive(Clone)]
pub struct ShownObservation {
    pub observation: Arc<Observation>,
    /// The length of the history before it.
    pub position: usize,
    /// The number of observations since then, this one included.
    observations: u64,
    /// The full observation before it of the same document, as of the page under a dialog.
    before: Option<Box<ShownObservation>>,
}

/// The last full observation of each run; the run that was active last comes last.
#[derive(Default)]
pub struct ShownPages(Mutex<VecDeque<(PageViewer, ShownObservation)>>);

/// The run whose planner is shown a page, and the root of its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct PageViewer {
    pub root: RunId,
    pub run: RunId,
}

/// The length of a run's history, in which full observations have positions.
#[derive(Clone, Copy)]
pub struct HistoryLength {
    pub entries: usize,
    /// The number of entries by which summaries have shortened it. An observation in those entries is not shown any
    /// more.
    pub summarized: usize,
}

impl ShownPages {
    /// Prepares an observation for the run's planner. Returns the last full observation and the changes since, or
    /// `None` if this one is to be shown in full, which is the case at least once in `full_every` observations. The
    /// secrets that `vault` holds by now are masked in the last one too: the run may have learnt some since.
    pub fn delta_for_planner(
        &self,
        viewer: &PageViewer,
        observation: &Arc<Observation>,
        history: HistoryLength,
        full_every: u64,
        vault: &Vault,
    ) -> Option<(ShownObservation, String)> {
        let last = self.take(viewer).map(|shown| redact_shown(shown, vault));
        let bases = [last.as_ref(), last.as_ref().and_then(|last| last.before.as_deref())];
        let delta = bases
            .into_iter()
            .flatten()
            .filter(|shown| shown.observations < full_every)
            .filter_map(|shown| changes_since(shown.clone(), observation, history))
            .min_by_key(|(_, changes)| changes.len());
        let kept = match &delta {
            Some((shown, _)) => {
                ShownObservation { position: shown.position + history.summarized, ..shown.clone() }
            }
            None => ShownObservation {
                observation: Arc::clone(observation),
                position: history.entries + history.summarized,
                observations: 1,
                before: last
                    .filter(|last| last.observation.document == observation.document)
                    .map(|last| Box::new(ShownObservation { before: None, ..last })),
            },
        };
        self.put(viewer, kept);
        delta
    }

    /// Returns the lines of these elements as the run's planner was last shown them in full, if this is still their
    /// document: a dialog hides the page under it from later observations.
    pub fn find_lines(&self, viewer: &PageViewer, document: &str, eids: &[u32]) -> Vec<Line> {
        let pages = self.lock_pages();
        let shown = pages.iter().find(|(owner, _)| owner == viewer).map(|(_, shown)| shown);
        let bases = [shown, shown.and_then(|shown| shown.before.as_deref())];
        let of_document = |shown: &&ShownObservation| shown.observation.document == document;
        let bases: Vec<_> = bases.into_iter().flatten().filter(of_document).collect();
        let find = |eid: &u32| bases.iter().find_map(|shown| shown.observation.line(*eid)).cloned();
        eids.iter().filter_map(find).collect()
    }

    /// Forgets the page of a run that has ended.
    pub fn forget_run(&self, run: &RunId) {
        self.lock_pages().retain(|(viewer, _)| viewer.run != *run);
    }

    /// Forgets the pages of a run tree that has ended or is deleted.
    pub fn forget_tree(&self, root: &RunId) {
        self.lock_pages().retain(|(viewer, _)| viewer.root != *root);
    }

    fn take(&self, viewer: &PageViewer) -> Option<ShownObservation> {
        let mut pages = self.lock_pages();
        let at = pages.iter().position(|(owner, _)| owner == viewer)?;
        pages.remove(at).map(|(_, shown)| shown)
    }

    fn put(&self, viewer: &PageViewer, shown: ShownObservation) {
        let mut pages = self.lock_pages();
        pages.push_back((viewer.clone(), shown));
        if pages.len() > MOST {
            pages.pop_front();
        }
    }

    fn lock_pages(&self) -> MutexGuard<'_, VecDeque<(PageViewer, ShownObservation)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn redact_shown(shown: ShownObservation, vault: &Vault) -> ShownObservation {
    let before = shown.before.map(|before| Box::new(redact_shown(*before, vault)));
    match vault.redact_observation(&shown.observation) {
        Some(redacted) => ShownObservation { observation: Arc::new(redacted), before, ..shown },
        None => ShownObservation { before, ..shown },
    }
}

fn changes_since(
    shown: ShownObservation,
    observation: &Observation,
    HistoryLength { summarized, .. }: HistoryLength,
) -> Option<(ShownObservation, String)> {
    let position =
        shown.position.checked_sub(summarized).filter(|position| *position > 0 || summarized == 0)?;
    let changes = delta::changes(&shown.observation, observation)?;
    Some((ShownObservation { position, observations: shown.observations + 1, ..shown }, changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u64, title: &str) -> Arc<Observation> {
        let line = |name: &str| Line { role: "text".into(), name: name.into(), ..Line::default() };
        let stays = (0..20).map(|at| line(&format!("words that stay as they are, line {at}")));
        let lines = stays.chain([line(title)]).collect();
        Arc::new(Observation { number, lines, tab: (1, 1), ..Observation::default() })
    }

    fn history(entries: usize, summarized: usize) -> HistoryLength {
        HistoryLength { entries, summarized }
    }

    fn viewer() -> PageViewer {
        let run = RunId::fresh();
        PageViewer { root: run.clone(), run }
    }

    /// Shows a page to the planner of a run that knows no secrets.
    fn show(
        pages: &ShownPages,
        viewer: &PageViewer,
        page: &Arc<Observation>,
        history: HistoryLength,
        full_every: u64,
    ) -> Option<(ShownObservation, String)> {
        pages.delta_for_planner(viewer, page, history, full_every, &Vault::default())
    }

    #[test]
    fn changes_build_on_the_last_full_observation_of_the_same_run() {
        let (pages, run) = (ShownPages::default(), viewer());
        assert!(show(&pages, &run, &page(1, "one"), history(4, 0), 8).is_none());
        let (shown, changes) = show(&pages, &run, &page(2, "two"), history(6, 0), 8).unwrap();
        assert_eq!((shown.position, shown.observation.number), (4, 1));
        assert!(changes.contains("two"), "{changes}");
        assert!(show(&pages, &viewer(), &page(1, "one"), history(0, 0), 8).is_none());
    }

    #[test]
    fn a_full_observation_is_shown_again_in_time_and_after_a_summary() {
        let (pages, run) = (ShownPages::default(), viewer());
        assert!(show(&pages, &run, &page(1, "one"), history(4, 0), 2).is_none());
        assert!(show(&pages, &run, &page(2, "two"), history(5, 0), 2).is_some());
        assert!(show(&pages, &run, &page(3, "three"), history(6, 0), 2).is_none(), "it is time");
        assert!(show(&pages, &run, &page(4, "four"), history(1, 7), 2).is_none(), "it was summarized");
    }

    #[test]
    fn the_page_under_a_closed_dialog_is_shown_as_changes_and_its_elements_are_known_meanwhile() {
        let (pages, run) = (ShownPages::default(), viewer());
        let button = Line { role: "button".into(), eid: Some(7), ..Line::default() };
        let with_button = |number: u64, title: &str| {
            let page = page(number, title);
            let lines = page.lines.iter().cloned().chain([button.clone()]).collect();
            Arc::new(Observation { lines, ..(*page).clone() })
        };
        let dialog = |number: u64| {
            let lines = vec![Line { role: "dialog".into(), ..Line::default() }];
            Arc::new(Observation { number, lines, tab: (1, 1), ..Observation::default() })
        };
        assert!(show(&pages, &run, &with_button(1, "one"), history(4, 0), 8).is_none());
        assert!(show(&pages, &run, &dialog(2), history(5, 0), 8).is_none());
        assert_eq!(pages.find_lines(&run, "", &[7, 8]), std::slice::from_ref(&button));
        assert!(pages.find_lines(&run, "another", &[7]).is_empty());
        let (shown, changes) = show(&pages, &run, &with_button(3, "two"), history(6, 0), 8).unwrap();
        assert_eq!((shown.position, shown.observation.number), (4, 1));
        assert!(changes.contains("two") && !changes.contains("line 3"), "{changes}");
    }

    #[test]
    fn the_runs_that_were_active_last_are_kept() {
        let pages = ShownPages::default();
        let runs: Vec<PageViewer> = (0..=MOST).map(|_| viewer()).collect();
        for run in &runs {
            assert!(show(&pages, run, &page(1, "one"), history(0, 0), 8).is_none());
        }
        assert!(show(&pages, &runs[1], &page(2, "two"), history(1, 0), 8).is_some());
        assert!(show(&pages, &runs[0], &page(2, "two"), history(1, 0), 8).is_none());
    }

    #[test]
    fn pages_are_forgotten_with_their_run_or_their_tree() {
        let (pages, root, other) = (ShownPages::default(), viewer(), viewer());
        let child = || PageViewer { root: root.root.clone(), run: RunId::fresh() };
        let (first, second) = (child(), child());
        let all = [&root, &first, &second, &other];
        let kept = |pages: &ShownPages| {
            let owners: Vec<PageViewer> = pages.lock_pages().iter().map(|(owner, _)| owner.clone()).collect();
            all.map(|run| owners.contains(run))
        };
        for run in all {
            assert!(show(&pages, run, &page(1, "one"), history(0, 0), 8).is_none());
        }
        pages.forget_run(&first.run);
        assert_eq!(kept(&pages), [true, false, true, true]);
        pages.forget_tree(&root.root);
        assert_eq!(kept(&pages), [false, false, false, true]);
    }

    // While a run waits, a person may type a secret that the page showed before.
    #[test]
    fn a_secret_that_is_learnt_later_is_masked_in_the_kept_page() {
        let (pages, run, vault) = (ShownPages::default(), viewer(), Vault::default());
        assert!(pages.delta_for_planner(&run, &page(1, "code hunter2"), history(4, 0), 8, &vault).is_none());
        let placeholder = vault.store("hunter2");
        let now = vault.redact_observation(&page(2, "code hunter2")).expect("a masked page");
        let (shown, changes) =
            pages.delta_for_planner(&run, &Arc::new(now), history(6, 0), 8, &vault).unwrap();
        let names: Vec<&str> = shown.observation.lines.iter().map(|line| line.name.as_str()).collect();
        assert!(names.contains(&format!("code {placeholder}").as_str()), "{names:?}");
        assert!(!changes.contains("hunter2") && !changes.contains("code"), "nothing has changed: {changes}");
        let kept = pages.take(&run).expect("a kept page");
        assert!(kept.observation.lines.iter().all(|line| !line.name.contains("hunter2")));
    }
}

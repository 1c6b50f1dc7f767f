//! The full observations that planners were last shown, on which looks of changes build. They outlive the working sets
//! of runs that wait for a person, in memory only and for the runs that were active last.

use crate::browser::messages::ObservedPage;
use crate::ids::RunId;
use crate::page::delta;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of runs whose observations are kept.
const MOST: usize = 32;

/// A full observation that the planner was shown.
#[derive(Clone)]
pub struct ShownObservation {
    pub observed: Arc<ObservedPage>,
    /// The length of the history before it.
    pub position: usize,
    /// The number of observations since then, this one included.
    observations: u64,
}

/// The last full observation of each run; the run that was active last comes last.
#[derive(Default)]
pub struct ShownPages(Mutex<VecDeque<(RunId, ShownObservation)>>);

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
    /// `None` if this one is to be shown in full, which is the case at least once in `full_every` observations.
    pub fn delta_for_planner(
        &self,
        run: &RunId,
        observed: Arc<ObservedPage>,
        history: HistoryLength,
        full_every: u64,
    ) -> Option<(ShownObservation, String)> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = pages.iter().position(|(owner, _)| owner == run).and_then(|at| pages.remove(at));
        let last = last.map(|(_, shown)| shown).filter(|shown| shown.observations < full_every);
        let delta = last.and_then(|shown| changes_since(shown, &observed, history));
        let kept = match &delta {
            Some((shown, _)) => {
                ShownObservation { position: shown.position + history.summarized, ..shown.clone() }
            }
            None => {
                let position = history.entries + history.summarized;
                ShownObservation { observed, position, observations: 1 }
            }
        };
        pages.push_back((run.clone(), kept));
        if pages.len() > MOST {
            pages.pop_front();
        }
        delta
    }
}

fn changes_since(
    shown: ShownObservation,
    observed: &ObservedPage,
    HistoryLength { summarized, .. }: HistoryLength,
) -> Option<(ShownObservation, String)> {
    let position =
        shown.position.checked_sub(summarized).filter(|position| *position > 0 || summarized == 0)?;
    let changes = delta::changes(&shown.observed.observation, &observed.observation)?;
    Some((ShownObservation { position, observations: shown.observations + 1, ..shown }, changes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::pending_picture::PendingPicture;
    use crate::page::observation::{Line, Observation};

    fn page(number: u64, title: &str) -> Arc<ObservedPage> {
        let line = |name: &str| Line { role: "text".into(), name: name.into(), ..Line::default() };
        let lines = vec![line("some words that stay as they are on this page"), line(title)];
        let observation = Observation { number, lines, tab: (1, 1), ..Observation::default() };
        Arc::new(ObservedPage { observation: Arc::new(observation), picture: PendingPicture::none() })
    }

    fn history(entries: usize, summarized: usize) -> HistoryLength {
        HistoryLength { entries, summarized }
    }

    #[test]
    fn changes_build_on_the_last_full_observation_of_the_same_run() {
        let (pages, run) = (ShownPages::default(), RunId::fresh());
        assert!(pages.delta_for_planner(&run, page(1, "one"), history(4, 0), 8).is_none());
        let (shown, changes) = pages.delta_for_planner(&run, page(2, "two"), history(6, 0), 8).unwrap();
        assert_eq!((shown.position, shown.observed.observation.number), (4, 1));
        assert!(changes.contains("two"), "{changes}");
        assert!(pages.delta_for_planner(&RunId::fresh(), page(1, "one"), history(0, 0), 8).is_none());
    }

    #[test]
    fn a_full_observation_is_shown_again_in_time_and_after_a_summary() {
        let (pages, run) = (ShownPages::default(), RunId::fresh());
        assert!(pages.delta_for_planner(&run, page(1, "one"), history(4, 0), 2).is_none());
        assert!(pages.delta_for_planner(&run, page(2, "two"), history(5, 0), 2).is_some());
        assert!(pages.delta_for_planner(&run, page(3, "three"), history(6, 0), 2).is_none(), "it is time");
        assert!(
            pages.delta_for_planner(&run, page(4, "four"), history(1, 7), 2).is_none(),
            "it was summarized"
        );
    }

    #[test]
    fn the_runs_that_were_active_last_are_kept() {
        let pages = ShownPages::default();
        let runs: Vec<RunId> = (0..=MOST).map(|_| RunId::fresh()).collect();
        for run in &runs {
            assert!(pages.delta_for_planner(run, page(1, "one"), history(0, 0), 8).is_none());
        }
        assert!(pages.delta_for_planner(&runs[1], page(2, "two"), history(1, 0), 8).is_some());
        assert!(pages.delta_for_planner(&runs[0], page(2, "two"), history(1, 0), 8).is_none());
    }
}

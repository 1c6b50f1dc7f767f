//! Last full observation shown to the planner of each run; later looks are sent as changes to it. Kept in memory for the
//! runs that were active last, so that a run that waited for a person need not send its page in full again.

use crate::ids::RunId;
use crate::page::delta;
use crate::page::observation::Observation;
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
        observation: &Arc<Observation>,
        history: HistoryLength,
        full_every: u64,
    ) -> Option<(ShownObservation, String)> {
        let last = self.take(run).filter(|shown| shown.observations < full_every);
        let delta = last.and_then(|shown| changes_since(shown, observation, history));
        let kept = match &delta {
            Some((shown, _)) => {
                ShownObservation { position: shown.position + history.summarized, ..shown.clone() }
            }
            None => ShownObservation {
                observation: Arc::clone(observation),
                position: history.entries + history.summarized,
                observations: 1,
            },
        };
        self.put(run, kept);
        delta
    }

    fn take(&self, run: &RunId) -> Option<ShownObservation> {
        let mut pages = self.lock_pages();
        let at = pages.iter().position(|(owner, _)| owner == run)?;
        pages.remove(at).map(|(_, shown)| shown)
    }

    fn put(&self, run: &RunId, shown: ShownObservation) {
        let mut pages = self.lock_pages();
        pages.push_back((run.clone(), shown));
        if pages.len() > MOST {
            pages.pop_front();
        }
    }

    fn lock_pages(&self) -> MutexGuard<'_, VecDeque<(RunId, ShownObservation)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    use crate::page::observation::Line;

    fn page(number: u64, title: &str) -> Arc<Observation> {
        let line = |name: &str| Line { role: "text".into(), name: name.into(), ..Line::default() };
        let stays = (0..20).map(|at| line(&format!("words that stay as they are, line {at}")));
        let lines = stays.chain([line(title)]).collect();
        Arc::new(Observation { number, lines, tab: (1, 1), ..Observation::default() })
    }

    fn history(entries: usize, summarized: usize) -> HistoryLength {
        HistoryLength { entries, summarized }
    }

    #[test]
    fn changes_build_on_the_last_full_observation_of_the_same_run() {
        let (pages, run) = (ShownPages::default(), RunId::fresh());
        assert!(pages.delta_for_planner(&run, &page(1, "one"), history(4, 0), 8).is_none());
        let (shown, changes) = pages.delta_for_planner(&run, &page(2, "two"), history(6, 0), 8).unwrap();
        assert_eq!((shown.position, shown.observation.number), (4, 1));
        assert!(changes.contains("two"), "{changes}");
        assert!(pages.delta_for_planner(&RunId::fresh(), &page(1, "one"), history(0, 0), 8).is_none());
    }

    #[test]
    fn a_full_observation_is_shown_again_in_time_and_after_a_summary() {
        let (pages, run) = (ShownPages::default(), RunId::fresh());
        assert!(pages.delta_for_planner(&run, &page(1, "one"), history(4, 0), 2).is_none());
        assert!(pages.delta_for_planner(&run, &page(2, "two"), history(5, 0), 2).is_some());
        assert!(pages.delta_for_planner(&run, &page(3, "three"), history(6, 0), 2).is_none(), "it is time");
        assert!(
            pages.delta_for_planner(&run, &page(4, "four"), history(1, 7), 2).is_none(),
            "it was summarized"
        );
    }

    #[test]
    fn the_runs_that_were_active_last_are_kept() {
        let pages = ShownPages::default();
        let runs: Vec<RunId> = (0..=MOST).map(|_| RunId::fresh()).collect();
        for run in &runs {
            assert!(pages.delta_for_planner(run, &page(1, "one"), history(0, 0), 8).is_none());
        }
        assert!(pages.delta_for_planner(&runs[1], &page(2, "two"), history(1, 0), 8).is_some());
        assert!(pages.delta_for_planner(&runs[0], &page(2, "two"), history(1, 0), 8).is_none());
    }
}

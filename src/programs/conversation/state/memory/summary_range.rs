//! Compaction of a long conversation (S2.32, C15): selects the oldest entries to be replaced by a summary. An
//! action and its results are one entry, so no cut separates them, and the person's last message stays
//! verbatim. Pure.

use crate::ids::RunId;
use crate::planning::{HistoryEntry, Speaker};
use crate::text::truncate::truncate_unmarked;
use serde::{Deserialize, Serialize};

/// Longest summary, in characters.
const MAX_SUMMARY_CHARS: usize = 8_000;
/// The number of new entries before a failed summary is tried again.
const RETRY_ENTRIES: usize = 5;

/// The oldest entries to be summarized.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRange {
    pub end: usize,
    /// Index of the person's last message, if it is among them. It stays.
    pub kept: Option<usize>,
}

/// A summary that is being written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacting {
    pub run: RunId,
    pub cut: SummaryRange,
}

/// Returns the entries to summarize if there are more than the window holds: four fifths of the window, and
/// as many as were added since it was full.
pub fn summary_due(entries: &[HistoryEntry], window: usize) -> Option<SummaryRange> {
    if entries.len() <= window {
        return None;
    }
    // The number of newest entries that stay does not depend on when the summary starts.
    let newest = window - window.saturating_mul(4) / 5;
    let end = entries.len().saturating_sub(1 + newest);
    let spoken = |entry: &HistoryEntry| matches!(entry, HistoryEntry::Message { by: Speaker::Person, .. });
    let kept = entries.iter().rposition(spoken).filter(|at| *at < end);
    let cut = SummaryRange { end, kept };
    // A summary of a single entry would save nothing.
    (cut.entries(entries).count() > 1).then_some(cut)
}

impl SummaryRange {
    /// Returns the entries to be replaced.
    pub fn entries<'e>(&self, entries: &'e [HistoryEntry]) -> impl Iterator<Item = &'e HistoryEntry> {
        let kept = self.kept;
        let oldest = entries.iter().take(self.end).enumerate();
        oldest.filter(move |(at, _)| Some(*at) != kept).map(|(_, entry)| entry)
    }

    /// Returns the number of entries that the summary stands for, including those of an older summary.
    pub fn count(&self, entries: &[HistoryEntry]) -> u64 {
        self.entries(entries)
            .map(|entry| if let HistoryEntry::Summary { entries, .. } = entry { *entries } else { 1 })
            .sum()
    }

    /// Returns the history with the summary in place of the entries.
    pub fn replace(&self, entries: Vec<HistoryEntry>, text: &str) -> Vec<HistoryEntry> {
        let summary = HistoryEntry::Summary {
            text: truncate_unmarked(text.trim(), MAX_SUMMARY_CHARS),
            entries: self.count(&entries),
        };
        let stays = |at: usize| at >= self.end || Some(at) == self.kept;
        let rest = entries.into_iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, entry)| entry);
        std::iter::once(summary).chain(rest).collect()
    }

    /// Returns the number of entries by which the history becomes shorter.
    pub fn removed_entries(&self) -> usize {
        self.end.saturating_sub(1 + usize::from(self.kept.is_some()))
    }
}

/// Returns the length of the history at which a failed summary is tried again.
pub fn retry_length(entries: &[HistoryEntry]) -> usize {
    entries.len() + RETRY_ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::{ActionResult, ActionStatus};
    use crate::turn::Turn;
    use proptest::prelude::*;

    fn person(n: usize) -> HistoryEntry {
        HistoryEntry::Message { by: Speaker::Person, text: format!("said {n}") }
    }

    fn acted(n: usize) -> HistoryEntry {
        let result = ActionResult {
            action_id: format!("a{n}"),
            action: String::from("extract"),
            outcome: ActionStatus::Ok,
            returned: Some(format!("result {n}")),
            answer: None,
            effect_summary: None,
        };
        HistoryEntry::Acted { turn: Turn::default(), results: vec![result] }
    }

    // With a window of 50 entries, the first 40 become a summary (S2.32).
    #[test]
    fn the_oldest_forty_of_more_than_fifty_entries_are_summarized() {
        let mut entries: Vec<HistoryEntry> = (0..50).map(acted).collect();
        assert_eq!(summary_due(&entries, 50), None);
        entries.push(person(50));
        let cut = summary_due(&entries, 50).unwrap();
        assert_eq!(cut, SummaryRange { end: 40, kept: None });
        let put = cut.replace(entries.clone(), " two paragraphs ");
        let summary = HistoryEntry::Summary { text: String::from("two paragraphs"), entries: 40 };
        assert_eq!((put.len(), &put[0], &put[1..]), (12, &summary, &entries[40..]));
        assert_eq!(entries.len() - put.len(), cut.removed_entries());
    }

    // A summary never replaces the person's last message (C15).
    #[test]
    fn the_last_message_of_the_person_is_never_summarized() {
        let mut entries = vec![person(0)];
        entries.extend((1..60).map(acted));
        let cut = summary_due(&entries, 50).unwrap();
        let put = cut.replace(entries.clone(), "summary");
        assert_eq!((&put[1], &put[2]), (&entries[0], &entries[49]));
        assert_eq!((cut.end, cut.count(&entries)), (49, 48));
        // A summary counts for all entries that it stands for.
        let mut longer = put;
        longer.extend((60..99).map(acted));
        let again = summary_due(&longer, 50).unwrap();
        assert_eq!((again.end, again.count(&longer)), (41, 48 + 39));
        assert!(matches!(
            again.replace(longer, "all")[..2],
            [HistoryEntry::Summary { entries: 87, .. }, HistoryEntry::Message { .. }]
        ));
    }

    proptest! {
        // Each result stays in the history or was among the entries of a summary, in any sequence of
        // messages, actions and summaries; the newest entries are unchanged (C15).
        #[test]
        fn a_summary_separates_no_action_from_its_result(
            spoken in proptest::collection::vec(any::<bool>(), 1..300),
            late in 0usize..20,
            window in 1usize..60,
        ) {
            let (mut entries, mut summed): (Vec<HistoryEntry>, Vec<HistoryEntry>) = (Vec::new(), Vec::new());
            let (mut all, mut under_way): (Vec<HistoryEntry>, Option<(usize, SummaryRange)>) = (Vec::new(), None);
            for (n, speaks) in spoken.into_iter().enumerate() {
                let entry = if speaks { person(n) } else { acted(n) };
                entries.push(entry.clone());
                all.push(entry);
                match under_way.take() {
                    Some((since, cut)) if n >= since + late => {
                        let before = entries.len();
                        summed.extend(cut.entries(&entries).filter(|e| !matches!(e, HistoryEntry::Summary { .. })).cloned());
                        let pieces = cut.count(&entries);
                        entries = cut.replace(entries, "words");
                        prop_assert_eq!(before - entries.len(), cut.removed_entries());
                        prop_assert_eq!(pieces as usize, summed.len());
                    }
                    Some(waits) => under_way = Some(waits),
                    None => under_way = summary_due(&entries, window).map(|cut| (n, cut)),
                }
                prop_assert!(entries.len() <= window.max(5) + 2 * late + 5, "{} of {}", entries.len(), window);
                prop_assert_eq!(entries.last(), all.last());
                let last_words = all.iter().rfind(|e| matches!(e, HistoryEntry::Message { .. }));
                prop_assert!(last_words.is_none_or(|message| entries.contains(message)));
            }
            let mut found: Vec<&HistoryEntry> = summed.iter().collect();
            found.extend(entries.iter().filter(|entry| !matches!(entry, HistoryEntry::Summary { .. })));
            for entry in &all {
                prop_assert_eq!(found.iter().filter(|found| **found == entry).count(), 1);
            }
        }
    }
}

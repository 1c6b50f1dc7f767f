//! Compaction of a long conversation (S2.32, C15): which of its oldest pieces become one summary. An action and
//! its results are one piece, so no cut parts them, and what the person said last stays in their own words. Pure.

use crate::ids::RunId;
use crate::model::{Entry, Speaker};
use serde::{Deserialize, Serialize};

/// Characters of a summary.
const SUMMARY: usize = 8_000;
/// After a summary that failed, so many more pieces come before it is tried again.
const PATIENCE: usize = 5;

/// The oldest pieces, without the one that stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    pub end: usize,
    /// What the person said last, where it lies among them.
    pub kept: Option<usize>,
}

/// A summary that is being written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacting {
    pub run: RunId,
    pub cut: Cut,
}

/// What is to be put together, where there are more pieces than the window holds: four fifths of it, and what has
/// come since.
pub fn due(entries: &[Entry], window: usize) -> Option<Cut> {
    if entries.len() <= window {
        return None;
    }
    // As many of the newest stay as would, were it done at once.
    let newest = window - window.saturating_mul(4) / 5;
    let end = entries.len().saturating_sub(1 + newest);
    let spoken = |entry: &Entry| matches!(entry, Entry::Said { by: Speaker::Person, .. });
    let kept = entries.iter().rposition(spoken).filter(|at| *at < end);
    let cut = Cut { end, kept };
    // One piece as a summary of itself would save nothing.
    (cut.of(entries).count() > 1).then_some(cut)
}

impl Cut {
    /// The pieces that go.
    pub fn of<'e>(&self, entries: &'e [Entry]) -> impl Iterator<Item = &'e Entry> {
        let kept = self.kept;
        let oldest = entries.iter().take(self.end).enumerate();
        oldest.filter(move |(at, _)| Some(*at) != kept).map(|(_, entry)| entry)
    }

    /// So many pieces stand in their summary, those of an older one counted.
    pub fn pieces(&self, entries: &[Entry]) -> u64 {
        self.of(entries)
            .map(|entry| if let Entry::Summary { entries, .. } = entry { *entries } else { 1 })
            .sum()
    }

    /// The history with the summary in place of the pieces.
    pub fn put(&self, entries: Vec<Entry>, text: &str) -> Vec<Entry> {
        let summary = Entry::Summary { text: bounded(text), entries: self.pieces(&entries) };
        let stays = |at: usize| at >= self.end || Some(at) == self.kept;
        let rest = entries.into_iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, entry)| entry);
        std::iter::once(summary).chain(rest).collect()
    }

    /// By so much the history is shorter then.
    pub fn shorter(&self) -> usize {
        self.end.saturating_sub(1 + usize::from(self.kept.is_some()))
    }
}

/// When a summary that failed is tried again, as a length of the history.
pub fn again_at(entries: &[Entry]) -> usize {
    entries.len() + PATIENCE
}

fn bounded(text: &str) -> String {
    text.trim().chars().take(SUMMARY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActionResult, Outcome};
    use crate::turn::Turn;
    use proptest::prelude::*;

    fn person(n: usize) -> Entry {
        Entry::Said { by: Speaker::Person, text: format!("said {n}") }
    }

    fn acted(n: usize) -> Entry {
        let result = ActionResult {
            action_id: format!("a{n}"),
            action: String::from("extract"),
            outcome: Outcome::Ok,
            returned: Some(format!("result {n}")),
            said: None,
        };
        Entry::Acted { turn: Turn::default(), results: vec![result] }
    }

    // S2.32: 50 messages; the first 40 become one.
    #[test]
    fn the_first_forty_of_more_than_fifty_become_one() {
        let mut entries: Vec<Entry> = (0..50).map(acted).collect();
        assert_eq!(due(&entries, 50), None);
        entries.push(person(50));
        let cut = due(&entries, 50).unwrap();
        assert_eq!(cut, Cut { end: 40, kept: None });
        let put = cut.put(entries.clone(), " two paragraphs ");
        let summary = Entry::Summary { text: String::from("two paragraphs"), entries: 40 };
        assert_eq!((put.len(), &put[0], &put[1..]), (12, &summary, &entries[40..]));
        assert_eq!(entries.len() - put.len(), cut.shorter());
    }

    // C15
    #[test]
    fn what_the_person_said_last_stays_in_their_words() {
        let mut entries = vec![person(0)];
        entries.extend((1..60).map(acted));
        let cut = due(&entries, 50).unwrap();
        let put = cut.put(entries.clone(), "summary");
        assert_eq!((&put[1], &put[2]), (&entries[0], &entries[49]));
        assert_eq!((cut.end, cut.pieces(&entries)), (49, 48));
        // One summary counts for all that it holds.
        let mut longer = put;
        longer.extend((60..99).map(acted));
        let again = due(&longer, 50).unwrap();
        assert_eq!((again.end, again.pieces(&longer)), (41, 48 + 39));
        assert!(matches!(
            again.put(longer, "all")[..2],
            [Entry::Summary { entries: 87, .. }, Entry::Said { .. }]
        ));
    }

    proptest! {
        // C15: whatever is said and done, and whenever a summary comes, each result stands in the history or was
        // among the pieces of a summary, whole; the newest are as they were.
        #[test]
        fn no_result_is_parted_or_lost(
            spoken in proptest::collection::vec(any::<bool>(), 1..300),
            late in 0usize..20,
            window in 1usize..60,
        ) {
            let (mut entries, mut summed): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
            let (mut all, mut under_way): (Vec<Entry>, Option<(usize, Cut)>) = (Vec::new(), None);
            for (n, speaks) in spoken.into_iter().enumerate() {
                let entry = if speaks { person(n) } else { acted(n) };
                entries.push(entry.clone());
                all.push(entry);
                match under_way.take() {
                    Some((since, cut)) if n >= since + late => {
                        let before = entries.len();
                        summed.extend(cut.of(&entries).filter(|e| !matches!(e, Entry::Summary { .. })).cloned());
                        let pieces = cut.pieces(&entries);
                        entries = cut.put(entries, "words");
                        prop_assert_eq!(before - entries.len(), cut.shorter());
                        prop_assert_eq!(pieces as usize, summed.len());
                    }
                    Some(waits) => under_way = Some(waits),
                    None => under_way = due(&entries, window).map(|cut| (n, cut)),
                }
                prop_assert!(entries.len() <= window.max(5) + 2 * late + 5, "{} of {}", entries.len(), window);
                prop_assert_eq!(entries.last(), all.last());
                let last_words = all.iter().rfind(|e| matches!(e, Entry::Said { .. }));
                prop_assert!(last_words.is_none_or(|said| entries.contains(said)));
            }
            let mut found: Vec<&Entry> = summed.iter().collect();
            found.extend(entries.iter().filter(|entry| !matches!(entry, Entry::Summary { .. })));
            for entry in &all {
                prop_assert_eq!(found.iter().filter(|found| **found == entry).count(), 1);
            }
        }
    }
}

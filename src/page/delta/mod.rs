//! Changes between two observations of one page (`docs/page_text.md`, "Deltas"): new, changed and removed
//! lines, each under the unchanged lines that contain it. Pure text, no I/O.
//!
//! A reader finds a line without an element id by its text: it is the first line, after those already named
//! under the same parent, that reads the same and contains everything named within it. The writer applies the
//! same rule (`LineTree::find`), and names more lines wherever the rule would lead to the wrong one.

pub(crate) mod line_matching;
pub(crate) mod line_tree;
pub(crate) mod unshown;

use crate::page::delta::line_matching::pairs;
use crate::page::delta::line_tree::{ChangeKind, Entry, LineTree};
use crate::page::delta::unshown::LeftOutLines;
use crate::page::observation::Observation;
use crate::page::text;
use crate::page::url::strip_query;

/// Returns the lines that changed since `base`, or `None` if the whole page text is better: for another page,
/// or if hardly anything stayed the same.
pub fn changes(base: &Observation, now: &Observation) -> Option<String> {
    if strip_query(&base.url) != strip_query(&now.url) || base.tab != now.tab || base.viewport != now.viewport
    {
        return None;
    }
    // Every number of another document is another one.
    if base.document != now.document || base.dialog.is_some() || now.dialog.is_some() {
        return None;
    }
    let mut comparison = Comparison::new(base, now, false);
    let mut entries = comparison.compare((LineTree::ROOT, LineTree::ROOT))?;
    let mut out = String::new();
    if comparison.moved_lines > MOST_MOVED_LINES {
        comparison = Comparison::new(base, now, true);
        entries = comparison.compare((LineTree::ROOT, LineTree::ROOT))?;
        // This comparison also finds lines without an element that moved, which the other took for new ones.
        text::push(&mut out, 0, "+ ", &moved_note(comparison.moved_lines));
    }
    write(&entries, &mut out);
    let whole: usize = comparison.new.lines.iter().map(|line| line.depth * 2 + line.words.len() + 3).sum();
    (out.len() < whole).then_some(out)
}

/// Maximum number of lines that are listed although only their place in the viewport changed.
const MOST_MOVED_LINES: usize = 8;

/// Returns a line instead of those that scrolling or a covering element changed.
fn moved_note(count: usize) -> String {
    format!(
        "note \"{count} lines differ only in above, below, left, right or covered; they are not repeated\""
    )
}

fn write(entries: &[Entry], out: &mut String) {
    for Entry { what, depth, eid, words, inner } in entries {
        let marker = match what {
            ChangeKind::Stays => "- ",
            ChangeKind::New => "+ ",
            ChangeKind::Changed | ChangeKind::Returned => "~ ",
            ChangeKind::Gone => "x ",
        };
        match (what, eid) {
            (ChangeKind::Gone, Some(eid)) => text::push(out, *depth, marker, &format!("[{eid}]")),
            _ => text::push(out, *depth, marker, words),
        }
        write(inner, out);
    }
}

/// Two observations under comparison.
struct Comparison {
    old: LineTree,
    new: LineTree,
    /// Lines that the earlier observation left out.
    left_out_before: LeftOutLines,
    /// Lines that the later observation leaves out.
    left_out_now: LeftOutLines,
    /// Number of lines of which only the place in the viewport changed.
    moved_lines: usize,
}

impl Comparison {
    fn new(base: &Observation, now: &Observation, ignores_places: bool) -> Self {
        let tree = |observation| LineTree::from_observation(observation, ignores_places);
        Self {
            old: tree(base),
            new: tree(now),
            left_out_before: LeftOutLines::new(&base.unshown),
            left_out_now: LeftOutLines::new(&now.unshown),
            moved_lines: 0,
        }
    }

    /// Returns the entries for the differences within two lines that are the same; `None` if there are too many
    /// to compare.
    fn compare(&mut self, (before, after): (usize, usize)) -> Option<Vec<Entry>> {
        let (was, is) = (self.old.children[before].clone(), self.new.children[after].clone());
        let pairs = pairs(&self.old, &was, &self.new, &is)?;
        let mut written = WrittenEntries::default();
        let (mut gone, mut came) = (0, 0);
        // The last unchanged pair, which is written only if a reader needs it.
        let mut unwritten: Option<(usize, Entry, bool)> = None;
        for (at, new_at) in pairs.into_iter().chain([(was.len(), is.len())]) {
            if came < new_at
                && let Some((at, mut entry, kept)) = unwritten.take()
            {
                if kept && written.find_as_reader(&self.old, &was, &entry) != Some(at) {
                    entry.inner = self.old.path_to_first_eid(was[at]);
                }
                written.add_entry(&self.old, &was, at, entry);
            }
            let (new, left_out) = (&self.new, &self.left_out_before);
            written.entries.extend(is[came..new_at].iter().map(|&node| new.subtree_entry(node, left_out)));
            for (lost, &node) in (gone..at).zip(&was[gone..at]) {
                // A line that moved is listed at its new position, and one that is left out still stands.
                let is_moved = self.old.eid(node).is_some_and(|eid| self.new.eids.contains(&eid));
                if !is_moved && !self.old.is_left_out(node, &mut self.left_out_now) {
                    let entry = self.old.entry(node, ChangeKind::Gone, Vec::new());
                    written.add_entry(&self.old, &was, lost, entry);
                }
            }
            (gone, came) = (at + 1, new_at + 1);
            let (Some(&one), Some(&other)) = (was.get(at), is.get(new_at)) else { break };
            let (entry, is_quiet) = self.compare_pair(one, other)?;
            unwritten = None;
            if is_quiet {
                // The line is identified by its content, if that is unchanged.
                let kept = self.old.hashes[one] == self.new.hashes[other];
                unwritten = Some((at, entry, kept));
            } else {
                written.add_entry(&self.old, &was, at, entry);
            }
        }
        Some(written.entries)
    }

    /// Returns the entry of a line that both observations have, and whether nothing changed in it.
    fn compare_pair(&mut self, one: usize, other: usize) -> Option<(Entry, bool)> {
        let inner = self.compare((one, other))?;
        let (old, new) = (&self.old, &self.new);
        let is_moved = old.placeless_words(one) == new.placeless_words(other);
        self.moved_lines += usize::from(is_moved && old.words(one) != new.words(other));
        if old.compared_words(one) == new.compared_words(other) {
            let is_quiet = inner.is_empty();
            // A reader looks for the line as it was.
            return Some((
                Entry { words: old.words(one).to_owned(), ..new.entry(other, ChangeKind::Stays, inner) },
                is_quiet,
            ));
        }
        Some((new.entry(other, ChangeKind::Changed, inner), false))
    }
}

/// Entries written for the lines within one line, and the position that a reader has reached.
#[derive(Default)]
struct WrittenEntries {
    from: usize,
    entries: Vec<Entry>,
}

impl WrittenEntries {
    fn find_as_reader(&self, old: &LineTree, was: &[usize], entry: &Entry) -> Option<usize> {
        old.find(was, self.from, entry)
    }

    /// Adds an entry for a line of the old observation such that a reader finds that line.
    fn add_entry(&mut self, old: &LineTree, was: &[usize], at: usize, entry: Entry) {
        while let Some(other) = self.find_as_reader(old, was, &entry).filter(|other| *other != at) {
            // Lines before it that read the same are named as well.
            let first = (self.from..other).find(|before| old.matches_entry(was[*before], &entry));
            let passed = first.unwrap_or(other);
            self.entries.push(old.entry(was[passed], ChangeKind::Stays, Vec::new()));
            self.from = passed + 1;
        }
        self.entries.push(entry);
        self.from = at + 1;
    }
}

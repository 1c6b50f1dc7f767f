//! Changes between two observations of one page (`docs/page_text.md`, "Deltas"): new, changed and removed
//! lines, each under the unchanged lines that contain it. Pure text, no I/O.
//!
//! A reader finds a line without an element id by its text: it is the first line, after those already named
//! under the same parent, that reads the same and contains everything named within it. The writer applies the
//! same rule (`LineTree::find`), and names more lines wherever the rule would lead to the wrong one.

pub(crate) mod line_matching;
pub(crate) mod line_tree;

use crate::page::delta::line_matching::pairs;
use crate::page::delta::line_tree::{ChangeKind, Entry, LineTree};
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
    let (old, new) = (LineTree::from_observation(base), LineTree::from_observation(now));
    let mut out = String::new();
    write(&compare(&old, &new, (LineTree::ROOT, LineTree::ROOT))?, &mut out);
    let whole: usize = new.lines.iter().map(|line| line.depth * 2 + line.words.len() + 3).sum();
    (out.len() < whole).then_some(out)
}

fn write(entries: &[Entry], out: &mut String) {
    for Entry { what, depth, eid, words, inner } in entries {
        let marker = match what {
            ChangeKind::Stays => "- ",
            ChangeKind::New => "+ ",
            ChangeKind::Changed => "~ ",
            ChangeKind::Gone => "x ",
        };
        match (what, eid) {
            (ChangeKind::Gone, Some(eid)) => text::push(out, *depth, marker, &format!("[{eid}]")),
            _ => text::push(out, *depth, marker, words),
        }
        write(inner, out);
    }
}

/// Returns the entries for the differences within two lines that are the same; `None` if there are too many
/// to compare.
fn compare(old: &LineTree, new: &LineTree, (before, after): (usize, usize)) -> Option<Vec<Entry>> {
    let (was, is) = (&old.children[before], &new.children[after]);
    let mut writer = EntryWriter { old, was, from: 0, entries: Vec::new() };
    let (mut gone, mut came) = (0, 0);
    // The last unchanged pair, which is written only if a reader needs it.
    let mut unwritten: Option<(usize, Entry, bool)> = None;
    for (at, new_at) in pairs(old, was, new, is)?.into_iter().chain([(was.len(), is.len())]) {
        if came < new_at
            && let Some((at, mut entry, kept)) = unwritten.take()
        {
            if kept && writer.find_as_reader(&entry) != Some(at) {
                entry.inner = old.path_to_first_eid(was[at]);
            }
            writer.add_entry(at, entry);
        }
        writer.entries.extend(is[came..new_at].iter().map(|&node| new.subtree_entry(node)));
        for (lost, &node) in (gone..at).zip(&was[gone..at]) {
            // A line that moved is listed at its new position.
            if !old.eid(node).is_some_and(|eid| new.eids.contains(&eid)) {
                writer.add_entry(lost, old.entry(node, ChangeKind::Gone, Vec::new()));
            }
        }
        (gone, came) = (at + 1, new_at + 1);
        let (Some(&one), Some(&other)) = (was.get(at), is.get(new_at)) else { break };
        let inner = compare(old, new, (one, other))?;
        let changed = old.words(one) != new.words(other);
        let quiet = inner.is_empty() && !changed;
        let entry = new.entry(other, if changed { ChangeKind::Changed } else { ChangeKind::Stays }, inner);
        unwritten = None;
        if quiet {
            // The line is identified by its content, if that is unchanged.
            let kept = old.hashes[one] == new.hashes[other];
            unwritten = Some((at, entry, kept));
        } else {
            writer.add_entry(at, entry);
        }
    }
    Some(writer.entries)
}

/// Entries written for the lines within one line, and the position that a reader has reached.
struct EntryWriter<'a> {
    old: &'a LineTree,
    was: &'a [usize],
    from: usize,
    entries: Vec<Entry>,
}

impl EntryWriter<'_> {
    fn find_as_reader(&self, entry: &Entry) -> Option<usize> {
        self.old.find(self.was, self.from, entry)
    }

    /// Adds an entry for a line of the old observation such that a reader finds that line.
    fn add_entry(&mut self, at: usize, entry: Entry) {
        while let Some(other) = self.find_as_reader(&entry).filter(|other| *other != at) {
            // Lines before it that read the same are named as well.
            let first = (self.from..other).find(|before| self.old.matches_entry(self.was[*before], &entry));
            let passed = first.unwrap_or(other);
            self.entries.push(self.old.entry(self.was[passed], ChangeKind::Stays, Vec::new()));
            self.from = passed + 1;
        }
        self.entries.push(entry);
        self.from = at + 1;
    }
}

//! An observation as a tree of its written lines, and the way a reader of the changes finds a line in it.

use crate::page::delta::unshown::LeftOutLines;
use crate::page::observation::Observation;
use crate::page::text::{self, WrittenLine};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An observation as a tree. Node 0 is the page, node `n` is line `n - 1`.
pub(crate) struct LineTree {
    /// Written lines in document order.
    pub lines: Vec<WrittenLine>,
    /// Children of each node, in order.
    pub children: Vec<Vec<usize>>,
    /// Hash of each line including its descendants.
    pub hashes: Vec<u64>,
    /// First element id in each line's subtree, its own included.
    first_eid: Vec<Option<u32>>,
    /// All element ids of the observation.
    pub eids: HashSet<u32>,
    /// True if the words for places in the viewport make no difference.
    ignores_places: bool,
}

/// Key by which lines of both observations count as the same.
#[derive(PartialEq, Eq)]
pub(crate) enum LineIdentity {
    Number(u32),
    /// Same text, and the same first element in its subtree.
    Holds(u64, u32),
    /// Same text in the whole subtree.
    Reads(u64),
}

impl LineTree {
    /// Node of the page itself.
    pub const ROOT: usize = 0;

    /// Builds the tree of an observation from the depths of its written lines. With `ignores_places`, lines that differ
    /// only in `above`, `below`, `left`, `right` and `covered` count as equal.
    pub fn from_observation(observation: &Observation, ignores_places: bool) -> Self {
        let lines: Vec<WrittenLine> = text::lines(observation).collect();
        let mut children = vec![Vec::new(); lines.len() + 1];
        let mut open: Vec<usize> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            while open.last().is_some_and(|&above| lines[above].depth >= line.depth) {
                open.pop();
            }
            children[open.last().map_or(Self::ROOT, |above| above + 1)].push(index + 1);
            open.push(index);
        }
        let eids = lines.iter().filter_map(|line| line.eid).collect();
        let (hashes, first_eid) = (vec![0; children.len()], vec![None; children.len()]);
        let mut side = Self { lines, children, hashes, first_eid, eids, ignores_places };
        // Children come after their parents, so the order is reversed.
        (1..side.children.len()).rev().for_each(|node| side.sum_up(node));
        side
    }

    fn sum_up(&mut self, node: usize) {
        let mut hasher = DefaultHasher::new();
        self.compared_words(node).hash(&mut hasher);
        let mut first = self.eid(node);
        for &child in &self.children[node] {
            self.hashes[child].hash(&mut hasher);
            first = first.or(self.first_eid[child]);
        }
        self.hashes[node] = hasher.finish();
        self.first_eid[node] = first;
    }

    fn line(&self, node: usize) -> &WrittenLine {
        &self.lines[node - 1]
    }

    /// Returns the element id of a line. The root has none and must not be passed.
    pub fn eid(&self, node: usize) -> Option<u32> {
        self.line(node).eid
    }

    /// Reports whether a line is only left out of the later observation: by its number, by its words, or, of a container,
    /// as all in it is. Lines without a number are taken from those left out.
    pub fn is_left_out(&self, node: usize, left_out: &mut LeftOutLines) -> bool {
        if let Some(eid) = self.eid(node) {
            return left_out.has_eid(eid);
        }
        if self.line(node).unnumbered.is_some_and(|hash| left_out.take_unnumbered(hash)) {
            return true;
        }
        let is_note = |node: usize| self.line(node).words.starts_with("note ");
        let mut inner = self.children[node].iter().filter(|child| !is_note(**child)).peekable();
        inner.peek().is_some() && inner.all(|child| self.is_left_out(*child, left_out))
    }

    /// Returns the text of a line without the word `new`, which is not part of the page's content.
    pub fn words(&self, node: usize) -> &str {
        let line = self.line(node);
        line.settled.as_deref().unwrap_or(&line.words)
    }

    /// Returns the text of a line for comparison with the other observation.
    pub fn compared_words(&self, node: usize) -> &str {
        let placeless = self.line(node).placeless.as_deref().filter(|_| self.ignores_places);
        placeless.unwrap_or_else(|| self.words(node))
    }

    /// Returns the text of a line without the words for its place in the viewport.
    pub fn placeless_words(&self, node: usize) -> &str {
        let line = self.line(node);
        line.placeless.as_deref().unwrap_or(&line.words)
    }

    /// Returns the key of a line: its element id, else the first id within it with its text, else its subtree.
    pub fn same(&self, node: usize) -> LineIdentity {
        match (self.eid(node), self.first_eid[node]) {
            (Some(eid), _) => LineIdentity::Number(eid),
            (None, Some(eid)) => {
                let mut hasher = DefaultHasher::new();
                self.compared_words(node).hash(&mut hasher);
                LineIdentity::Holds(hasher.finish(), eid)
            }
            (None, None) => LineIdentity::Reads(self.hashes[node]),
        }
    }

    /// Returns a line of the delta. Unchanged and removed lines are written without the word `new`.
    pub fn entry(&self, node: usize, what: ChangeKind, inner: Vec<Entry>) -> Entry {
        let words = match what {
            ChangeKind::Stays | ChangeKind::Gone => self.words(node),
            ChangeKind::New | ChangeKind::Returned | ChangeKind::Changed => &self.line(node).words,
        };
        Entry { what, depth: self.line(node).depth, eid: self.eid(node), words: words.to_owned(), inner }
    }

    /// Returns the line with its whole subtree, new but for those that the earlier observation left out.
    pub fn subtree_entry(&self, node: usize, left_out: &LeftOutLines) -> Entry {
        let inner = self.children[node].iter().map(|&child| self.subtree_entry(child, left_out)).collect();
        let returned = self.eid(node).is_some_and(|eid| left_out.has_eid(eid));
        self.entry(node, if returned { ChangeKind::Returned } else { ChangeKind::New }, inner)
    }

    /// Returns the lines that lead from a line to the first element id in its subtree.
    pub fn path_to_first_eid(&self, node: usize) -> Vec<Entry> {
        let first = self.children[node].iter().find(|child| self.first_eid[**child].is_some());
        let inner = first.filter(|_| self.eid(node).is_none()).map(|&child| {
            let further = self.path_to_first_eid(child);
            self.entry(child, ChangeKind::Stays, further)
        });
        inner.into_iter().collect()
    }

    /// Returns the position of the sibling from `from` on that a reader takes an entry for.
    pub fn find(&self, siblings: &[usize], from: usize, entry: &Entry) -> Option<usize> {
        let mut reads = (from..siblings.len()).filter(|at| self.matches_entry(siblings[*at], entry));
        let first = reads.clone().next();
        reads.find(|at| self.holds(siblings[*at], &entry.inner)).or(first)
    }

    /// Reports whether a line is the one that an entry names, by its element id or else by its text.
    pub fn matches_entry(&self, node: usize, entry: &Entry) -> bool {
        match entry.eid {
            Some(eid) => self.eid(node) == Some(eid),
            None => self.words(node) == entry.words,
        }
    }

    /// Reports whether all entries that are named as known stand somewhere in the line's subtree.
    fn holds(&self, node: usize, named: &[Entry]) -> bool {
        named.iter().all(|entry| match entry.what {
            ChangeKind::New | ChangeKind::Returned => true,
            ChangeKind::Stays | ChangeKind::Changed | ChangeKind::Gone => {
                self.has(node, entry) && self.holds(node, &entry.inner)
            }
        })
    }

    fn has(&self, node: usize, entry: &Entry) -> bool {
        self.children[node].iter().any(|&child| self.matches_entry(child, entry) || self.has(child, entry))
    }
}

/// A line of the changes, with the entries inside it.
pub(crate) struct Entry {
    pub(crate) what: ChangeKind,
    pub(crate) depth: usize,
    pub(crate) eid: Option<u32>,
    pub(crate) words: String,
    pub(crate) inner: Vec<Entry>,
}

#[derive(Clone, Copy)]
pub(crate) enum ChangeKind {
    Stays,
    New,
    /// Shown now, and left out of the earlier observation.
    Returned,
    Changed,
    Gone,
}

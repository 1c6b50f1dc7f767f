//! Lines that an observation leaves out although they stand on the page: they are not gone, and not new when they are
//! shown again.

use crate::page::observation::UnshownLines;
use std::collections::{HashMap, HashSet};

/// The unshown lines of an observation, for the comparison with another one.
#[derive(Debug, Default)]
pub(crate) struct LeftOutLines {
    eids: HashSet<u32>,
    /// Number of lines without an eid, by hash.
    counts: HashMap<u32, usize>,
}

impl LeftOutLines {
    pub fn new(unshown: &UnshownLines) -> Self {
        let mut counts = HashMap::new();
        for line in &unshown.lines {
            *counts.entry(*line).or_default() += 1;
        }
        Self { eids: unshown.eids.iter().copied().collect(), counts }
    }

    pub fn has_eid(&self, eid: u32) -> bool {
        self.eids.contains(&eid)
    }

    /// Takes a line of this hash from those without a number. Returns false if none is left.
    pub fn take_unnumbered(&mut self, hash: u32) -> bool {
        let count = self.counts.get_mut(&hash).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }
}

//! Sources that the runs of a tree have read. What a called run has read, its callers have read too, because its answer
//! carries it.

use crate::gate::flow::read_texts::TextSource;
use crate::ids::RunId;
use std::collections::{BTreeSet, HashMap};

/// Ledger of the sources of each run, and of each file of the tree.
#[derive(Debug, Default)]
pub struct RunSources {
    runs: HashMap<RunId, BTreeSet<TextSource>>,
    callers: HashMap<RunId, RunId>,
    /// Sources of files that the runs of the tree have downloaded or written. Others are the person's.
    files: HashMap<String, BTreeSet<TextSource>>,
}

impl RunSources {
    /// Records the caller of a run.
    pub fn set_caller(&mut self, run: &RunId, caller: &RunId) {
        if run != caller {
            self.callers.insert(run.clone(), caller.clone());
        }
    }

    /// Records that a run has read a source.
    pub fn add(&mut self, run: &RunId, source: &TextSource) {
        let mut next = Some(run);
        while let Some(run) = next {
            // The callers of a run that has read it have read it too.
            if !self.runs.entry(run.clone()).or_default().insert(source.clone()) {
                return;
            }
            next = self.callers.get(run);
        }
    }

    /// Returns the sources that a run has read.
    pub fn list(&self, run: &RunId) -> Vec<TextSource> {
        self.runs.get(run).into_iter().flatten().cloned().collect()
    }

    /// Records the sources of a file.
    pub fn add_file(&mut self, name: &str, sources: impl IntoIterator<Item = TextSource>) {
        self.files.entry(name.to_owned()).or_default().extend(sources);
    }

    /// Returns the sources of a file.
    pub fn list_of_file(&self, name: &str) -> Vec<TextSource> {
        self.files.get(name).into_iter().flatten().cloned().collect()
    }

    /// Returns the sources of all files.
    pub fn list_of_files(&self) -> BTreeSet<TextSource> {
        self.files.values().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_have_read_what_their_children_read() {
        let [root, child, grandchild] = ["r", "c", "g"].map(RunId::from);
        let mut sources = RunSources::default();
        sources.set_caller(&child, &root);
        sources.set_caller(&grandchild, &child);
        let tool = TextSource::Tool(String::from("notes"));
        sources.add(&grandchild, &tool);
        assert_eq!((sources.list(&root), sources.list(&child)), (vec![tool.clone()], vec![tool.clone()]));
        let agent = TextSource::Agent(String::from("a"));
        sources.add(&root, &agent);
        assert_eq!(sources.list(&child), [tool]);
        sources.add_file("a.pdf", [agent.clone()]);
        assert_eq!(sources.list_of_file("a.pdf"), std::slice::from_ref(&agent));
        assert_eq!(sources.list_of_file("b.pdf"), []);
        assert_eq!(Vec::from_iter(sources.list_of_files()), [agent]);
    }
}

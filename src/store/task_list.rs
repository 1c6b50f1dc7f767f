//! Settings of runs in the list of tasks, and deletion of run trees. The defaults suit a store that keeps
//! nothing for long.

use super::Reply;
use super::rows::{RunChange, RunRow};
use crate::ids::RunId;

pub trait TaskList {
    /// Changes the list settings of a run and returns its row, or `None` if the run does not exist. Only
    /// roots can be pinned or archived.
    fn change_run(&self, _run: RunId, _change: RunChange) -> Reply<Option<RunRow>> {
        Box::pin(async { Ok(None) })
    }

    /// Deletes a run tree except its audit records. Returns the ids of its runs; empty if the tree does not
    /// exist. Folders and pictures stay on disk as leftovers.
    fn delete_tree(&self, _root: RunId) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns all runs of a tree.
    fn tree_ids(&self, _root: RunId) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns deleted runs whose folders may still exist.
    fn leftover_folders(&self) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Deletes the records of folders that have been removed.
    fn forget_folders(&self, _runs: Vec<RunId>) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// Removes picture files that no run has any more.
    fn remove_leftover_pictures(&self) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns free pages of the file to the disk. Returns false if readers kept some of them.
    fn give_back_space(&self) -> Reply<bool> {
        Box::pin(async { Ok(true) })
    }
}

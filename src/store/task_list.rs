//! The list of tasks: how a person keeps each, and how a whole run tree is deleted. A store that keeps nothing for
//! long is one all the same.

use super::Reply;
use super::rows::{RunChange, RunRow};
use crate::ids::RunId;

pub trait TaskList {
    /// Changes how a run is kept and gives its row; none if there is no such run. Pins and the archive are of roots
    /// alone.
    fn change_run(&self, _run: RunId, _change: RunChange) -> Reply<Option<RunRow>> {
        Box::pin(async { Ok(None) })
    }

    /// Deletes a run tree with all that belongs to it but the audit, and gives the ids of its runs; none if there is
    /// no such tree. Its folders and pictures stay on the disk as leftovers.
    fn delete_tree(&self, _root: RunId) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// All runs of a tree.
    fn tree_ids(&self, _root: RunId) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Deleted runs whose folders may still be there.
    fn leftover_folders(&self) -> Reply<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Forgets folders that are gone.
    fn forget_folders(&self, _runs: Vec<RunId>) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// Removes the files of pictures that no run has any more.
    fn remove_leftover_pictures(&self) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// Gives free pages of the file back to the disk; false if readers kept some of them.
    fn give_back_space(&self) -> Reply<bool> {
        Box::pin(async { Ok(true) })
    }
}

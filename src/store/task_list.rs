//! The task list: titles, pins and the archive, and the deletion of whole run trees.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::{ListSettingsChange, RunRow};

pub trait TaskList {
    /// Changes how a run is kept and gives its row; none if there is no such run. Pins and the archive are of roots
    /// alone.
    fn change_run(&self, run: RunId, change: ListSettingsChange) -> StoreFuture<Option<RunRow>>;

    /// Deletes a run tree with all that belongs to it but the audit, and gives the ids of its runs; none if there is
    /// no such tree. Its folders and pictures stay on the disk as leftovers.
    fn delete_tree(&self, root: RunId) -> StoreFuture<Vec<RunId>>;

    /// All runs of a tree.
    fn tree_ids(&self, root: RunId) -> StoreFuture<Vec<RunId>>;

    /// Deleted runs whose folders may still be there.
    fn leftover_folders(&self) -> StoreFuture<Vec<RunId>>;

    /// Forgets folders that are gone.
    fn forget_folders(&self, runs: Vec<RunId>) -> StoreFuture<()>;

    /// Removes the files of pictures that no run has any more.
    fn remove_leftover_pictures(&self) -> StoreFuture<()>;

    /// Gives free pages of the file back to the disk; false if readers kept some of them.
    fn give_back_space(&self) -> StoreFuture<bool>;
}

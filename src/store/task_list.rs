//! The task list: titles, pins and the archive, and the deletion of whole run trees.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::{ListSettingsChange, RunRow};

/// List of tasks as people see it, and deletion of run trees.
pub trait TaskList {
    /// Changes the list settings of a run and returns its row; `None` if there is no such run. Only roots can be
    /// pinned and archived.
    fn change_run(&self, run: RunId, change: ListSettingsChange) -> StoreFuture<Option<RunRow>>;

    /// Deletes a run tree with all its rows except those of the audit log. Returns the ids of the deleted runs; empty
    /// if there is no such tree. Its folders and pictures stay on the disk as leftovers.
    fn delete_tree(&self, root: RunId) -> StoreFuture<Vec<RunId>>;

    /// Returns the ids of all runs of a tree.
    fn tree_ids(&self, root: RunId) -> StoreFuture<Vec<RunId>>;

    /// Returns the deleted runs whose folders may still exist.
    fn leftover_folders(&self) -> StoreFuture<Vec<RunId>>;

    /// Removes folders that are gone from the list of leftovers.
    fn forget_folders(&self, runs: Vec<RunId>) -> StoreFuture<()>;

    /// Removes the files of pictures that no run has any more.
    fn remove_leftover_pictures(&self) -> StoreFuture<()>;

    /// Releases free pages to the disk. Returns false if readers kept some.
    fn release_space(&self) -> StoreFuture<bool>;
}

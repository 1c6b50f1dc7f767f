//! Files of runs in a store of blobs, so that another node finds them: each file is stored there before the step that tells of it,
//! and brought into the local folder before a run goes on here or a person asks for it.

use crate::blobs::{BlobError, BlobStore};
use crate::ids::RunId;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The store of blobs, and the files that are known to be there.
#[derive(Debug)]
pub struct SharedFiles {
    blobs: BlobStore,
    stored: Mutex<HashMap<RunId, HashSet<String>>>,
}

impl SharedFiles {
    pub fn new(blobs: BlobStore) -> Self {
        Self { blobs, stored: Mutex::default() }
    }

    fn is_stored(&self, root: &RunId, name: &str) -> bool {
        let stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.get(root).is_some_and(|names| names.contains(name))
    }

    fn note_stored(&self, root: &RunId, name: String) {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.entry(root.clone()).or_default().insert(name);
    }

    /// Stores a file of a run tree, unless it is known to be there. Returns false if another node has stored one of this name.
    pub async fn publish(&self, root: &RunId, name: &str, path: &Path) -> Result<bool, BlobError> {
        if self.is_stored(root, name) {
            return Ok(true);
        }
        let blob = format!("{}/{name}", blob_folder(root));
        if self.blobs.has(&blob).await? {
            return Ok(false);
        }
        self.blobs.put_file(&blob, path).await?;
        self.note_stored(root, name.to_owned());
        Ok(true)
    }

    /// Lists the names of a run tree's files that are not known to be here.
    pub async fn list_new(&self, root: &RunId) -> Result<Vec<String>, BlobError> {
        let mut names = self.blobs.list(&blob_folder(root)).await?;
        names.retain(|name| !self.is_stored(root, name));
        Ok(names)
    }

    /// Writes a file of a run tree, by way of `part`.
    pub async fn fetch(&self, root: &RunId, name: &str, part: &Path, file: &Path) -> Result<(), BlobError> {
        if self.blobs.get_file(&format!("{}/{name}", blob_folder(root)), part, file).await? {
            self.note_stored(root, name.to_owned());
        }
        Ok(())
    }

    /// Removes all files of a run tree that was deleted.
    pub async fn remove(&self, root: &RunId) -> Result<(), BlobError> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).remove(root);
        self.blobs.remove_folder(&blob_folder(root)).await
    }
}

fn blob_folder(root: &RunId) -> String {
    format!("runs/{root}/files")
}

//! Files uploaded before their run starts. Each is stored under an id that only the uploader knows, until a
//! run takes it or a day has passed.

use crate::files::{FileStore, FilesError, MB, RunFiles, StoredFile};
use crate::ids::RunId;
use crate::{files, ids};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Age at which a staged file is removed.
const MAX_STAGED_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum number of staged files.
const MAX_FILES: usize = 1_000;
/// Length of an id of `ids::token`.
const ID_CHARS: usize = 32;

/// Reasons why a run cannot take staged files.
#[derive(Debug, thiserror::Error)]
pub enum StagedError {
    #[error("the file {0} is not waiting for a run; give it again")]
    Unknown(String),
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// A staged file that a run has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenFile {
    /// Id that it was staged under.
    pub id: String,
    /// Name among the run's files.
    pub name: String,
}

impl FileStore {
    /// Creates a folder for one file under a new id. Removes expired files first.
    pub fn staging(&self) -> Result<(String, RunFiles), FilesError> {
        let held = self.sweep_staged();
        let bytes: u64 = held.iter().map(|(_, file)| file.size).sum();
        if held.len() >= MAX_FILES {
            return Err(FilesError::TooMany(MAX_FILES));
        }
        if bytes >= self.total {
            return Err(FilesError::Full(self.total / MB));
        }
        let id = ids::token();
        let folder = self.staged_files(&id);
        Ok((id, RunFiles { total: self.total - bytes, ..folder }))
    }

    /// Removes a staged file. Returns false if there is none with this id.
    pub fn unstage(&self, id: &str) -> bool {
        is_id(id) && fs::remove_dir_all(self.staged_at(id)).is_ok()
    }

    /// Moves staged files into the run, in the given order. On an error, the files moved so far are staged
    /// again; a file that could not be moved because of a disk error is lost.
    pub fn take_staged(&self, run: &RunId, ids: &[String]) -> Result<Vec<TakenFile>, StagedError> {
        let mut found: Vec<(&String, StoredFile)> = Vec::new();
        for id in ids {
            if found.iter().any(|(found_id, _)| *found_id == id) {
                continue;
            }
            let file = is_id(id).then(|| self.staged_files(id).list().into_iter().next()).flatten();
            found.push((id, file.ok_or_else(|| StagedError::Unknown(id.clone()))?));
        }
        let bytes: u64 = found.iter().map(|(_, file)| file.size).sum();
        if bytes > self.total {
            return Err(FilesError::Full(self.total / MB).into());
        }
        let folder = self.run_files(run);
        let mut taken_files: Vec<TakenFile> = Vec::new();
        for (id, file) in found {
            let from = self.staged_files(id).path(&file);
            let arriving = folder.incoming().map_err(FilesError::Disk)?.join(id.as_str());
            let taken = fs::rename(&from, &arriving).map_err(FilesError::Disk);
            match taken.and_then(|()| folder.move_in(&arriving, &file.name)) {
                Ok(StoredFile { name, .. }) => taken_files.push(TakenFile { id: id.clone(), name }),
                Err(fault) => {
                    self.give_back(run, &taken_files);
                    return Err(fault.into());
                }
            }
        }
        Ok(taken_files)
    }

    /// Stages the files of a run that did not start again, under their ids, and removes the run's folder.
    pub fn give_back(&self, run: &RunId, files: &[TakenFile]) {
        let folder = self.run_files(run);
        for TakenFile { id, name } in files {
            let from = folder.path(&StoredFile { name: name.clone(), size: 0 });
            let moved_back =
                self.staged_files(id).ensure_folder().and_then(|made| fs::rename(from, made.join(name)));
            if let Err(fault) = moved_back {
                tracing::warn!(%run, %fault, "a file that was given is lost");
            }
        }
        let _ = fs::remove_dir_all(self.run(run));
    }

    /// Lists the staged files, and removes those older than a day.
    pub fn sweep_staged(&self) -> Vec<(String, StoredFile)> {
        let mut staged_files = Vec::new();
        for entry in fs::read_dir(self.staged_root()).into_iter().flatten().flatten() {
            let age =
                entry.metadata().and_then(|facts| facts.modified()).ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > MAX_STAGED_AGE) {
                let _ = fs::remove_dir_all(entry.path());
            } else if let Ok(id) = entry.file_name().into_string() {
                staged_files.extend(self.staged_files(&id).list().into_iter().map(|file| (id.clone(), file)));
            }
        }
        staged_files
    }

    fn staged_files(&self, id: &str) -> RunFiles {
        let home = self.staged_at(id);
        RunFiles {
            folder: home.join("files"),
            incoming: home.join("incoming"),
            max: self.max,
            total: self.total,
        }
    }

    fn staged_at(&self, id: &str) -> PathBuf {
        self.staged_root().join(files::safe_name(id))
    }

    fn staged_root(&self) -> PathBuf {
        self.runs.with_file_name("staged")
    }
}

fn is_id(id: &str) -> bool {
    id.len() == ID_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(file_store: &FileStore, name: &str, text: &str) -> Result<String, FilesError> {
        let (id, folder) = file_store.staging()?;
        let from = folder.incoming()?.join("x");
        fs::write(&from, text)?;
        folder.move_in(&from, name)?;
        Ok(id)
    }

    #[test]
    fn staged_files_are_moved_to_their_run_once() {
        let home = tempfile::tempdir().unwrap();
        let file_store = FileStore { shared: None, runs: home.path().join("runs"), max: 10, total: 20 };
        let run = RunId::from("r1");
        let ids = ["one", "two", "three"].map(|text| stage(&file_store, "../a.txt", text).unwrap());
        assert!(file_store.unstage(&ids[2]) && !file_store.unstage(&ids[2]));
        let lost = file_store.take_staged(&run, &ids);
        assert!(matches!(lost, Err(StagedError::Unknown(id)) if id == ids[2]), "all or none");
        assert_eq!(file_store.sweep_staged().len(), 2);
        let taken = file_store.take_staged(&run, &ids[..2]).unwrap();
        let read = |name: &str| fs::read_to_string(file_store.run_files(&run).find(name).unwrap().0).unwrap();
        assert_eq!((read("a.txt"), read("a (2).txt")), (String::from("one"), String::from("two")));
        assert!(matches!(file_store.take_staged(&run, &ids[..1]), Err(StagedError::Unknown(_))));
        assert!(matches!(
            file_store.take_staged(&run, &[String::from("../../r1")]),
            Err(StagedError::Unknown(_))
        ));

        file_store.give_back(&run, &taken);
        assert!(file_store.run_files(&run).list().is_empty());
        // Each file is under its own id again, whatever the order of the names.
        let twice = [ids[1].clone(), ids[1].clone()];
        assert_eq!(file_store.take_staged(&RunId::from("r2"), &twice).unwrap().len(), 1, "an id counts once");
        let only = file_store.run_files(&RunId::from("r2")).list().remove(0);
        let path = file_store.run_files(&RunId::from("r2")).path(&only);
        assert_eq!(fs::read_to_string(path).unwrap(), "two");
    }

    #[test]
    fn staged_files_are_limited() {
        let home = tempfile::tempdir().unwrap();
        let file_store = FileStore { shared: None, runs: home.path().join("runs"), max: 10, total: 20 };
        stage(&file_store, "a", "ten bytes.").unwrap();
        assert!(stage(&file_store, "b", "eleven bytes").unwrap_err().to_string().contains("larger than"));
        stage(&file_store, "c", "ten bytes.").unwrap();
        assert!(stage(&file_store, "d", "x").unwrap_err().to_string().contains("full"));
    }
}

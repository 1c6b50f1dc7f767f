//! Files of a run: its uploads and downloads, in one folder under safe names. Unfinished files are written to
//! a folder beside it and moved in when they are complete and accepted.

pub mod runnable;
pub(crate) mod shared;
pub(crate) mod staged;

use crate::blobs::{BlobError, BlobStore};
use crate::clock::Moment;
use crate::config::Settings;
use crate::files::runnable::RunnableKind;
use crate::files::shared::SharedFiles;
use crate::ids;
use crate::ids::RunId;
use crate::text::invisible_chars::is_invisible;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum length of a file name in bytes.
const MAX_NAME_BYTES: usize = 120;
/// Folder of unfinished files, beside the files of a run.
const INCOMING: &str = "incoming";
/// Maximum number of files of one run. The size limits do not bound the number of empty files.
const MAX_FILES: usize = 10_000;

/// Serializes [`RunFiles::move_in`], so that no other file takes the same name or the remaining space between
/// the check and the move. Only one process uses the data folder.
static MOVE_LOCK: Mutex<()> = Mutex::new(());

/// Location and limits of the files of all runs.
#[derive(Clone, Debug)]
pub struct FileStore {
    /// Contains one folder per run.
    runs: PathBuf,
    /// Maximum size of one file in bytes.
    pub max: u64,
    pub total: u64,
    /// The files that other nodes find, if they are shared.
    pub(crate) shared: Option<Arc<SharedFiles>>,
}

/// The folder of one run tree.
#[derive(Clone, Debug)]
pub struct RunFiles {
    folder: PathBuf,
    incoming: PathBuf,
    pub max: u64,
    total: u64,
}

/// A stored file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    pub name: String,
    pub size: u64,
}

/// A stored file that a page gave, with the address that it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownloadedFile {
    pub name: String,
    pub url: String,
}

/// Reasons why a file is not stored.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("the file is larger than {0} MB; raise files.max_mb")]
    TooLarge(u64),
    #[error("the run's files are full ({0} MB); raise files.total_mb")]
    Full(u64),
    #[error("the run already has {0} files and can keep no more")]
    TooMany(usize),
    #[error("the file cannot be stored: {0}")]
    Disk(#[from] io::Error),
}

const MB: u64 = 1024 * 1024;

impl FileStore {
    /// Creates the store of files in the folder of runs, with limits in megabytes.
    pub fn new(runs: PathBuf, max_mb: u64, total_mb: u64) -> Self {
        Self { runs, max: max_mb.saturating_mul(MB), total: total_mb.saturating_mul(MB), shared: None }
    }

    /// Shares the files with other nodes.
    pub fn share(self, blobs: Option<BlobStore>) -> Self {
        Self { shared: blobs.map(|blobs| Arc::new(SharedFiles::new(blobs))), ..self }
    }

    /// Creates the store with the folder and the limits of the settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(settings.data_dir.join("runs"), settings.files.max_mb, settings.files.total_mb)
    }

    /// Removes staged files that are too old and unfinished files of an earlier process. Call this at
    /// startup.
    pub fn sweep(&self) {
        self.sweep_staged();
        for run in fs::read_dir(&self.runs).into_iter().flatten().flatten() {
            match fs::remove_dir_all(run.path().join(INCOMING)) {
                Err(fault)
                    if !matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
                {
                    tracing::warn!(path = %run.path().display(), %fault, "cannot remove what never came in");
                }
                Ok(()) | Err(_) => {}
            }
        }
    }

    /// Returns the folder that holds everything that the run leaves on the disk.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.runs.join(safe_name(run.as_str()))
    }

    /// Returns the file folder of the run tree with this root.
    pub fn run_files(&self, root: &RunId) -> RunFiles {
        let run = self.run(root);
        RunFiles { folder: run.join("files"), incoming: run.join(INCOMING), max: self.max, total: self.total }
    }

    /// True if other nodes find the files.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Stores the new files of a run tree where all nodes reach them. A file whose name another node has used meanwhile gets
    /// another one; such names are returned, each with the new one.
    pub async fn publish(&self, root: &RunId) -> Result<Vec<(String, String)>, BlobError> {
        let Some(shared) = &self.shared else { return Ok(Vec::new()) };
        let (files, mut renamed) = (self.run_files(root), Vec::new());
        for file in files.list() {
            let mut name = file.name.clone();
            while !shared.publish(root, &name, &files.folder.join(&name)).await? {
                let free = files.free_name(&name);
                fs::rename(files.folder.join(&name), files.folder.join(&free))?;
                name = free;
            }
            if name != file.name {
                renamed.push((file.name, name));
            }
        }
        Ok(renamed)
    }

    /// Brings the files of a run tree into its folder that another node has stored.
    pub async fn fetch(&self, root: &RunId) -> Result<(), BlobError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let files = self.run_files(root);
        for name in shared.list_new(root).await? {
            // A file of this name that was not stored yet gets another name when it is.
            if files.find(&name).is_none() {
                files.incoming()?;
                let part = files.incoming_path(&format!("fetched-{}", ids::token()));
                shared.fetch(root, &name, &part, &files.ensure_folder()?.join(&name)).await?;
            }
        }
        Ok(())
    }

    /// Removes the files of a run tree that was deleted from where all nodes reach them.
    pub async fn remove_published(&self, root: &RunId) -> Result<(), BlobError> {
        match &self.shared {
            Some(shared) => shared.remove(root).await,
            None => Ok(()),
        }
    }
}

impl RunFiles {
    /// Returns the path of the folder, and creates the folder if it does not exist.
    pub fn ensure_folder(&self) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        Ok(self.folder.clone())
    }

    /// Lists the files by name.
    pub fn list(&self) -> Vec<StoredFile> {
        let mut found: Vec<StoredFile> = self.entries().filter_map(|entry| stored_file(&entry)).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    /// Finds the file with exactly this name, and returns its path.
    pub fn find(&self, name: &str) -> Option<(PathBuf, StoredFile)> {
        let file =
            self.entries().find(|entry| entry.file_name() == *name).and_then(|entry| stored_file(&entry))?;
        Some((self.path(&file), file))
    }

    fn entries(&self) -> impl Iterator<Item = DirEntry> {
        fs::read_dir(&self.folder).into_iter().flatten().flatten()
    }

    /// Returns the path of one of its files.
    pub fn path(&self, file: &StoredFile) -> PathBuf {
        self.folder.join(&file.name)
    }

    /// Returns the folder for unfinished files, and creates it if it does not exist.
    pub fn incoming(&self) -> io::Result<&Path> {
        fs::create_dir_all(&self.incoming)?;
        Ok(&self.incoming)
    }

    /// Returns the path of an unfinished file of this name.
    pub fn incoming_path(&self, name: &str) -> PathBuf {
        self.incoming.join(safe_name(name))
    }

    /// Writes a text as a file, under a name that no other file has.
    pub fn write_text(&self, requested_name: &str, text: &str) -> Result<StoredFile, FilesError> {
        self.incoming()?;
        let path = self.incoming_path(&format!("written-{}", ids::token()));
        fs::write(&path, text)?;
        self.move_in(&path, requested_name)
    }

    /// Moves a finished file into the folder, under a name that no other file has. On an error the file is
    /// removed.
    pub fn move_in(&self, from: &Path, requested_name: &str) -> Result<StoredFile, FilesError> {
        let _one_at_a_time = MOVE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = self.check_limits(from).and_then(|size| {
            fs::create_dir_all(&self.folder)?;
            let name = self.free_name(&safe_name(requested_name));
            fs::rename(from, self.folder.join(&name))?;
            Ok(StoredFile { name, size })
        });
        if moved.is_err() {
            let _ = fs::remove_file(from);
        }
        moved
    }

    fn check_limits(&self, from: &Path) -> Result<u64, FilesError> {
        let size = fs::metadata(from)?.len();
        let stored = self.list();
        if size > self.max {
            return Err(FilesError::TooLarge(self.max / MB));
        }
        if stored.len() >= MAX_FILES {
            return Err(FilesError::TooMany(MAX_FILES));
        }
        let bytes: u64 = stored.iter().map(|file| file.size).sum();
        if bytes.saturating_add(size) > self.total {
            return Err(FilesError::Full(self.total / MB));
        }
        Ok(size)
    }

    /// Returns the name itself, or a numbered variant if it is taken: "report (2).pdf".
    fn free_name(&self, name: &str) -> String {
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
            _ => (name, String::new()),
        };
        let numbered = |n: u32| if n < 2 { name.to_owned() } else { format!("{stem} ({n}){ending}") };
        let is_free = |name: &String| !self.folder.join(name).exists();
        (1..10_000).map(numbered).find(is_free).unwrap_or_else(|| format!("{}{ending}", ids::token()))
    }
}

/// Returns `None` for links and folders, which are not files of the run.
fn stored_file(entry: &DirEntry) -> Option<StoredFile> {
    let facts = entry.metadata().ok().filter(|facts| facts.is_file())?;
    Some(StoredFile { name: entry.file_name().into_string().ok()?, size: facts.len() })
}

/// Derives a safe file name from a path that a page or a person supplied: its last component, without control
/// and invisible characters, characters that file systems refuse, and leading dots.
pub fn safe_name(raw: &str) -> String {
    let last = raw.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: char| match c {
        c if c.is_control() || is_invisible(c) => None,
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => Some('_'),
        c => Some(c),
    };
    let name: String = last.chars().filter_map(plain).collect();
    let name = name.trim().trim_start_matches('.').trim_end_matches(['.', ' ']);
    if name.is_empty() { String::from("file") } else { shorten_name(name) }
}

/// Shortens a name to the limit, keeping its extension.
fn shorten_name(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= 16);
    let ending = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    let max_bytes = MAX_NAME_BYTES - ending.len();
    let end =
        name.char_indices().map(|(at, _)| at).take_while(|at| *at <= max_bytes).last().unwrap_or_default();
    format!("{}{ending}", name[..end].trim_end())
}

/// Reports whether the content is that of a file that a system runs or that carries macros, whatever its name.
/// Reads the beginning and the end, where archives list their files.
pub fn has_runnable_bytes(path: &Path) -> bool {
    read_both_ends(path).is_ok_and(|bytes| runnable::has_runnable_content(&bytes))
}

/// Finds the kind of a file that a system runs.
pub fn find_runnable_kind(name: &str, path: &Path) -> RunnableKind {
    runnable::find_kind(name, &read_both_ends(path).unwrap_or_default())
}

fn read_both_ends(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    const PART: u64 = 64 * 1024;
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(PART).read_to_end(&mut bytes)?;
    if length > PART {
        file.seek(SeekFrom::Start(PART.max(length.saturating_sub(PART))))?;
        file.take(PART).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Formats a size for people: "12 kB".
pub fn format_size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", (bytes + 500) / 1000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

impl StoredFile {
    /// Formats the file for people: `report.pdf (12 kB)`.
    pub fn display(&self) -> String {
        format!("{} ({})", self.name, format_size(self.size))
    }
}

/// Returns the modification time of a file.
pub fn modified_at(path: &Path) -> Option<Moment> {
    let time = fs::metadata(path).and_then(|facts| facts.modified()).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Moment::from_millis)
}

/// Sets the modification time of a file. The time that the system sets itself lags some milliseconds behind
/// the clock.
pub fn mark_written(file: &fs::File, at: Moment) -> io::Result<()> {
    let since = std::time::Duration::from_millis(u64::try_from(at.millis()).unwrap_or(0));
    file.set_modified(std::time::UNIX_EPOCH + since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        let long = format!("{}.pdf", "я".repeat(200));
        let cases = [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\system.ini", "system.ini"),
            ("/", "file"),
            ("..", "file"),
            (".bashrc", "bashrc"),
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("a\nb\0c?.txt", "abc_.txt"),
            ("  звіт 2026.docx. ", "звіт 2026.docx"),
        ];
        for (raw, name) in cases {
            assert_eq!(safe_name(raw), name, "{raw:?}");
            assert_eq!(safe_name(&safe_name(raw)), name, "a safe name is its own");
        }
        let short = safe_name(&long);
        assert!(short.len() <= MAX_NAME_BYTES && short.ends_with("я.pdf"), "{short}");
    }

    #[test]
    fn a_received_file_has_a_unique_name_and_fits_the_limits() {
        let home = tempfile::tempdir().unwrap();
        let folder = FileStore { shared: None, runs: home.path().to_owned(), max: 10, total: 15 }
            .run_files(&RunId::from("r1"));
        let put = |text: &str, name: &str| {
            let from = folder.incoming().unwrap().join("x");
            fs::write(&from, text).unwrap();
            folder.move_in(&from, name).map_err(|fault| fault.to_string())
        };
        assert_eq!(put("one", "../a.txt").unwrap(), StoredFile { name: String::from("a.txt"), size: 3 });
        assert_eq!(put("two", "a.txt").unwrap().name, "a (2).txt");
        assert!(put("more than ten bytes", "b").unwrap_err().contains("larger than"));
        assert!(put("ten bytes.", "c").unwrap_err().contains("full"));
        assert!(fs::read_dir(folder.incoming().unwrap()).unwrap().next().is_none(), "nothing is left behind");
        assert_eq!(
            folder.list().iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
            ["a (2).txt", "a.txt"]
        );
        assert!(folder.find("a.txt").is_some() && folder.find("../r1/files/a.txt").is_none());
    }

    #[test]
    fn files_that_come_at_once_have_names_of_their_own_and_keep_the_bounds() {
        let home = tempfile::tempdir().unwrap();
        let folder = FileStore { shared: None, runs: home.path().to_owned(), max: 10, total: 300 }
            .run_files(&RunId::from("r1"));
        folder.incoming().unwrap();
        let start = std::sync::Barrier::new(8);
        let give = |n: usize| {
            let coming = (0..100).map(|m| {
                let from = folder.incoming_path(&format!("{n}-{m}"));
                fs::write(&from, "x").unwrap();
                from
            });
            let coming: Vec<PathBuf> = coming.collect();
            start.wait();
            coming.into_iter().filter_map(|from| folder.move_in(&from, "a.txt").ok()).collect::<Vec<_>>()
        };
        let taken: Vec<StoredFile> = std::thread::scope(|scope| {
            let givers: Vec<_> = (0..8).map(|n| scope.spawn(move || give(n))).collect();
            givers.into_iter().flat_map(|giver| giver.join().unwrap()).collect()
        });
        let names: std::collections::HashSet<&str> = taken.iter().map(|file| file.name.as_str()).collect();
        assert_eq!((taken.len(), names.len(), folder.list().len()), (300, 300, 300));
        assert!(fs::read_dir(folder.incoming().unwrap()).unwrap().next().is_none());
    }

    #[test]
    fn unfinished_files_are_removed_at_the_start() {
        let home = tempfile::tempdir().unwrap();
        let files = FileStore { shared: None, runs: home.path().join("runs"), max: 10, total: 100 };
        files.sweep();
        let folder = files.run_files(&RunId::from("r1"));
        let from = folder.incoming().unwrap().join("x");
        fs::write(&from, "x").unwrap();
        folder.move_in(&from, "kept.txt").unwrap();
        fs::write(folder.incoming_path("half.crdownload"), "half").unwrap();
        fs::write(home.path().join("runs/no-folder"), "").unwrap();
        files.sweep();
        assert!(!folder.incoming_path("half.crdownload").exists() && folder.find("kept.txt").is_some());
        assert_eq!(fs::read_to_string(home.path().join("runs/no-folder")).unwrap(), "");
    }

    #[test]
    fn every_one_of_many_files_is_found_and_counts() {
        let home = tempfile::tempdir().unwrap();
        let folder = FileStore { shared: None, runs: home.path().to_owned(), max: 10, total: 1000 }
            .run_files(&RunId::from("r1"));
        let put = |name: &str| {
            let from = folder.incoming().unwrap().join("x");
            fs::write(&from, "x").unwrap();
            folder.move_in(&from, name).map_err(|fault| fault.to_string())
        };
        put("0").unwrap();
        (1..1000).for_each(|n| fs::write(home.path().join(format!("r1/files/{n}")), "x").unwrap());
        assert_eq!(folder.list().len(), 1000);
        assert_eq!((0..1000).step_by(37).filter(|n| folder.find(&n.to_string()).is_none()).count(), 0);
        assert!(put("x").unwrap_err().contains("full"));
        (0..1000).for_each(|n| fs::write(home.path().join(format!("r1/files/{n}")), "").unwrap());
        (1000..MAX_FILES).for_each(|n| fs::write(home.path().join(format!("r1/files/{n}")), "").unwrap());
        assert!(put("x").unwrap_err().contains("already has 10000 files"));
    }

    #[test]
    fn programs_are_recognized_by_extension_and_signature() {
        for (name, is) in
            [("a.EXE", true), ("a.tar.sh", true), ("a.exe.", true), ("a.pdf", false), ("exe", false)]
        {
            assert_eq!(runnable::has_runnable_ending(name), is, "{name}");
        }
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x");
        for (text, is) in
            [(&b"MZ\x90"[..], true), (b"#!/bin/sh", true), (b"M", false), (b"", false), (b"%PDF", false)]
        {
            fs::write(&path, text).unwrap();
            assert_eq!(has_runnable_bytes(&path), is, "{text:?}");
        }
    }

    // A file of one node is found at another one, also if its name is one that addresses write otherwise.
    #[tokio::test]
    async fn files_of_one_node_are_brought_to_another() {
        let folder = tempfile::tempdir().unwrap();
        let url = url::Url::from_file_path(folder.path().join("blobs")).unwrap();
        let store = |name: &str| {
            let blobs = BlobStore::open(url.as_str()).unwrap().unwrap();
            let store = FileStore::new(folder.path().join(name), 1, 1);
            store.share(Some(blobs))
        };
        let (one, two, root) = (store("one"), store("two"), RunId::from("r1"));
        one.run_files(&root).write_text("рахунок 100%.txt", "made at one").unwrap();
        two.fetch(&root).await.unwrap();
        assert!(two.run_files(&root).list().is_empty());
        one.publish(&root).await.unwrap();
        two.fetch(&root).await.unwrap();
        let names: Vec<String> = two.run_files(&root).list().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["рахунок 100%.txt"]);
        two.run_files(&root).write_text("рахунок 100%.txt", "made at two").unwrap();
        two.publish(&root).await.unwrap();
        one.fetch(&root).await.unwrap();
        let (path, _) = one.run_files(&root).find("рахунок 100% (2).txt").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "made at two");
        one.remove_published(&root).await.unwrap();
        let three = store("three");
        three.fetch(&root).await.unwrap();
        assert!(three.run_files(&root).list().is_empty());
    }
}

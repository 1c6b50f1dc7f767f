//! Files of one folder of agents. Names cannot leave the folder, links that lead out of it are not followed,
//! and writes are atomic.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::yaml::FILE_BYTES;
use crate::clock::Moment;
use crate::{files, ids};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Subfolder with every version that was saved or run.
const VERSIONS: &str = ".versions";

/// Files with this extension are reported, since the agent would otherwise be missing without any message.
const OTHER_ENDING: &str = ".yml";

/// A file written within this time may change again without a new modification time.
const TICK: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct AgentFolder {
    path: PathBuf,
}

/// State of a file that can be compared without reading it: modification time, length and inode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl Stamp {
    fn from_metadata(facts: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(facts);
        #[cfg(not(unix))]
        let inode = 0;
        Self { modified: facts.modified().ok(), length: facts.len(), inode }
    }

    /// True if every later change will show in the stamp.
    #[expect(clippy::disallowed_methods, reason = "the clock of the file system, not one that a test turns")]
    pub fn is_settled(&self) -> bool {
        self.modified.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|age| age > TICK)
    }
}

impl AgentFolder {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        let ending = if name.ends_with(OTHER_ENDING) { "" } else { ".yaml" };
        self.path.join(format!("{name}{ending}"))
    }

    fn versions(&self, name: &str) -> PathBuf {
        self.path.join(VERSIONS).join(name)
    }

    pub fn version(&self, name: &str, hash: &str) -> PathBuf {
        self.versions(name).join(format!("{hash}.yaml"))
    }

    /// Returns the hashes of the kept versions with the times of writing.
    pub fn kept_versions(&self, name: &str) -> Vec<(String, Option<Moment>)> {
        let entries = std::fs::read_dir(self.versions(name)).into_iter().flatten().flatten();
        let versions = entries.filter_map(|entry| {
            let hash = entry.file_name().to_str()?.strip_suffix(".yaml")?.to_owned();
            is_hash(&hash).then(|| (hash, files::modified_at(&entry.path())))
        });
        versions.collect()
    }

    /// Lists the agent files, by name without `.yaml`; files that end in `.yml` keep their extension.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let Ok(file) = entry?.file_name().into_string() else { continue };
            if file.starts_with('.') {
                continue;
            }
            match file.strip_suffix(".yaml") {
                Some(name) => found.push(name.to_owned()),
                None if file.ends_with(OTHER_ENDING) => found.push(file),
                None => {}
            }
        }
        found.sort();
        Ok(found)
    }

    /// Returns the stamp of a file; `None` if there is no such file.
    pub fn stamp(&self, name: &str) -> Option<Stamp> {
        let path = self.file(name);
        let own = std::fs::symlink_metadata(&path).ok()?;
        // A link has the stamp of its target; a dangling one has the stamp of the link itself.
        let facts = if own.is_symlink() { std::fs::metadata(&path).unwrap_or(own) } else { own };
        Some(Stamp::from_metadata(&facts))
    }

    /// Reads the text of an agent's file.
    pub fn read(&self, name: &str) -> io::Result<String> {
        if name.ends_with(OTHER_ENDING) {
            return Err(io::Error::other("an agent's file must end in .yaml; rename it"));
        }
        let path = self.file(name);
        if std::fs::symlink_metadata(&path)?.is_symlink() {
            let target = std::fs::canonicalize(&path)?;
            if !target.starts_with(std::fs::canonicalize(&self.path)?) {
                return Err(io::Error::other("it is a link that leads out of the agents' folder"));
            }
            return read(&target);
        }
        read(&path)
    }

    /// Reads the text of a kept version.
    pub fn read_version(&self, name: &str, hash: &str) -> io::Result<String> {
        read(&self.version(name, hash))
    }

    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.file(name);
        let mode = std::fs::symlink_metadata(&path).ok().filter(Metadata::is_file);
        write(&path, text, mode.as_ref())
    }

    /// Writes a version unless it exists already.
    pub fn keep(&self, name: &str, hash: &str, text: &str) -> io::Result<()> {
        let path = self.version(name, hash);
        if std::fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file()) {
            return Ok(());
        }
        std::fs::create_dir_all(self.versions(name))?;
        write(&path, text, None)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.file(name))?;
        sync(&self.path)
    }

    /// Removes temporary files that interrupted writes left behind.
    pub fn sweep(&self) {
        sweep(&self.path);
        for versions in std::fs::read_dir(self.path.join(VERSIONS)).into_iter().flatten().flatten() {
            sweep(&versions.path());
        }
    }
}

fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(".new")) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// True if the word is a SHA-256 hash in lower-case hexadecimal.
pub fn is_hash(word: &str) -> bool {
    word.len() == 64 && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads a regular file of at most `FILE_BYTES`. Pipes and links are refused: a pipe would block.
pub fn read(path: &Path) -> io::Result<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NOFOLLOW | O_NONBLOCK);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(io::Error::other(format!("it has more than {} kB", FILE_BYTES / 1024)));
    }
    String::from_utf8(bytes).map_err(|fault| {
        let read = &fault.as_bytes()[..fault.utf8_error().valid_up_to()];
        io::Error::other(NotText { line: 1 + read.iter().filter(|byte| **byte == b'\n').count() as u64 })
    })
}

/// Error of a file that is not UTF-8.
#[derive(Debug, thiserror::Error)]
#[error("it is not UTF-8 text")]
pub struct NotText {
    /// Line of the first invalid byte.
    pub line: u64,
}

/// Converts an I/O error into a fault of the file.
pub fn to_fault(error: &io::Error) -> SpecFault {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<NotText>());
    SpecFault::new("", error.to_string()).on_line(Some(inner.map_or(1, |not| not.line)))
}

/// Writes a temporary file, syncs it, and renames it to `path`: readers never see half a file, and a full
/// disk leaves the old file as it was.
fn write(path: &Path, text: &str, like: Option<&Metadata>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::Error::other("it is not a file of a folder"));
    };
    let beside = folder.join(format!(".{name}.{}.new", ids::token()));
    let written = fill(&beside, text, like).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written?;
    sync(folder)
}

fn fill(path: &Path, text: &str, like: Option<&Metadata>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    if let Some(facts) = like {
        file.set_permissions(facts.permissions())?;
    }
    file.sync_all()
}

/// Syncs the folder, so that the rename itself is on disk.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

//! The notes of one folder: regular files that end in `.md`, limited in size and number. Links that lead out
//! of the agents' folder are not followed.

use crate::knowledge::passage::{RefusedNote, Scope};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum size of a note in bytes, and maximum number of notes in a folder.
pub const FILE_BYTES: u64 = 1024 * 1024;
/// Most files of a folder of notes.
pub const FILES: usize = 500;

/// Name of a folder of notes, both of one agent and of all agents.
const NAME: &str = "knowledge";
/// Granularity of file times. A file modified more recently than this may change again without a new time.
const TICK: Duration = Duration::from_secs(2);

/// A folder of notes.
#[derive(Clone, Debug)]
pub struct NoteFolder {
    /// Path relative to the agents' folder, which identifies the folder.
    pub key: String,
    path: PathBuf,
    agents: PathBuf,
}

/// A readable note.
#[derive(Clone, Debug)]
pub struct Note {
    pub name: String,
    /// Identifies the state of the file without reading it. Empty if the file was modified too recently to
    /// tell.
    pub stamp: String,
    path: PathBuf,
}

/// Returns the folders in scope. If two have a note of the same name, the one in the earlier folder wins.
pub fn folders_in_scope(agents: &Path, scope: &Scope) -> Vec<NoteFolder> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let own = (!scope.agent.is_empty() && scope.agent.chars().all(plain))
        .then(|| format!("{}/{NAME}", scope.agent));
    let shared = scope.shared.then(|| String::from(NAME));
    let folder = |key: String| NoteFolder { path: agents.join(&key), agents: agents.to_owned(), key };
    own.into_iter().chain(shared).map(folder).collect()
}

/// Reports whether a note, and the agent whose folder it is in, still exist.
pub fn is_there(agents: &Path, folder: &str, name: &str) -> bool {
    let owned = folder.split_once('/').is_none_or(|(own, _)| agents.join(format!("{own}.yaml")).is_file());
    owned && agents.join(folder).join(format!("{name}.md")).is_file()
}

impl NoteFolder {
    /// Lists the notes by name, and the refused files with reasons. Empty if the folder does not exist.
    pub fn notes(&self) -> (Vec<Note>, Vec<RefusedNote>) {
        let (mut notes, mut refused) = (Vec::new(), Vec::new());
        let Ok(entries) = std::fs::read_dir(&self.path) else { return (notes, refused) };
        if !self.is_within(&self.path) {
            let why = String::from("it leads out of the agents' folder");
            return (notes, vec![RefusedNote { name: self.key.clone(), why }]);
        }
        let files = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            files.filter_map(|file| Some(file.strip_suffix(".md")?.to_owned())).collect();
        names.retain(|name| !name.is_empty() && !name.starts_with('.'));
        names.sort();
        for name in names {
            let refuse = |why: String| RefusedNote { name: format!("{name}.md"), why };
            if notes.len() == FILES {
                refused.push(refuse(format!("the folder has more than {FILES} files")));
                break;
            }
            match self.note(&name) {
                Ok(note) => notes.push(note),
                Err(fault) => refused.push(refuse(fault.to_string())),
            }
        }
        (notes, refused)
    }

    fn note(&self, name: &str) -> io::Result<Note> {
        let path = self.path.join(format!("{name}.md"));
        if !self.is_within(&path) {
            return Err(io::Error::other("it leads out of the agents' folder"));
        }
        let path = std::fs::canonicalize(&path)?;
        let metadata = std::fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        if metadata.len() > FILE_BYTES {
            return Err(too_long());
        }
        Ok(Note { name: name.to_owned(), stamp: stamp(&metadata), path })
    }

    fn is_within(&self, path: &Path) -> bool {
        let whole = |path: &Path| std::fs::canonicalize(path).ok();
        whole(path).zip(whole(&self.agents)).is_some_and(|(path, agents)| path.starts_with(agents))
    }
}

impl Note {
    /// Reads the text, and computes its hash.
    pub fn read(&self) -> io::Result<(String, String)> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NOFOLLOW | O_NONBLOCK);
        }
        let file: File = options.open(&self.path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(too_long());
        }
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))?;
        Ok((text, hash))
    }
}

fn too_long() -> io::Error {
    io::Error::other(format!("it has more than {} kB; cut it into several", FILE_BYTES / 1024))
}

#[expect(clippy::disallowed_methods, reason = "the clock of the file system, not one that a test turns")]
fn stamp(metadata: &Metadata) -> String {
    let Ok(modified) = metadata.modified() else { return String::new() };
    if SystemTime::now().duration_since(modified).map_or(true, |age| age <= TICK) {
        return String::new();
    }
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}.{} {} {inode}", since.as_secs(), since.subsec_nanos(), metadata.len())
}

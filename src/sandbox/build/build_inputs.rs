//! Inputs of a build, read from the agent's folder, and the hash over all of them.

use crate::agent_spec::files::folder;
use crate::agent_spec::types::build::{Image, Pip};
use crate::sandbox::build::error::BuildError;
use crate::sandbox::build::lock_file::Lock;
use crate::sandbox::build::{containerfile, lock_file};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const MB: u64 = 1024 * 1024;
/// Folder with package files, in the agent's folder.
const WHEELS: &str = "wheels";
const PACKED: [&str; 3] = [".whl", ".tar.gz", ".zip"];

/// The inputs of a build and their hash.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    pub key: String,
    pub agent: String,
    pub what: BuildInputs,
    /// Version of the Python interpreter that the packages are for.
    python: String,
}

/// Sources of a build.
#[derive(Clone, Debug)]
pub enum BuildInputs {
    Packages { lock: Lock, wheels: Vec<PathBuf> },
    Image { containerfile: String, context: Vec<(PathBuf, PathBuf)> },
}

/// Plans a build of the packages in a lock file, for this version of Python.
pub fn packages(
    agent: &str,
    folder: &Path,
    pip: &Pip,
    python: &str,
    max_mb: u64,
) -> Result<BuildPlan, BuildError> {
    let text = read_text(folder, &pip.lock)?;
    let lock = lock_file::read(&text).map_err(|fault| BuildError::Lock { file: pip.lock.clone(), fault })?;
    let mut wheels: Vec<PathBuf> = plain_files(&folder.join(WHEELS))
        .into_iter()
        .filter(|path| PACKED.iter().any(|ending| path.to_string_lossy().ends_with(ending)))
        .collect();
    wheels.sort();
    BuildPlan::from_inputs(agent, BuildInputs::Packages { lock, wheels }, python, max_mb)
}

/// Plans the build of an image: from a Containerfile in the agent's folder, with the other files of that
/// folder as its context, or from the image settings alone.
pub fn image(agent: &str, folder: &Path, image: &Image, max_mb: u64) -> Result<BuildPlan, BuildError> {
    let (containerfile, context) = match (&image.file, &image.from) {
        (Some(file), _) => (read_text(folder, file)?, below(folder)),
        (None, Some(from)) => (containerfile::generate_containerfile(from, &image.packages), Vec::new()),
        (None, None) => return Err(BuildError::Section(String::from("`image` has neither file nor from"))),
    };
    BuildPlan::from_inputs(agent, BuildInputs::Image { containerfile, context }, "", max_mb)
}

impl BuildPlan {
    fn from_inputs(agent: &str, what: BuildInputs, python: &str, max_mb: u64) -> Result<Self, BuildError> {
        let key = what.hashed(python, max_mb)?;
        Ok(Self { key, agent: agent.to_owned(), what, python: python.to_owned() })
    }

    /// Reports whether the copies have the same hash. Otherwise the folder has changed since the hash was
    /// computed.
    pub fn matches_copies(&self, given: &Path, max_mb: u64) -> Result<bool, BuildError> {
        let copies = match &self.what {
            BuildInputs::Packages { lock, wheels } => {
                let copy = |path: &PathBuf| given.join(WHEELS).join(path.file_name().unwrap_or_default());
                BuildInputs::Packages { lock: lock.clone(), wheels: wheels.iter().map(copy).collect() }
            }
            BuildInputs::Image { containerfile, context } => {
                let copy = |(_, name): &(PathBuf, PathBuf)| (given.join("context").join(name), name.clone());
                let context = context.iter().map(copy).collect();
                BuildInputs::Image { containerfile: containerfile.clone(), context }
            }
        };
        Ok(copies.hashed(&self.python, max_mb)? == self.key)
    }

    /// Copies the inputs to the folder that is built from.
    pub fn copy_to(&self, given: &Path) -> io::Result<()> {
        match &self.what {
            BuildInputs::Packages { lock, wheels } => {
                fs::write(given.join("requirements.txt"), &lock.text)?;
                let folder = given.join(WHEELS);
                fs::create_dir(&folder)?;
                for path in wheels {
                    copy_readable(path, &folder.join(path.file_name().unwrap_or_default()))?;
                }
            }
            BuildInputs::Image { containerfile, context } => {
                fs::write(given.join("Containerfile"), containerfile)?;
                let folder = given.join("context");
                fs::create_dir(&folder)?;
                for (path, name) in context {
                    let to = folder.join(name);
                    fs::create_dir_all(to.parent().unwrap_or(&folder))?;
                    copy_readable(path, &to)?;
                }
            }
        }
        Ok(())
    }
}

impl BuildInputs {
    fn hashed(&self, python: &str, max_mb: u64) -> Result<String, BuildError> {
        let mut hash;
        match self {
            Self::Packages { lock, wheels } => {
                hash = InputHasher::for_kind("pip", max_mb);
                hash.add_text(python);
                hash.add_text(&lock.text);
                for path in wheels {
                    hash.file(path, path.file_name().map_or(path.as_path(), Path::new))?;
                }
            }
            Self::Image { containerfile, context } => {
                hash = InputHasher::for_kind("image", max_mb);
                hash.add_text(containerfile);
                for (path, name) in context {
                    hash.file(path, name)?;
                }
            }
        }
        Ok(hash.done())
    }
}

/// Copies a file and makes the copy readable for the build process.
fn copy_readable(from: &Path, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::copy(from, to)?;
    let mode = fs::metadata(to)?.permissions().mode() & 0o111 | 0o644;
    fs::set_permissions(to, fs::Permissions::from_mode(mode))
}

struct InputHasher {
    digest: Sha256,
    bytes_left: u64,
    max_mb: u64,
}

impl InputHasher {
    fn for_kind(kind: &str, max_mb: u64) -> Self {
        let mut hash = Self { digest: Sha256::new(), bytes_left: max_mb.saturating_mul(MB), max_mb };
        hash.add_text(kind);
        hash
    }

    /// Hashes a text with its length, so that adjacent values cannot be confused.
    fn add_text(&mut self, words: &str) {
        self.digest.update((words.len() as u64).to_le_bytes());
        self.digest.update(words.as_bytes());
    }

    fn file(&mut self, path: &Path, name: &Path) -> Result<(), BuildError> {
        let fault_of = |fault: io::Error| file_fault(name, &fault);
        self.add_text(&name.to_string_lossy());
        let mut file = File::open(path).map_err(fault_of)?;
        let size = file.metadata().map_err(fault_of)?.len();
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or(BuildError::Large(self.max_mb))?;
        self.digest.update(size.to_le_bytes());
        let mut part = vec![0; 128 * 1024];
        loop {
            let read = file.read(&mut part).map_err(fault_of)?;
            if read == 0 {
                return Ok(());
            }
            self.digest.update(part.get(..read).unwrap_or_default());
        }
    }

    fn done(self) -> String {
        self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn file_fault(name: &Path, fault: &io::Error) -> BuildError {
    let why = match fault.kind() {
        io::ErrorKind::NotFound => {
            String::from("it is not there; put it beside the agent's file, in the folder of its name")
        }
        _ => fault.to_string(),
    };
    BuildError::File { file: name.display().to_string(), why }
}

/// Reads a text file of the agent's folder. Fails if a link leads out of the folder.
fn read_text(folder: &Path, name: &str) -> Result<String, BuildError> {
    let path = folder.join(name);
    let read = || {
        if !fs::canonicalize(&path)?.starts_with(fs::canonicalize(folder)?) {
            return Err(io::Error::other("it is a link that leads out of the agent's folder"));
        }
        folder::read(&path)
    };
    read().map_err(|fault| file_fault(Path::new(name), &fault))
}

/// Lists the regular files of a folder, without links and hidden files.
fn plain_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    plain.map(|entry| entry.path()).collect()
}

/// Lists all regular files below a folder, with their paths relative to it.
fn below(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(inner) = folders.pop() {
        found.extend(plain_files(&inner));
        let entries = fs::read_dir(&inner).into_iter().flatten().flatten();
        let inside = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inside.map(|entry| entry.path()));
    }
    found.sort();
    let named = found.into_iter().filter_map(|path| {
        let name = path.strip_prefix(folder).ok()?.to_owned();
        Some((path, name))
    });
    named.collect()
}

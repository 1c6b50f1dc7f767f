//! The cache of builds on the disk, with one folder per hash of the inputs. A build is made in a staging
//! folder and moved into the cache by rename when it is complete, so an entry is never partial.

use crate::clock::Moment;
use crate::ids;
use serde::{Deserialize, Serialize};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const ABOUT: &str = "build.json";
const USED: &str = "used";
/// Subfolder with the packages of a build.
const SITE: &str = "site";
const DAY_MS: i64 = 86_400_000;

/// Folder of finished builds, by the hash of their sources.
#[derive(Clone, Debug)]
pub struct BuildCache {
    folder: PathBuf,
}

/// Metadata of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildMetadata {
    pub agent: String,
    pub made_at: String,
    /// Name of the image, if the build is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

/// A staging folder, removed when dropped.
#[derive(Debug)]
pub struct Staging(PathBuf);

impl Staging {
    /// Folder with the inputs, which the build only reads.
    pub fn input_folder(&self) -> PathBuf {
        self.0.join("in")
    }

    /// Folder for the result.
    pub fn result_folder(&self) -> PathBuf {
        self.0.join("out")
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Files that ending processes still write remain, and are removed at the next start.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl BuildCache {
    /// Opens the cache, and removes unfinished builds of an earlier process.
    pub fn open(folder: PathBuf) -> Self {
        let cache = Self { folder };
        for entry in cache.entries().filter(|name| name.starts_with('.')) {
            let _ = fs::remove_dir_all(cache.folder.join(entry));
        }
        cache
    }

    fn entries(&self) -> impl Iterator<Item = String> + use<> {
        let found = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        found.filter_map(|entry| entry.file_name().into_string().ok())
    }

    /// Reads the metadata of the build with this hash.
    pub fn about(&self, key: &str) -> Option<BuildMetadata> {
        serde_json::from_slice(&fs::read(self.folder.join(key).join(ABOUT)).ok()?).ok()
    }

    /// Returns the package folder of the build with this hash.
    pub fn site(&self, key: &str) -> PathBuf {
        self.folder.join(key).join(SITE)
    }

    /// Creates a folder for a build under way.
    pub fn staging(&self) -> io::Result<Staging> {
        let staging = Staging(self.folder.join(format!(".{}", ids::token())));
        fs::create_dir_all(staging.input_folder())?;
        fs::create_dir_all(staging.result_folder())?;
        Ok(staging)
    }

    /// Moves the result into the cache atomically.
    pub fn store(&self, staging: &Staging, key: &str, about: &BuildMetadata) -> io::Result<()> {
        let whole = staging.0.join("whole");
        fs::create_dir(&whole)?;
        let site = staging.result_folder().join(SITE);
        if about.image.is_none() {
            // pip creates no folder if the conditions in a lock exclude every package.
            fs::create_dir_all(&site)?;
            seal(&site)?;
            fs::rename(&site, whole.join(SITE))?;
        }
        fs::write(whole.join(ABOUT), serde_json::to_vec(about)?)?;
        used(&whole)?;
        // Flush to the disk before the rename. Otherwise a power failure could leave a partial entry.
        rustix::fs::syncfs(fs::File::open(&whole)?)?;
        match fs::rename(&whole, self.folder.join(key)) {
            Err(_) if self.about(key).is_some() => Ok(()),
            moved => moved,
        }
    }

    /// Marks the build as used now.
    pub fn touch(&self, key: &str) {
        let _ = used(&self.folder.join(key));
    }

    /// Returns the builds that have not been used for this many days.
    pub fn unused_for(&self, days: u64) -> Vec<String> {
        let age = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS);
        let before = Moment::now().millis().saturating_sub(age);
        let last = |key: &String| -> i64 {
            let stored = fs::read_to_string(self.folder.join(key).join(USED)).unwrap_or_default();
            stored.trim().parse().unwrap_or(0)
        };
        self.entries().filter(|name| !name.starts_with('.') && last(name) <= before).collect()
    }

    /// Removes a build. The folder is renamed first, so that a partly removed one is never taken for a build.
    pub fn remove(&self, key: &str) -> io::Result<()> {
        let away = self.folder.join(format!(".{}", ids::token()));
        fs::rename(self.folder.join(key), &away)?;
        fs::remove_dir_all(away)
    }
}

fn used(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(USED), Moment::now().millis().to_string())
}

/// Makes all files below the folder read-only.
fn seal(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                let mode = metadata.permissions().mode() & 0o111 | 0o444;
                fs::set_permissions(entry.path(), Permissions::from_mode(mode))?;
            }
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}

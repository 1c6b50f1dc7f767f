//! Folders mounted into a sandbox, and their return to the service.
//!
//! A service that runs as root gives them to an unprivileged user: through a group, so that the service keeps
//! the ownership of its files, and in a mount namespace of the guard, because that user may not access the
//! folders' parents.

use crate::sandbox::guard_messages::{Isolation, SandboxRequest};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Group that may access the mounted folders if the service is root. The number is unassigned by convention.
pub const GROUP: u32 = 65_527;
/// First of the user ids for programs, one per guard, so that programs can neither access each other nor use
/// up each other's limits.
const USERS: u32 = 0x7000_0000;
/// Mount points for a guard that runs as root. The mounts are invisible to other processes.
const STAGES: [&str; 4] = ["/mnt", "/media", "/srv", "/tmp"];

/// Folders mounted for one program.
pub struct Mounts {
    hold: Isolation,
    /// User of the program, if that is not the service's.
    pub user: Option<u32>,
    /// The run's files: path in the service, and path for the program's user.
    files: Option<(PathBuf, PathBuf)>,
    /// True if the program may not change the run's files.
    pub files_read_only: bool,
    /// Additional readable paths: actual location, and location in the sandbox.
    pub readable: Vec<(PathBuf, PathBuf)>,
    /// Scratch folder if the isolation provides none: path in the service, and path for the program's user.
    scratch: Option<(PathBuf, PathBuf)>,
    stage: Option<&'static str>,
}

impl Mounts {
    /// Creates the scratch folder and the mounts of a request.
    pub fn prepare(request: &SandboxRequest) -> Result<Self, String> {
        let root = nix::unistd::geteuid().is_root() && request.hold != Isolation::Bare;
        let mut mounts = Self {
            hold: request.hold.clone(),
            user: root.then(user),
            files: request.files.clone().map(|files| (files.clone(), files)),
            files_read_only: request.files_read_only,
            readable: request.readable.iter().map(|path| (path.clone(), path.clone())).collect(),
            scratch: None,
            stage: None,
        };
        if let Some((files, _)) = &mounts.files {
            private_folder(files).map_err(|fault| format!("{}: {fault}", files.display()))?;
            lend(files, mounts.user).map_err(|fault| format!("{}: {fault}", files.display()))?;
        }
        if !mounts.is_namespaced() {
            scratch(&request.scratch, mounts.user).map_err(|fault| format!("its scratch folder: {fault}"))?;
            mounts.scratch = Some((request.scratch.clone(), request.scratch.clone()));
        }
        let lends = mounts.files.is_some() || !mounts.readable.is_empty() || mounts.scratch.is_some();
        if lends && mounts.user.is_some() {
            mounts.stage().map_err(|fault| {
                format!("what it is lent cannot be mounted: {fault}; run the service as a common user")
            })?;
        }
        Ok(mounts)
    }

    /// True if the program has file systems of its own.
    pub fn is_namespaced(&self) -> bool {
        matches!(self.hold, Isolation::Bubblewrap(_))
    }

    /// Returns the location of the run's files for the program's user.
    pub fn files(&self) -> Option<&Path> {
        self.files.as_ref().map(|(_, reached)| reached.as_path())
    }

    /// Returns the scratch folder, as this process reaches it.
    pub fn scratch(&self) -> Option<&Path> {
        self.scratch.as_ref().map(|(_, reached)| reached.as_path())
    }

    /// Returns the location, for the program's user, of a path that may lie in a readable folder.
    pub fn path_for_program(&self, path: &str) -> PathBuf {
        let shown_path = |(found, shown): &(PathBuf, PathBuf)| {
            Path::new(path).strip_prefix(shown).ok().map(|rest| found.join(rest))
        };
        self.readable.iter().find_map(shown_path).unwrap_or_else(|| path.into())
    }

    /// Returns the folders of this machine that the program can write to.
    pub fn writable_folders(&self) -> Vec<PathBuf> {
        let files = self.files().filter(|_| !self.files_read_only);
        files.into_iter().chain(self.scratch()).map(Path::to_owned).collect()
    }

    /// Mounts the folders where any user can access them. Opens all of them before the stage may hide one.
    fn stage(&mut self) -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let none: Option<&str> = None;
        mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
        let files = self.files.iter_mut().map(|(_, reached)| reached);
        let readable = self.readable.iter_mut().map(|(found, _)| found);
        let mut opened = Vec::new();
        for path in files.chain(readable).chain(self.scratch.iter_mut().map(|(_, reached)| reached)) {
            let opened_folder = File::options()
                .read(true)
                .custom_flags(nix::libc::O_PATH | nix::libc::O_DIRECTORY)
                .open(&*path)?;
            opened.push((path, opened_folder));
        }
        let stage =
            STAGES.into_iter().find(|stage| Path::new(stage).is_dir()).ok_or(io::ErrorKind::NotFound)?;
        mount(
            Some("askfirst"),
            stage,
            Some("tmpfs"),
            MsFlags::MS_NOSUID | MsFlags::MS_NODEV,
            Some("mode=755,size=1m"),
        )?;
        for (number, (path, opened_folder)) in opened.into_iter().enumerate() {
            let staged = Path::new(stage).join(number.to_string());
            fs::create_dir(&staged)?;
            let source = format!("/proc/self/fd/{}", opened_folder.as_raw_fd());
            mount(Some(source.as_str()), &staged, none, MsFlags::MS_BIND | MsFlags::MS_REC, none)?;
            *path = staged;
        }
        self.stage = Some(stage);
        Ok(())
    }

    /// Returns the written files to the service's ownership, and removes links and special files.
    pub fn take_back(&self) -> io::Result<()> {
        let taken = self.files().map_or(Ok(()), |files| take_back(files, self.user));
        if let Some(stage) = self.stage {
            let _ = nix::mount::umount2(stage, nix::mount::MntFlags::MNT_DETACH);
        }
        match &self.scratch {
            Some((folder, _)) => taken.and(fs::remove_dir_all(folder)),
            None => taken,
        }
    }
}

/// Returns a user id for this guard alone, or the group's number in a container that maps few ids.
fn user() -> u32 {
    let own = USERS + std::process::id();
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let numbers = map.lines().map(|line| line.split_whitespace().map(str::parse::<u32>).collect::<Vec<_>>());
    let known = numbers.into_iter().any(|line| match line.as_slice() {
        [Ok(first), _, Ok(count)] => own.checked_sub(*first).is_some_and(|index| index < *count),
        _ => false,
    });
    if known { own } else { GROUP }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    if metadata.is_dir() { Ok(()) } else { Err(io::Error::new(io::ErrorKind::NotADirectory, "is no folder")) }
}

/// Creates the scratch folder of a call, with a working folder and a folder for temporary files.
fn scratch(folder: &Path, user: Option<u32>) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for path in [folder.to_owned(), folder.join("work"), folder.join("tmp")] {
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        if user.is_some() {
            std::os::unix::fs::lchown(&path, user, user.map(|_| GROUP))?;
        }
    }
    Ok(())
}

/// Opens the files to the group of another user.
fn lend(files: &Path, user: Option<u32>) -> io::Result<()> {
    if user.is_none() {
        return Ok(());
    }
    visit_tree(files, &mut |path, metadata| {
        if !(metadata.is_file() || metadata.is_dir()) {
            return Ok(());
        }
        std::os::unix::fs::lchown(path, None, Some(GROUP))?;
        let more = if metadata.is_dir() { 0o070 } else { 0o060 | ((metadata.mode() & 0o100) >> 3) };
        fs::set_permissions(path, Permissions::from_mode(metadata.mode() & 0o7777 | more))
    })
}

fn take_back(files: &Path, user: Option<u32>) -> io::Result<()> {
    let me = nix::unistd::geteuid().as_raw();
    visit_tree(files, &mut |path, metadata| {
        let kind = metadata.file_type();
        let strange = kind.is_symlink() || kind.is_fifo() || kind.is_socket();
        if strange || kind.is_block_device() || kind.is_char_device() {
            return fs::remove_file(path);
        }
        if user.is_some() && metadata.uid() != me {
            std::os::unix::fs::lchown(path, Some(me), None)?;
        }
        // No set-user-id bits, and nothing that its owner cannot read.
        let needed = if metadata.is_dir() { 0o700 } else { 0o600 };
        let needed = if user.is_some() { needed | needed >> 3 } else { needed };
        let mode = metadata.mode() & 0o777 | needed;
        if mode == metadata.mode() & 0o7777 {
            Ok(())
        } else {
            fs::set_permissions(path, Permissions::from_mode(mode))
        }
    })
}

/// Visits a folder and everything below it, parents first. Files that vanish meanwhile belong to another call
/// with the same files. Removes folders that contain paths too long to be named.
fn visit_tree(folder: &Path, visit: &mut dyn FnMut(&Path, &Metadata) -> io::Result<()>) -> io::Result<()> {
    let mut paths = vec![folder.to_owned()];
    while let Some(path) = paths.pop() {
        match visit_path(&path, visit) {
            Ok(more) => paths.extend(more),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
            Err(fault) if fault.raw_os_error() == Some(nix::libc::ENAMETOOLONG) => {
                match fs::remove_dir_all(path.parent().unwrap_or(folder)) {
                    Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
                    Ok(()) | Err(_) => {}
                }
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

/// Visits a path and returns its entries if it is a folder.
fn visit_path(
    path: &Path,
    visit: &mut dyn FnMut(&Path, &Metadata) -> io::Result<()>,
) -> io::Result<Vec<PathBuf>> {
    let metadata = fs::symlink_metadata(path)?;
    visit(path, &metadata)?;
    if !metadata.is_dir() {
        return Ok(Vec::new());
    }
    Ok(fs::read_dir(path)?.flatten().map(|entry| entry.path()).collect())
}

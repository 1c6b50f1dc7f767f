//! Resource limits of a process tree: per-process limits enforced by the kernel, and a watch over the totals
//! of the tree, which the kernel does not limit.

use crate::sandbox::guard::mounts::Mounts;
use crate::sandbox::guard::{mounts, process_memory, process_tree};
use crate::sandbox::guard_messages::{ExceededLimit, ResourceLimits, SandboxRequest};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Margin of the kernel's limit above the watch's, so that the watch can report the cause.
const SPARE_PROCESSES: u64 = 16;
const OPEN_FILES: u64 = 128;
/// Folders are scanned once in this number of ticks.
const SELDOM: u32 = 10;
const MB: u64 = 1024 * 1024;

/// Sets the limits of a process, or of this one if `process` is `None`.
///
/// Memory counts as writable data, because programs reserve gigabytes of addresses that they never touch. The
/// kernel's limit is twice the bound: most programs grow gradually, so that the watch stops them first and
/// reports the cause.
pub fn limit(process: Option<u32>, bounds: &ResourceLimits, processes: Option<u64>) -> Result<(), String> {
    let process = process.and_then(|number| Pid::from_raw(i32::try_from(number).ok()?));
    let memory = bounds.memory_mb.saturating_mul(2 * MB);
    let size = bounds.scratch_mb.saturating_mul(MB);
    let mut limits = vec![
        (Resource::Cpu, bounds.cpu_s, bounds.cpu_s.saturating_add(1)),
        (Resource::Data, memory, memory),
        (Resource::Fsize, size, size),
        (Resource::Core, 0, 0),
        (Resource::Nofile, OPEN_FILES, OPEN_FILES),
        (Resource::Memlock, 0, 0),
        (Resource::Msgqueue, 0, 0),
    ];
    limits.extend(processes.map(|most| (Resource::Nproc, most, most)));
    for (resource, soft, hard) in limits {
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Rlimit { current: Some(soft.min(most)), maximum: Some(hard.min(most)) };
        prlimit(process, resource, limit).map_err(|fault| format!("the limit {resource:?}: {fault}"))?;
    }
    Ok(())
}

/// Sets the limits of a process of another user. The kernel permits this to the same real user only; root in
/// a container has no power over the limits of others.
pub fn limit_process(
    user: Option<u32>,
    process: u32,
    bounds: &ResourceLimits,
    processes: u64,
) -> Result<(), String> {
    use nix::unistd::{Gid, Uid, getegid, geteuid, setresgid, setresuid};
    let (me, my_group) = (geteuid(), getegid());
    let be = |user: Uid, group: Gid| {
        setresgid(group, my_group, my_group)
            .and_then(|()| setresuid(user, me, me))
            .map_err(|fault| fault.to_string())
    };
    if let Some(user) = user {
        be(Uid::from_raw(user), Gid::from_raw(mounts::GROUP))?;
    }
    let limited = limit(Some(process), bounds, Some(processes));
    if user.is_some() {
        be(me, my_group)?;
    }
    limited
}

/// Raises this process's limit of open files, which the removal of deeply nested folders may need.
pub fn unlimited_files() {
    let most = getrlimit(Resource::Nofile).maximum;
    let _ = prlimit(None, Resource::Nofile, Rlimit { current: most, maximum: most });
}

/// Returns the kernel's limit of processes and threads for this bound.
pub fn with_spare(processes: u64) -> u64 {
    processes.saturating_add(SPARE_PROCESSES)
}

/// Watch over the resources of a process tree.
pub struct ResourceWatch {
    top: u32,
    bounds: ResourceLimits,
    /// True if the tree has file systems of its own, whose files the kernel counts.
    counted: bool,
    /// Folders to scan, each with its initial content.
    writable_folders: Vec<(PathBuf, FolderSize)>,
    ticks: u32,
}

/// Size of a folder's content.
#[derive(Clone, Copy, Default)]
pub struct FolderSize {
    pub bytes: u64,
    pub entries: u64,
}

impl ResourceWatch {
    /// Creates the watch of the process tree below `top`. Content that its folders have now does not count.
    pub fn new(request: &SandboxRequest, top: u32, mounts: &Mounts) -> Self {
        let writable_folders = mounts.writable_folders().into_iter().map(|folder| {
            let held = held(&folder);
            (folder, held)
        });
        Self {
            top,
            bounds: request.bounds,
            counted: mounts.is_namespaced(),
            writable_folders: writable_folders.collect(),
            ticks: 0,
        }
    }

    /// Returns the first bound that is exceeded.
    pub fn exceeded(&mut self) -> Option<ExceededLimit> {
        let processes = process_tree::descendants(self.top);
        if processes.len() as u64 > self.bounds.processes {
            return Some(ExceededLimit::Processes);
        }
        let enough = self.bounds.memory_mb.saturating_mul(1024);
        if process_memory::kilobytes(&processes, enough) > enough {
            return Some(ExceededLimit::Memory);
        }
        self.ticks = self.ticks.wrapping_add(1);
        if self.counted && self.files() > self.bounds.entries {
            return Some(ExceededLimit::Scratch);
        }
        let most = self.bounds.scratch_mb.saturating_mul(MB);
        let grown = |(folder, before): &(PathBuf, FolderSize)| {
            let now = held(folder);
            now.bytes.saturating_sub(before.bytes) > most
                || now.entries.saturating_sub(before.entries) > self.bounds.entries
        };
        (self.ticks.is_multiple_of(SELDOM) && self.writable_folders.iter().any(grown))
            .then_some(ExceededLimit::Scratch)
    }
}

impl ResourceWatch {
    /// Returns the number of files in the program's own file systems. Returns 0 before the program has
    /// entered them, while its root is still the machine's.
    fn files(&self) -> u64 {
        let root = PathBuf::from(format!("/proc/{}/root", self.top));
        let device = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.dev()).ok();
        if device(&root).is_none_or(|own| Some(own) == device(Path::new("/"))) {
            return 0;
        }
        let disks = ["tmp", "dev/shm"]
            .into_iter()
            .filter_map(|name| nix::sys::statvfs::statvfs(&root.join(name)).ok());
        disks.map(|disk| disk.files().saturating_sub(disk.files_free())).max().unwrap_or(0)
    }
}

/// Returns the bytes and entries of a folder and everything below it.
fn held(folder: &Path) -> FolderSize {
    let mut held = FolderSize::default();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            held.entries += 1;
            held.bytes = held.bytes.saturating_add(metadata.blocks().saturating_mul(512));
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    held
}

//! Parts of the system that every program may read: programs, libraries, and the files of `/etc` that those
//! need. Nothing about accounts, keys or settings.

use std::path::{Path, PathBuf};

/// Folders of the root that are links into `/usr` on most systems.
pub const ROOTS: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

const ETC: [&str; 12] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/localtime",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/mime.types",
    "/etc/magic",
    "/etc/os-release",
    "/etc/papersize",
];

/// Files for name resolution and certificates.
const NETWORK: [&str; 8] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
];

/// Returns the readable paths of `/etc`.
pub fn shown(network: bool) -> impl Iterator<Item = &'static str> {
    ETC.into_iter().chain(NETWORK.into_iter().filter(move |_| network))
}

/// Returns the environment variables that are always set.
pub fn variables(work: &Path, passing: &Path) -> [(&'static str, String); 6] {
    [
        ("PATH", String::from("/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin")),
        ("HOME", work.display().to_string()),
        ("TMPDIR", passing.display().to_string()),
        ("LANG", String::from("C.UTF-8")),
        ("USER", String::from("agent")),
        ("LOGNAME", String::from("agent")),
    ]
}

/// Returns the existing folders of the root that are no links.
pub fn roots() -> impl Iterator<Item = PathBuf> {
    let real = |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    ROOTS.into_iter().map(PathBuf::from).filter(real)
}

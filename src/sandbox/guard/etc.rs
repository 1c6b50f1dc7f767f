//! What of the system a program is shown, whatever holds it: programs and libraries, and a few files of
//! `/etc` that those read. Nothing of accounts, keys or settings.

use std::path::{Path, PathBuf};

/// Folders at the root that are links into `/usr` on most systems.
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

/// What names of hosts and certificates are found by.
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

/// What of `/etc` a program is shown.
pub fn shown(network: bool) -> impl Iterator<Item = &'static str> {
    ETC.into_iter().chain(NETWORK.into_iter().filter(move |_| network))
}

/// The variables that are always there.
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

/// The folders at the root that are there and are no links.
pub fn roots() -> impl Iterator<Item = PathBuf> {
    let real = |path: &PathBuf| path.symlink_metadata().is_ok_and(|facts| facts.is_dir());
    ROOTS.into_iter().map(PathBuf::from).filter(real)
}

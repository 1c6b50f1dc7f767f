//! Programs that tests use and other people make. A test that needs one is marked `#[ignore]`: plain `cargo test`
//! leaves it out, and where it is run without the program it fails and says how to install it.

use std::path::{Path, PathBuf};

/// Returns the path of a program in the target directory, where this script installs it.
pub fn installed_program(within: &str, script: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = target.join(within);
    assert!(path.exists(), "{} is missing; {script} installs it, as make test does", path.display());
    path
}

/// Fails if a program of the system is not installed.
pub fn assert_on_path(name: &str) {
    let folders = std::env::var("PATH").unwrap_or_default();
    let mut folders = folders.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    let there = folders.any(|folder| Path::new(folder).join(name).exists());
    assert!(there, "{name} is missing; scripts/need.sh nginx installs nginx and openssl, as make test does");
}

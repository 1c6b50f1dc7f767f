//! Reports tests that are skipped because a program is not installed. Each prints a message, and writes it to
//! the file that a full test run names (`make test` does), which prints the list at the end.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Environment variable with the path of the list, relative to the sources.
const LIST: &str = "ABSENT_LIST";

/// Returns the path of a program in the target directory, where a script installs it. If it is missing,
/// reports the current test as skipped.
pub fn found(within: &str, script: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = target.join(within);
    if path.exists() {
        return Some(path);
    }
    tell(&format!("{within} is not installed; {script} does that"));
    None
}

/// Reports why the current test is skipped.
pub fn tell(why: &str) {
    let list = std::env::var_os(LIST).map(|list| Path::new(env!("CARGO_MANIFEST_DIR")).join(list));
    note(list.as_deref(), &test(), why);
}

fn note(list: Option<&Path>, test: &str, why: &str) {
    println!("{test} did nothing: {why}");
    if let Some(list) = list {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        // A single write, because other processes append to the file too.
        file.write_all(format!("{test}: {why}\n").as_bytes()).unwrap();
    }
}

/// Returns the name of the current test.
fn test() -> String {
    let thread = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
    thread.or_else(|| std::env::var("NEXTEST_TEST_NAME").ok()).unwrap_or_else(|| String::from("a test"))
}

#[test]
fn skipped_tests_are_listed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    let told = || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/absent.sh");
        let output = std::process::Command::new("bash").arg(script).arg(&list).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(told(), "", "nothing is absent");
    for test in ["openai::chats", "otlp::spans", "openai::chats"] {
        note(Some(&list), test, "clients/bin/python is not installed");
    }
    let told = told();
    assert!(told.contains("2 tests did NOTHING"), "{told}");
    assert_eq!(told.matches("  openai::chats: clients/bin/python is not installed\n").count(), 1, "{told}");
    assert!(test().ends_with("skipped_tests_are_listed_at_the_end"), "{}", test());
}

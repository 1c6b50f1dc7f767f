//! Tests that do nothing, as something of others is not installed: each says so, and where a whole run of the tests
//! names a file (`make test` does), it stands there, to be told at the end.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Where they are gathered, beside the sources.
const LIST: &str = "ABSENT_LIST";

/// A program beside the build, where a script puts it; without it, the test that asks says that it does nothing.
pub fn found(within: &str, script: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = target.join(within);
    if path.exists() {
        return Some(path);
    }
    tell(&format!("{within} is not installed; {script} does that"));
    None
}

/// Says why the test that is under way does nothing.
pub fn tell(why: &str) {
    let list = std::env::var_os(LIST).map(|list| Path::new(env!("CARGO_MANIFEST_DIR")).join(list));
    note(list.as_deref(), &test(), why);
}

fn note(list: Option<&Path>, test: &str, why: &str) {
    println!("{test} did nothing: {why}");
    if let Some(list) = list {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        // In one piece: others write there, too.
        file.write_all(format!("{test}: {why}\n").as_bytes()).unwrap();
    }
}

/// The name of the test that is under way.
fn test() -> String {
    let thread = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
    thread.or_else(|| std::env::var("NEXTEST_TEST_NAME").ok()).unwrap_or_else(|| String::from("a test"))
}

#[test]
fn what_did_nothing_is_told_at_the_end_of_all_tests() {
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
    assert!(test().ends_with("what_did_nothing_is_told_at_the_end_of_all_tests"), "{}", test());
}

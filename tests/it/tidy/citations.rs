//! Comments cite only sources that a reader of the repository can find: rows of docs/requirements.md, sections of
//! the documents, files of the tree.

use super::source::files;
use super::{none, rust, shipped};

/// Documents outside of the repository, in lower case.
const OUTSIDE: [&str; 3] = ["the issue", "spec section", "protocol section"];

/// Comment of a line, without its slashes. The slashes of an address such as `http://host` begin none.
fn find_comment(line: &str) -> Option<&str> {
    let (offset, _) = line.match_indices("//").find(|(offset, _)| !line[..*offset].ends_with(':'))?;
    Some(&line[offset + 2..])
}

/// True if the comment names an issue or a document by number, or a document outside of the repository.
fn cites_outside(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let is_whole = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    ["issue ", "document "].iter().any(|source| comment.split(source).skip(1).any(is_numbered))
        || OUTSIDE.iter().any(|phrase| comment.split(*phrase).skip(1).any(is_whole))
}

/// Names in backticks that are files of Rust code.
fn named_files(comment: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.');
    let quoted = comment.split('`').skip(1).step_by(2);
    quoted.filter(move |name| {
        name.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty() && stem.chars().all(is_name))
    })
}

#[test]
fn comments_cite_nothing_outside_of_the_repository() {
    let mut faults = Vec::new();
    for ending in ["rs", "js", "mjs"] {
        for file in files(&["src", "tests", "benches", "static"], ending) {
            for (number, line) in file.text.lines().enumerate() {
                if find_comment(line).is_some_and(cites_outside) {
                    faults.push(format!(
                        "{}:{}: say the reason instead: {}",
                        file.path,
                        number + 1,
                        line.trim()
                    ));
                }
            }
        }
    }
    none(faults);
}

#[test]
fn files_named_in_comments_exist() {
    let known: Vec<String> = rust().into_iter().map(|file| file.path).collect();
    let exists = |name: &str| known.iter().any(|path| path == name || path.ends_with(&format!("/{name}")));
    let mut faults = Vec::new();
    for file in shipped() {
        for (number, line) in file.text.lines().enumerate() {
            for name in find_comment(line).into_iter().flat_map(named_files).filter(|name| !exists(name)) {
                faults.push(format!("{}:{}: there is no file {name}", file.path, number + 1));
            }
        }
    }
    none(faults);
}

#[test]
fn citations_are_found_in_comments_alone() {
    assert_eq!(find_comment("let a = \"http://host\"; // b"), Some(" b"));
    assert_eq!(find_comment("let a = \"http://host\";"), None);
    for comment in [" Issue 23, 2", "! The issue: why", "/ see SPEC section 3", " (document 000)"] {
        assert!(cites_outside(comment), "{comment}");
    }
    for comment in [" the issuer of a card", " open an issue", " specification"] {
        assert!(!cites_outside(comment), "{comment}");
    }
    let named: Vec<&str> = named_files(" see `tidy/rooms.rs`, `.rs` and `a b.rs`").collect();
    assert_eq!(named, ["tidy/rooms.rs"]);
}

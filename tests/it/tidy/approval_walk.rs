//! The walk of a confirmed approval in ARCHITECTURE.md: it names existing functions and counts them rightly.

use super::none;
use super::source::file;
use std::collections::BTreeSet;

/// The most functions and files that the walk may pass. Both may only fall.
const WALK: (usize, usize) = (99, 42);

/// Functions that a row of the table names, each with its file. Names in parentheses belong to the remarks.
fn named_functions(row: &str) -> Vec<(String, String)> {
    let cell = row.split('|').nth(2).unwrap_or_default();
    let cell: String = cell.split('(').enumerate().map(|(nth, part)| after_remark(nth, part)).collect();
    let mut found = Vec::new();
    let mut path = String::new();
    for name in cell.split('`').skip(1).step_by(2) {
        if name.ends_with(".rs") {
            name.clone_into(&mut path);
        } else if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            found.push((path.clone(), name.to_owned()));
        }
    }
    found
}

/// Text after the remark with which every part but the first begins.
fn after_remark(nth: usize, part: &str) -> &str {
    if nth == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) }
}

#[test]
fn the_walk_of_an_approval_counts_the_functions_that_it_names() {
    let text = file("ARCHITECTURE.md");
    let section =
        text.split("## Walk of a confirmed approval").nth(1).and_then(|rest| rest.split("\n## ").next());
    let section = section.expect("ARCHITECTURE.md has the walk");
    let rows = section
        .lines()
        .filter(|line| line.strip_prefix("| ").is_some_and(|rest| rest.starts_with(char::is_numeric)));
    let functions: BTreeSet<(String, String)> = rows.flat_map(named_functions).collect();
    let files: BTreeSet<&String> = functions.iter().map(|(path, _)| path).collect();
    let exists = |path: &str, name: &str| {
        let code = file(&format!("src/{path}"));
        code.contains(&format!("fn {name}(")) || code.contains(&format!("fn {name}<"))
    };
    let missing = functions.iter().filter(|(path, name)| !exists(path, name));
    none(missing.map(|(path, name)| format!("{path} has no function {name}")).collect());
    let counted = (functions.len(), files.len());
    let stated = format!("{} functions in {} files", counted.0, counted.1);
    assert!(section.contains(&stated), "the walk has {stated}");
    assert!(counted.0 <= WALK.0 && counted.1 <= WALK.1, "the walk has grown to {stated}");
}

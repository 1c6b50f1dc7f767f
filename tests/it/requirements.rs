//! The list of requirements in `docs/requirements.md`: each number that is cited has a row, no row is
//! there twice, and the tests that the rows name exist.

use crate::tidy::source::{blanked, file, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const LIST: &str = "docs/requirements.md";

/// A row of a table: the number, and the tests as `path::function`.
struct Row {
    number: String,
    tests: Vec<String>,
}

/// Reads the tables: their rows, and the faults of lines that are no rows.
fn rows(text: &str) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (n, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        if cells[0] == "Number" || cells[0].starts_with("---") {
            continue;
        }
        let tests: Vec<String> =
            cells.last().unwrap_or(&"").split('`').skip(1).step_by(2).map(str::to_owned).collect();
        if cells.len() != 3 || !is_number(cells[0]) || cells[1].is_empty() {
            faults.push(format!("{LIST}:{}: write `| S1.25 | requirement | tests |`", n + 1));
        } else if tests.is_empty() && cells[2] != "—" {
            faults.push(format!("{LIST}:{}: name a test as `path::function`, or write —", n + 1));
        } else {
            rows.push(Row { number: cells[0].to_owned(), tests });
        }
    }
    (rows, faults)
}

/// Reports whether this is a requirement (`S1.25`) or a decision (`C4`).
fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    match word.strip_prefix('S').and_then(|rest| rest.split_once('.')) {
        Some((document, row)) => document.len() == 1 && digits(document) && digits(row),
        None => word.strip_prefix('C').is_some_and(digits),
    }
}

/// Returns the numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .map(|word| word.trim_matches('.'))
        .filter(|word| is_number(word))
}

/// Returns the comment in a line. A literal before it may look like a number.
fn comment(line: &str) -> &str {
    if line.trim_start().starts_with('*') {
        return line;
    }
    let begin = ["//", "/*", "<!--", "# "].iter().filter_map(|mark| line.find(mark)).min();
    begin.map_or("", |begin| &line[begin..])
}

/// Finds each number that is cited, with one of its places. Documents are read whole, other files for their
/// comments.
fn cited() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let folders = ["src", "tests", "static", "docs", "benches"];
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        // A picture is no text.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let path = path.strip_prefix(root()).unwrap();
        for (n, line) in text.lines().enumerate() {
            let line = if path.starts_with("docs") { line } else { comment(line) };
            for number in numbers(line) {
                let location = || format!("{}:{}", path.display(), n + 1);
                found.entry(number.to_owned()).or_insert_with(location);
            }
        }
    }
    found
}

/// Fails with all faults at once, one a line.
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_row_can_be_read_and_is_there_once() {
    let (rows, mut faults) = rows(&file(LIST));
    assert!(rows.len() > 200, "{LIST} has the tables of all documents, not {} rows", rows.len());
    let mut seen = BTreeSet::new();
    for row in &rows {
        if !seen.insert(&row.number) {
            faults.push(format!("{LIST}: {} is there twice; merge the two rows", row.number));
        }
    }
    none(&faults);
}

#[test]
fn every_number_that_is_cited_has_a_row() {
    let (rows, _) = rows(&file(LIST));
    let listed: BTreeSet<String> = rows.into_iter().map(|row| row.number).collect();
    let cited = cited();
    assert!(cited.len() > 200, "the citations are found");
    let missing = cited.iter().filter(|(number, _)| !listed.contains(*number));
    let format_fault = |(number, location): (&String, &String)| {
        format!("{location}: {number} has no row; correct the number, or add the row to {LIST}")
    };
    none(&missing.map(format_fault).collect::<Vec<String>>());
}

#[test]
fn every_test_of_a_row_exists() {
    let (rows, _) = rows(&file(LIST));
    let mut faults = Vec::new();
    let mut code: BTreeMap<String, String> = BTreeMap::new();
    for row in &rows {
        for test in &row.tests {
            let Some((path, name)) = test.split_once("::") else {
                faults.push(format!("{LIST}: {}: write `{test}` as `path::function`", row.number));
                continue;
            };
            let text = code.entry(path.to_owned()).or_insert_with(|| blanked(&file(path)));
            if text.is_empty() {
                faults.push(format!("{LIST}: {}: there is no file {path}; name the test's file", row.number));
            } else if !text.contains(&format!("fn {name}(")) {
                let advice = "write the test's new name, or another test that holds the row";
                faults.push(format!("{LIST}: {}: there is no `fn {name}` in {path}; {advice}", row.number));
            }
        }
    }
    none(&faults);
}

#[test]
fn faults_of_the_list_are_found() {
    let text = "| Number | Requirement | Tests |\n| --- | --- | --- |\n\
                | S1.2 | a | `tests/it/a.rs::b`, `src/c.rs::d` |\n| C4 | e | — |\n\
                | S1.x | f | — |\n| S1.3 | g |\n| S1.4 | h | none |\n";
    let (rows, faults) = rows(text);
    assert_eq!(rows.iter().map(|row| row.number.as_str()).collect::<Vec<_>>(), ["S1.2", "C4"]);
    assert_eq!(rows[0].tests, ["tests/it/a.rs::b", "src/c.rs::d"]);
    assert_eq!(faults.len(), 3, "{faults:?}");
    let text = "S1.25, (C2), S0.9 to S0.14. But not S3, S1.x, C, XC2, C2a, S10.2 or S1.2.3";
    assert_eq!(numbers(text).collect::<Vec<_>>(), ["S1.25", "C2", "S0.9", "S0.14"]);
    assert_eq!(comment("let a = \"C99\"; // S1.2"), "// S1.2");
    assert_eq!((comment(" * S1.2"), comment("C99")), (" * S1.2", ""));
}

//! The house rules, held by reading the files: headers, sizes, names, words that may not
//! stand in certain places, and invariants that name their tests.

mod citations;
mod languages;
mod rooms;
pub mod source;
mod approval_walk;

use rooms::named_rooms;
use source::{File, file, files};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 40;
const SCRIPT_LINES: usize = 300;
const STYLE_LINES: usize = 300;

/// Functions beyond the budget: tables and state machines, where a cut would hide the whole. The list may only become
/// shorter.
const LONG_FUNCTIONS: &[(&str, &str)] = &[
    ("src/programs/conversation/graph.rs", "route"),
    ("src/programs/conversation/mod.rs", "visit"),
    ("src/programs/conversation/state/mod.rs", "change"),
    ("src/http/routes.rs", "table"),
    ("src/programs/orchestration/graph.rs", "transition"),
    ("src/engine/takeover/lease.rs", "transition"),
    ("src/engine/lifecycle.rs", "decide"),
];

fn rust() -> Vec<File> {
    files(&["src", "tests", "benches"], "rs")
}

fn shipped() -> Vec<File> {
    files(&["src"], "rs")
}

/// Fails with all faults at once, one a line.
fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let mut faults = Vec::new();
    for file in rust() {
        let header = file.text.lines().take_while(|line| line.starts_with("//!")).count();
        if !(1..=10).contains(&header) {
            faults.push(format!("{}: begin with 1 to 10 lines of //!, not {header}", file.path));
        }
    }
    none(faults);
}

#[test]
fn files_stay_small() {
    let mut faults = Vec::new();
    for file in shipped() {
        let lines = file.production().trim_end().lines().count();
        if lines > FILE_LINES {
            faults.push(format!("{}: {lines} lines; split it, the budget is {FILE_LINES}", file.path));
        }
    }
    for (ending, budget) in [("js", SCRIPT_LINES), ("mjs", SCRIPT_LINES), ("css", STYLE_LINES)] {
        for file in files(&["static", "src", "demo"], ending) {
            let lines = file.text.lines().count();
            if lines > budget {
                faults.push(format!("{}: {lines} lines; split it, the budget is {budget}", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn functions_stay_small() {
    let mut faults = Vec::new();
    let mut unused: Vec<(&str, &str)> = LONG_FUNCTIONS.to_vec();
    for file in shipped() {
        let code = file.production();
        for (name, lines) in functions(&code).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES) {
            let granted = (file.path.as_str(), name.as_str());
            unused.retain(|grant| *grant != granted);
            if !LONG_FUNCTIONS.contains(&granted) {
                faults
                    .push(format!("{}: {name} has {lines} lines, the budget is {FUNCTION_LINES}", file.path));
            }
        }
    }
    let stale = unused.into_iter();
    faults.extend(
        stale.map(|(path, name)| format!("LONG_FUNCTIONS: {name} of {path} is short now; remove it")),
    );
    none(faults);
}

/// Names and lengths of all functions: lines of code from `fn` to the closing brace.
fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (offset, _) in code.match_indices("fn ") {
        let begins = !code[..offset].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &code[offset + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !begins || name.is_empty() {
            continue;
        }
        if let Some(end) = body_end(rest) {
            let lines = rest[..end].lines().filter(|line| !line.trim().is_empty()).count();
            found.push((name, lines));
        }
    }
    found
}

/// End of the body that opens first; `None` for a signature without one.
fn body_end(code: &str) -> Option<usize> {
    let mut depth = 0;
    let mut brackets = 0;
    for (offset, c) in code.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if depth == 0 && brackets == 0 => return None,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(offset + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// A test file that no module lists would never run.
#[test]
fn every_test_file_is_part_of_the_suite() {
    let root = file("tests/it/main.rs");
    let listed: Vec<&str> =
        root.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    let mut faults = Vec::new();
    for file in files(&["tests/it"], "rs") {
        let name = file.path.trim_start_matches("tests/it/").trim_end_matches(".rs");
        if !name.contains('/') && name != "main" && !listed.contains(&name) {
            faults.push(format!("{}: list it in tests/it/main.rs, else it never runs", file.path));
        }
    }
    none(faults);
}

#[test]
fn the_demo_shop_knows_nothing_of_the_service() {
    let mut faults = Vec::new();
    for file in shipped().iter().filter(|file| file.module() == Some("demo")) {
        for target in named_rooms(&file.production()) {
            if !["demo", "ids", "clock"].contains(&target.as_str()) {
                faults.push(format!("{}: names `{target}`", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn nodes_do_not_name_each_other() {
    let nodes: Vec<File> = shipped()
        .into_iter()
        .filter(|file| file.path.starts_with("src/programs/conversation/nodes/"))
        .collect();
    let mut faults = Vec::new();
    for node in nodes.iter().filter(|node| node.stem() != "mod") {
        let code = node.production();
        for other in nodes.iter().map(File::stem).filter(|stem| *stem != "mod" && *stem != node.stem()) {
            if ["super", "nodes"].iter().any(|from| code.contains(&format!("{from}::{other}"))) {
                faults.push(format!(
                    "{}: names the node `{other}`; its successor is route's to know",
                    node.path
                ));
            }
        }
    }
    none(faults);
}

#[test]
fn modules_have_no_catch_all_names() {
    let empty = ["utils", "util", "common", "helpers", "helper", "manager", "misc"];
    let mut faults = Vec::new();
    for ending in ["rs", "js", "mjs", "css"] {
        for file in files(&["src", "tests", "benches", "static", "demo"], ending) {
            if file.path.split(['/', '.']).any(|word| empty.contains(&word)) {
                faults.push(format!("{}: name it after what is inside", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn pure_files_name_no_runtime() {
    let pure = ["graph", "lifecycle", "rules", "text"];
    let mut faults = Vec::new();
    for file in shipped().iter().filter(|file| pure.contains(&file.stem())) {
        for word in ["actix", "tokio", "async fn"] {
            if file.production().contains(word) {
                faults.push(format!("{}: is pure and may not name {word}", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn diagrams_have_no_catch_all() {
    let mut faults = Vec::new();
    for file in shipped().iter().filter(|file| ["graph", "lifecycle"].contains(&file.stem())) {
        if file.production().lines().any(|line| line.trim_start().starts_with("_ =>")) {
            faults.push(format!("{}: a `_` arm hides the arrow that was forgotten", file.path));
        }
    }
    none(faults);
}

#[test]
fn tests_neither_sleep_nor_hide() {
    let words = ["sleep(", "#[should_panic"];
    // Reasons for which plain `cargo test` leaves a test out; `make test` runs all.
    let reasons = [
        "needs Chromium",
        "needs Chromium and nginx",
        "needs Chromium and packages from PyPI",
        "needs packages from PyPI",
        "needs packages from npm",
        "needs a small model",
        "needs PostgreSQL",
        "takes a minute",
    ]
    .map(|why| format!("#[ignore = \"{why}; make test runs it\"]"));
    let mut faults = Vec::new();
    for file in rust() {
        let code = file.tests();
        for word in words.iter().filter(|word| code.contains(**word)) {
            faults.push(format!("{}: {word} in a test; wait for an event, name the failure", file.path));
        }
        let ignored = file.text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore"));
        for line in ignored.filter(|line| !reasons.iter().any(|reason| reason == line)) {
            faults.push(format!("{}: {line}; a test is left out only for {reasons:?}", file.path));
        }
    }
    none(faults);
}

#[test]
fn no_marker_of_unfinished_work_is_left() {
    let mut faults = Vec::new();
    for file in rust() {
        let code = format!("{}{}", file.production(), file.tests());
        for word in ["todo!", "unimplemented!"].iter().filter(|word| code.contains(**word)) {
            faults.push(format!("{}: {word}", file.path));
        }
    }
    // Put together, so that this file does not find itself.
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    for ending in ["rs", "js", "mjs", "css", "html", "yaml", "toml", "md"] {
        for file in files(&["src", "tests", "benches", "static", "demo", "config", "agents", "docs"], ending)
        {
            for mark in marks
                .iter()
                .filter(|mark| file.text.split(|c: char| !c.is_alphanumeric()).any(|w| w == **mark))
            {
                faults.push(format!("{}: {mark}", file.path));
            }
        }
    }
    none(faults);
}

// S0.47
#[test]
fn no_merge_is_left_half_done() {
    let begins = |line: &str, c: char| line.starts_with(&c.to_string().repeat(7));
    let marked = |line: &str| ['<', '>', '|'].iter().any(|c| begins(line, *c)) || line == "=".repeat(7);
    assert!(marked("<<<<<<< HEAD") && marked("=======") && marked(">>>>>>> x") && !marked("======== x"));
    let mut faults = Vec::new();
    for path in source::tracked() {
        let text = std::fs::read(source::root().join(&path)).unwrap_or_default();
        for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
            if marked(line) {
                faults.push(format!("{path}:{}: a mark of a merge", number + 1));
            }
        }
    }
    none(faults);
}

#[test]
fn the_root_lists_modules_and_re_exports_nothing() {
    let root = file("src/lib.rs");
    assert!(!root.contains("pub use"), "src/lib.rs: import by full path instead");
    let mut above = "";
    for line in root.lines() {
        if line.starts_with("pub mod ") {
            assert!(above.starts_with("///"), "src/lib.rs: say in one line what `{line}` is for");
        }
        above = line;
    }
    assert!(file("src/main.rs").lines().count() <= 60, "src/main.rs stays tiny");
}

#[test]
fn documents_stay_readable() {
    for (path, budget) in [("README.md", 120), ("ARCHITECTURE.md", 250)] {
        let lines = file(path).lines().count();
        assert!((1..budget).contains(&lines), "{path}: {lines} lines, at most {budget}");
    }
}

/// Each bullet of the list of invariants ends with `Held by` and the names of tests that exist.
#[test]
fn every_invariant_names_a_test_that_exists() {
    let text = without_comments(&file("docs/invariants.md"));
    let bullets: Vec<&str> = text.split("\n- ").skip(1).collect();
    assert!(!bullets.is_empty(), "docs/invariants.md has no invariants");
    let mut tests: String = rust().iter().map(|file| file.tests()).collect();
    for script in files(&["tests/ui"], "mjs") {
        tests.push_str(&script.text);
    }
    let mut faults = Vec::new();
    for bullet in bullets {
        let claim = bullet.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
        let Some((_, holders)) = bullet.rsplit_once("Held by ") else {
            faults.push(format!("\"{claim} …\" names no test"));
            continue;
        };
        for name in holders.split('`').skip(1).step_by(2) {
            let last = name.rsplit("::").next().unwrap_or(name);
            if !tests.contains(&format!("fn {last}(")) && !tests.contains(&format!("\"{last}\"")) {
                faults.push(format!("\"{claim} …\" names `{name}`, and there is no such test"));
            }
        }
    }
    none(faults);
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let mut text_left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text_left.push_str(part.split_once("-->").map_or("", |(_, after)| after));
    }
    text_left
}

#[test]
fn functions_and_imports_are_found() {
    let code = "fn a() {\n  x;\n}\nimpl B {\n  pub async fn c(x: [u8; 2]) -> D where E: F {\n  }\n}\nfn g();";
    assert_eq!(functions(code), [("a".to_owned(), 3), ("c".to_owned(), 2)]);
    let code = "use crate::a::b; use crate::{c::{d, e}, f}; pub(crate) fn x() { crate::g::h() }";
    assert_eq!(named_rooms(code).into_iter().collect::<Vec<_>>(), ["a", "c", "f", "g"]);
}

//! Files of the repository, and Rust text with its comments and literals blanked out, so that rules
//! can look for words without meeting them in prose.

use std::fs;
use std::path::{Path, PathBuf};

/// Text of a file, and its path from the root.
pub struct File {
    pub path: String,
    pub text: String,
}

/// All files under these folders with this ending; empty for folders that are not there.
pub fn files(folders: &[&str], ending: &str) -> Vec<File> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&root().join(folder), ending, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The text of one file; empty if there is none.
pub fn file(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the repository, as git lists them; without git, as in an archive, those of its folders.
pub fn tracked() -> Vec<String> {
    let listed = std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    match listed {
        Ok(listed) if listed.status.success() && !listed.stdout.is_empty() => {
            let names = String::from_utf8_lossy(&listed.stdout).into_owned();
            names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }
        Ok(_) | Err(_) => ["rs", "js", "mjs", "css", "html", "yaml", "toml", "md", "json", "sh", "sql"]
            .into_iter()
            .flat_map(|ending| {
                files(&["src", "tests", "benches", "static", "demo", "config", "agents", "docs"], ending)
            })
            .map(|file| file.path)
            .collect(),
    }
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<File>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(File { path: relative(&path), text: fs::read_to_string(&path).unwrap() });
        }
    }
}

fn relative(path: &Path) -> String {
    let path: PathBuf = path.strip_prefix(root()).unwrap().components().collect();
    path.to_string_lossy().replace('\\', "/")
}

impl File {
    /// The name without folders and ending.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }

    /// The first folder or file below `src/`: `engine` for both `src/engine.rs` and `src/engine/run/mod.rs`.
    pub fn module(&self) -> Option<&str> {
        self.path.strip_prefix("src/")?.split(['/', '.']).next()
    }

    fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.stem() == "tests"
    }

    /// Code that ships, blanked.
    pub fn production(&self) -> String {
        if self.is_test() { String::new() } else { self.split().0 }
    }

    /// Code that only tests, blanked.
    pub fn tests(&self) -> String {
        if self.is_test() { blanked(&self.text) } else { self.split().1 }
    }

    /// The house puts tests last, so one line parts the two.
    fn split(&self) -> (String, String) {
        let code = blanked(&self.text);
        match code.find("#[cfg(test)]\nmod ") {
            Some(offset) => (code[..offset].to_owned(), code[offset..].to_owned()),
            None => (code, String::new()),
        }
    }
}

/// The same text, line for line, with comments and literals as spaces.
pub fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match literal_end(&chars, at) {
            Some(end) => end,
            None => {
                out.push(chars[at]);
                at += 1;
                continue;
            }
        };
        out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// End of the comment or literal that begins here; `None` if none begins here.
fn literal_end(chars: &[char], at: usize) -> Option<usize> {
    let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or('\0');
    match chars[at] {
        '/' if next(1) == '/' => Some(position(chars, at, |c| c == '\n')),
        '/' if next(1) == '*' => Some(block_end(chars, at)),
        '"' => Some(quoted_end(chars, at + 1)),
        'r' if !is_word(chars, at) && matches!(next(1), '"' | '#') => raw_end(chars, at + 1),
        // A lifetime has no closing quote; a character has one after itself or after an escape.
        '\'' if next(1) == '\\' => Some(position(chars, at + 3, |c| c == '\'') + 1),
        '\'' if next(2) == '\'' => Some(at + 3),
        _ => None,
    }
}

/// True if the character before belongs to the same word.
fn is_word(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_') && chars[at - 1] != 'b'
}

fn position(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|i| wanted(chars[*i])).unwrap_or(chars.len())
}

fn block_end(chars: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut i = at;
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], from: usize) -> usize {
    let mut i = from;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

fn raw_end(chars: &[char], from: usize) -> Option<usize> {
    let open = position(chars, from, |c| c != '#');
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let hashes = open - from;
    let closes = |i: usize| chars[i] == '"' && (1..=hashes).all(|n| chars.get(i + n) == Some(&'#'));
    let end = (open + 1..chars.len()).find(|i| closes(*i)).unwrap_or(chars.len());
    Some((end + 1 + hashes).min(chars.len()))
}

#[test]
fn comments_and_literals_are_blank_and_lines_stay() {
    let text = "let a = \"fn x() { // no\"; // todo\nlet b = r#\"crate::\"quoted\"\"#; 'l: loop { '{'; '\\''; }\n/* a /* b */ c */ x";
    let expected = "let a = ; let b = ; 'l: loop { ; ; } x";
    let found = blanked(text);
    assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    assert_eq!(found.lines().count(), text.lines().count());
}

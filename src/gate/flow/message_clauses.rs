//! Clauses of a person's message, and the words in them that forbid, join or turn.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words around hosts, by list.
static CLAUSE_WORDS: LazyLock<HashMap<String, HashSet<String>>> = LazyLock::new(|| {
    let mut lists: HashMap<String, HashSet<String>> = HashMap::new();
    let mut name = String::new();
    for line in include_str!("../wording/host_clauses.txt").lines() {
        if let Some(title) = line.strip_prefix('[') {
            name = title.trim_end_matches(']').to_owned();
        } else if let Some((_, words)) = line.split_once(": ").filter(|_| !line.starts_with('#')) {
            lists.entry(name.clone()).or_default().extend(words.split_whitespace().map(str::to_owned));
        }
    }
    lists
});

/// True if a list of `host_clauses.txt` has the word.
pub fn is_listed(list: &str, word: &str) -> bool {
    CLAUSE_WORDS.get(list).is_some_and(|words| words.contains(word))
}

/// Word of a clause.
#[derive(Clone, Debug)]
pub struct ClauseWord {
    pub written: String,
    pub key: String,
    /// Sign that ends the clause after this word.
    pub end: Option<char>,
}

/// Returns the clauses of a message, which end at punctuation and before conjunctions.
pub fn split_clauses(message: &str) -> Vec<Vec<ClauseWord>> {
    let mut splitter = ClauseSplitter { clauses: vec![Vec::new()] };
    for line in message.lines() {
        splitter.read_line(line);
    }
    splitter.clauses.retain(|clause| !clause.is_empty());
    splitter.clauses
}

/// Collects the clauses of a message.
struct ClauseSplitter {
    clauses: Vec<Vec<ClauseWord>>,
}

impl ClauseSplitter {
    fn read_line(&mut self, line: &str) {
        let is_item = line.trim_start().starts_with(['-', '*', '•', '–']);
        // Items of a list go on with the line before.
        if let Some(last) = self.last_word().filter(|word| is_item && word.end == Some('\n')) {
            last.end = Some(',');
        }
        for written in line.split_inclusive(is_separator) {
            self.read_word(written);
        }
        if let Some(last) = self.last_word().filter(|word| word.end != Some(':')) {
            last.end = last.end.or(Some('\n'));
        }
        self.clauses.push(Vec::new());
    }

    /// Reads a word and the separator after it.
    fn read_word(&mut self, written: &str) {
        let word = written.trim_end_matches(is_separator);
        let sign = written.chars().next_back().filter(|c| is_separator(*c) && !c.is_whitespace());
        let stop = || word.chars().next_back().filter(|c| matches!(c, '.' | '!' | '?' | ':' | '—' | '–'));
        let end = sign.or_else(stop);
        let key = read_key(word);
        if is_listed("but", &key) || is_listed("and", &key) {
            self.clauses.push(Vec::new());
        }
        // "n'ouvre" negates as "ne ouvre" does.
        let elided =
            ["n'", "n’"].iter().find_map(|start| word.to_lowercase().strip_prefix(start).map(read_key));
        if word.is_empty() {
            if let Some(last) = self.last_word() {
                last.end = last.end.or(end);
            }
        } else if let Some(rest) = elided {
            self.push_word("", String::from("n"), None);
            self.push_word("", rest, end);
        } else {
            self.push_word(word, key, end);
        }
        // A dash or colon introduces what the clause is about.
        if matches!(end, Some(',' | ';' | '.' | '!' | '?' | '。' | '，' | '、' | '(' | ')')) {
            self.clauses.push(Vec::new());
        }
    }

    fn push_word(&mut self, written: &str, key: String, end: Option<char>) {
        if let Some(clause) = self.clauses.last_mut() {
            clause.push(ClauseWord { written: written.to_owned(), key, end });
        }
    }

    fn last_word(&mut self) -> Option<&mut ClauseWord> {
        self.clauses.iter_mut().rev().find_map(|clause| clause.last_mut())
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '>' | '"' | '«' | '»' | ',' | ';' | '(' | ')' | '。' | '、' | '，')
}

/// Returns the word for lists: lower case, without apostrophes and punctuation.
pub fn read_key(word: &str) -> String {
    let word = word.to_lowercase();
    let kept = word.chars().filter(|c| !matches!(c, '\'' | '’' | 'ʼ'));
    kept.collect::<String>().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// True if a word, alone or with the next one or two, forbids.
pub fn is_negator(words: &[ClauseWord], at: usize) -> bool {
    let join = |count: usize| {
        let keys: Option<Vec<&str>> =
            words.get(at..at + count).map(|part| part.iter().map(|word| word.key.as_str()).collect());
        keys.map(|keys| keys.join("-"))
    };
    (1..=3).filter_map(join).any(|phrase| is_listed("never", &phrase)) || has_cjk_negator(&words[at].written)
}

/// True for scripts without spaces, whose words are not separated.
fn has_cjk_negator(word: &str) -> bool {
    const NEVER: [&str; 9] = ["不要", "不能", "别", "別", "勿", "禁止", "ないで", "しないで", "마세요"];
    NEVER.iter().any(|never| word.contains(never))
}

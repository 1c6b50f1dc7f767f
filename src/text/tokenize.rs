//! Words of a command, with quoted texts kept whole. An apostrophe inside a word (`п'ять`, `don't`) opens no
//! quote; an unclosed quote is an ordinary character.

/// A single word or a quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As written, without its quotes.
    pub text: String,
    pub quoted: bool,
    /// Form for comparisons: lower case, one kind of apostrophe, no surrounding punctuation; empty if quoted.
    pub key: String,
    /// True if a line end or a semicolon precedes it.
    pub breaks: bool,
    /// True if a comma, full stop or exclamation mark follows its closing quote.
    pub closed: bool,
    /// White space and semicolons before it, as typed.
    pub gap: String,
    /// The word as typed, with quotes and the punctuation after a closing quote.
    pub raw: String,
}

impl Word {
    fn new(raw: &[char], quoted: bool, breaks: bool, gap: String) -> Self {
        let inner = if quoted { &raw[1..raw.len() - 1] } else { raw };
        let text: String = inner.iter().collect();
        let key = if quoted { String::new() } else { key(&text) };
        Self { text, quoted, key, breaks, closed: false, gap, raw: raw.iter().collect() }
    }

    /// True if it is this unquoted word.
    pub fn is(&self, key: &str) -> bool {
        !self.quoted && self.key == key
    }

    /// True if the word is one of these keys and not quoted.
    pub fn is_any(&self, keys: &[&str]) -> bool {
        !self.quoted && keys.contains(&self.key.as_str())
    }
}

/// Converts to lower case, unifies apostrophes and removes punctuation at both ends.
pub fn key(text: &str) -> String {
    let lower: String =
        text.to_lowercase().chars().map(|c| if is_apostrophe(c) { '\'' } else { c }).collect();
    lower.trim_matches(|c: char| matches!(c, ',' | '.' | '!' | '?' | ':' | ';' | '…' | '—' | '–')).to_owned()
}

/// True for each character that people type as an apostrophe.
pub fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '`' | '´')
}

/// Splits a text into its words.
pub fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut breaks, mut gap) = (0, false, String::new());
    // Opening quotes without a closing one in the rest of the text, so that it is searched only once for
    // each.
    let mut unclosed: Vec<char> = Vec::new();
    while at < chars.len() {
        let c = chars[at];
        if c.is_whitespace() || c == ';' {
            breaks |= c == '\n' || c == '\r' || c == ';';
            gap.push(c);
            at += 1;
        } else if let Some(end) = quoted_until(&chars, at, &mut unclosed) {
            found.push(Word::new(&chars[at..=end], true, breaks, std::mem::take(&mut gap)));
            (at, breaks) = (end + 1, false);
        } else {
            let end = word_until(&chars, at);
            found.push(Word::new(&chars[at..end], false, breaks, std::mem::take(&mut gap)));
            (at, breaks) = (end, false);
        }
    }
    drop_stray_punctuation(found)
}

/// Removes punctuation directly after a closing quote, such as the full stop in `click "Save".`.
fn drop_stray_punctuation(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let stray = !word.quoted && word.gap.is_empty() && word.key.is_empty();
        match kept.last_mut() {
            Some(last) if stray && last.quoted => {
                last.closed = word.text.starts_with([',', '.', '!']);
                last.raw.push_str(&word.raw);
            }
            _ => kept.push(word),
        }
    }
    kept
}

fn word_until(chars: &[char], start: usize) -> usize {
    let mut end = start;
    while end < chars.len() && !chars[end].is_whitespace() {
        // A semicolon ends a word, except inside an address.
        let inside = |at: usize| chars.get(at + 1).is_some_and(|c| !c.is_whitespace());
        if chars[end] == ';' && !(inside(end) && chars[start..end].windows(3).any(|w| w == [':', '/', '/'])) {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the position of the quote that closes the one at `start`.
fn quoted_until(chars: &[char], start: usize, unclosed: &mut Vec<char>) -> Option<usize> {
    if unclosed.contains(&chars[start]) {
        return None;
    }
    let closers: &[char] = match chars[start] {
        '«' => &['»'],
        '“' => &['”', '“'],
        '„' => &['“', '”'],
        '"' => &['"'],
        '\'' => &['\''],
        '‘' => &['’'],
        '`' => &['`'],
        _ => return None,
    };
    let one_line = matches!(chars[start], '\'' | '‘' | '`');
    for at in start + 1..chars.len() {
        if one_line && chars[at] == '\n' {
            return None;
        }
        if closers.contains(&chars[at]) && closes(chars, at) {
            return Some(at);
        }
    }
    unclosed.push(chars[start]);
    None
}

/// True if a quote at this position closes: `»` always, other quotes only at the end of a word.
fn closes(chars: &[char], at: usize) -> bool {
    if matches!(chars[at], '»') {
        return true;
    }
    chars.get(at + 1).is_none_or(|next| !next.is_alphanumeric())
}

/// Returns the words exactly as typed, with quotes, case, white space and punctuation.
pub fn as_typed(words: &[Word]) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text.push_str(&word.gap);
        }
        text.push_str(&word.raw);
    }
    text
}

/// Returns the words as one text without quotes, with the white space as typed.
pub fn phrase(words: &[Word]) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text.push_str(&word.gap);
        }
        text.push_str(&word.text);
    }
    text
}

/// Returns the words as a name: single spaces, without punctuation at the end.
pub fn name(words: &[Word]) -> String {
    let text = phrase(words).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.last() {
        Some(last) if !last.quoted => {
            let bare = text.trim_end_matches([',', '.', '!', ':', ';']).trim_end();
            if bare.is_empty() { text } else { bare.to_owned() }
        }
        _ => text,
    }
}

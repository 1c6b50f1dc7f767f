//! Words of an order, with what stood in quotes kept whole. An apostrophe inside a word (`п'ять`,
//! `don't`) opens nothing; a quote that is never closed is a letter like any other.

/// One word, or one quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As written, without its quotes.
    pub text: String,
    pub quoted: bool,
    /// For comparing: lower case, one kind of apostrophe, without punctuation around it.
    pub key: String,
    /// A line's end or a semicolon stood before it.
    pub breaks: bool,
    /// A comma, full stop or exclamation mark stood right after its closing quote.
    pub closed: bool,
    /// White space before it was missing or was not a single space; then it was not a mere word gap.
    pub gap: String,
    /// The letters as typed, with quotes and with punctuation right after a closing quote.
    pub raw: String,
}

impl Word {
    fn new(raw: &[char], quoted: bool, breaks: bool, gap: String) -> Self {
        let inner = if quoted { &raw[1..raw.len() - 1] } else { raw };
        let text: String = inner.iter().collect();
        let key = if quoted { String::new() } else { key(&text) };
        Self { text, quoted, key, breaks, closed: false, gap, raw: raw.iter().collect() }
    }

    /// Whether it is this very word, unquoted.
    pub fn is(&self, key: &str) -> bool {
        !self.quoted && self.key == key
    }

    pub fn any(&self, keys: &[&str]) -> bool {
        !self.quoted && keys.contains(&self.key.as_str())
    }
}

/// Lower case, apostrophes made one, punctuation at both ends gone.
pub fn key(text: &str) -> String {
    let lower: String =
        text.to_lowercase().chars().map(|c| if is_apostrophe(c) { '\'' } else { c }).collect();
    lower.trim_matches(|c: char| matches!(c, ',' | '.' | '!' | '?' | ':' | ';' | '…' | '—' | '–')).to_owned()
}

pub fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '`' | '´')
}

/// The words of a text, in order.
pub fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut breaks, mut gap) = (0, false, String::new());
    // Quotes that are not closed from here on: no need to look to the end for each.
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

/// Text that follows a closing quote, as the full stop in `click "Save".`, is not a word.
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
        // A semicolon ends a word, but not inside an address.
        let inside = |at: usize| chars.get(at + 1).is_some_and(|c| !c.is_whitespace());
        if chars[end] == ';' && !(inside(end) && chars[start..end].windows(3).any(|w| w == [':', '/', '/'])) {
            break;
        }
        end += 1;
    }
    end
}

/// Where the quote that opens at `start` closes, if one does.
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

/// A straight or single quote closes only at the end of a word; « » always do.
fn closes(chars: &[char], at: usize) -> bool {
    if matches!(chars[at], '»') {
        return true;
    }
    chars.get(at + 1).is_none_or(|next| !next.is_alphanumeric())
}

/// The words exactly as typed, with their quotes, case, spaces and punctuation.
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

/// The words as one text again: the quoted alone without quotes, else with the gaps as written.
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

/// The same as a name: without punctuation at its end, with single spaces.
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

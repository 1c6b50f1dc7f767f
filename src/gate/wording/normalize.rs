//! Normalization of names to the plain words that a person sees: lower case, no accents, no invisible
//! characters, and look-alike letters of other alphabets replaced. A page may try to hide a word from the
//! gate that a person still reads ("Pa\u{200b}y", or "Рay" with a Cyrillic letter).

use crate::text::truncate::truncate_within;

/// Longest judged part of a name, in characters.
const LONGEST: usize = 400;

/// A word of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub text: String,
    /// The word with look-alikes replaced, if that differs.
    pub alike: Option<String>,
    /// True if only punctuation or the start of the name precedes the word.
    pub first: bool,
}

impl Token {
    /// True if the token is this word, also in look-alike letters of another alphabet.
    pub fn is(&self, word: &str) -> bool {
        self.text == word || self.alike.as_deref() == Some(word)
    }

    /// True if the token begins with this stem, also in look-alike letters of another alphabet.
    pub fn starts_with(&self, stem: &str) -> bool {
        self.text.starts_with(stem) || self.alike.as_deref().is_some_and(|alike| alike.starts_with(stem))
    }
}

/// Returns the words of a name, in order.
pub fn tokenize_name(name: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let (mut word, mut first) = (String::new(), true);
    for letter in name.chars().take(LONGEST) {
        if is_ignored(letter) {
            continue;
        }
        let before = word.len();
        push_normalized(letter, &mut word);
        if word.len() == before {
            end_word(&mut found, &mut word, &mut first);
            first |= is_pause(letter);
        }
    }
    end_word(&mut found, &mut word, &mut first);
    join_single_letters(found)
}

fn end_word(found: &mut Vec<Token>, word: &mut String, first: &mut bool) {
    if !word.is_empty() {
        let text = std::mem::take(word);
        found.push(Token { alike: without_look_alikes(&text), text, first: std::mem::take(first) });
    }
}

/// Returns the words as one string, separated by single spaces.
pub fn normalize_name(name: &str) -> String {
    let mut line = String::with_capacity(name.len());
    for token in tokenize_name(name) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&token.text);
    }
    line
}

/// Joins three or more single letters into one word, because a person reads "B u y n o w" as words.
fn join_single_letters(tokens: Vec<Token>) -> Vec<Token> {
    const FEWEST: usize = 3;
    let single =
        |token: &Token| token.text.chars().count() == 1 && token.text.chars().all(char::is_alphabetic);
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some(token) = rest.first() {
        let run = rest.iter().take_while(|next| single(next) && !is_cjk_text(&next.text)).count();
        if run >= FEWEST {
            let text: String = rest[..run].iter().map(|next| next.text.as_str()).collect();
            out.push(Token { alike: without_look_alikes(&text), text, first: token.first });
            rest = &rest[run..];
        } else {
            out.push(token.clone());
            rest = &rest[1..];
        }
    }
    out
}

/// True for scripts that put no spaces between words.
pub fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// True if the text has a letter of a script without spaces (Chinese, Japanese, Korean).
pub fn is_cjk_text(text: &str) -> bool {
    text.chars().any(is_cjk)
}

/// True for punctuation after which a new phrase begins.
fn is_pause(letter: char) -> bool {
    !letter.is_whitespace() && !matches!(letter, '\'' | '’' | 'ʼ' | '`' | '-' | '‑' | '_' | '*')
}

/// True for characters that do not change a word: controls, invisible ones, combining accents.
pub fn is_ignored(letter: char) -> bool {
    (letter.is_control() && !letter.is_whitespace())
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e01ef}'
            // Combining accents.
            | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{20d0}'..='\u{20ff}')
}

/// Appends the normalized letters of a character; appends nothing for a separator.
pub fn push_normalized(letter: char, word: &mut String) {
    if letter.is_ascii() {
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
        return;
    }
    let letter = plain_letter(letter);
    for small in letter.to_lowercase() {
        match remove_accent(small) {
            Some(text) => word.push_str(text),
            None if small.is_alphanumeric() => word.push(small),
            None => {}
        }
    }
}

/// Maps full-width, circled and mathematical letters to ASCII.
fn plain_letter(letter: char) -> char {
    let code = u32::from(letter);
    let ascii = |base: u32, offset: u32| char::from_u32(base + offset).unwrap_or(letter);
    match code {
        0xff21..=0xff3a => ascii(0x61, code - 0xff21),
        0xff41..=0xff5a => ascii(0x61, code - 0xff41),
        0xff10..=0xff19 => ascii(0x30, code - 0xff10),
        0x24b6..=0x24cf => ascii(0x61, code - 0x24b6),
        0x24d0..=0x24e9 => ascii(0x61, code - 0x24d0),
        0x1d400..=0x1d6a3 => ascii(0x61, (code - 0x1d400) % 26),
        0x1f130..=0x1f149 => ascii(0x61, code - 0x1f130),
        _ => letter,
    }
}

/// Returns the base letters of an accented lower-case letter.
fn remove_accent(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ạ'..='ặ' | 'ɑ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ'..='ệ' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' | 'ɡ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ỉ'..='ị' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ọ'..='ợ' | 'ơ' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ụ'..='ự' | 'ư' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' | 'ỳ'..='ỹ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'ё' => "е",
        'й' => "и",
        'ї' => "і",
        'ґ' => "г",
        _ => return None,
    })
}

/// Rewrites a word with look-alikes in a single alphabet: Latin if all of its foreign letters have a Latin
/// look-alike, otherwise Cyrillic if all Latin letters have a Cyrillic one. `None` if neither applies.
pub fn without_look_alikes(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let latin: Option<String> =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { Some(c) } else { as_latin(c) }).collect();
    if latin.is_some() {
        return latin;
    }
    if !text.contains(|c: char| c.is_ascii_alphabetic()) || !text.contains(is_cyrillic) {
        return None;
    }
    text.chars().map(|c| if c.is_ascii_alphabetic() { as_cyrillic(c) } else { Some(c) }).collect()
}

fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{52f}').contains(&letter)
}

fn as_latin(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'һ' | 'н' | 'η' => 'h',
        'і' | 'ι' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'ո' | 'п' | 'ν' => 'n',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ѡ' | 'ω' | 'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        _ => return None,
    })
}

fn as_cyrillic(letter: char) -> Option<char> {
    Some(match letter {
        'a' => 'а',
        'b' => 'в',
        'c' => 'с',
        'e' => 'е',
        'h' => 'н',
        'i' => 'і',
        'k' => 'к',
        'm' => 'м',
        'o' => 'о',
        'p' => 'р',
        't' => 'т',
        'x' => 'х',
        'y' => 'у',
        _ => return None,
    })
}

/// Returns the text on one line, without invisible characters and direction marks, truncated to `longest`
/// characters.
pub(crate) fn visible_line(text: &str, longest: usize) -> String {
    let seen = |c: &char| {
        !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(seen).collect();
    let line = spaced.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    truncate_within(&line, longest)
}

//! Keys by their `KeyboardEvent.key` names, alone or in a chord: "Enter", "Control+A".

use crate::browser::fault::{ErrorCode, PageError};

/// Bits of the `modifiers` field of CDP input events.
pub const ALT: i64 = 1;
pub const CONTROL: i64 = 2;
pub const META: i64 = 4;
pub const SHIFT: i64 = 8;

/// A key with the fields of a CDP key event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub key: String,
    /// Physical key (`KeyboardEvent.code`), as in "KeyA"; empty if unknown.
    pub code: String,
    pub virtual_code: i64,
    /// Text that the key types.
    pub text: Option<String>,
}

/// Key with the modifiers held while it is pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    pub modifiers: Vec<(Key, i64)>,
    pub key: Key,
}

/// Key name, code, Windows virtual key code, typed text.
const NAMED: [(&str, &str, i64, &str); 31] = [
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    (" ", "Space", 32, " "),
    ("Control", "ControlLeft", 17, ""),
    ("Shift", "ShiftLeft", 16, ""),
    ("Alt", "AltLeft", 18, ""),
    ("Meta", "MetaLeft", 91, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("NumLock", "NumLock", 144, ""),
    ("ScrollLock", "ScrollLock", 145, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("Pause", "Pause", 19, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
    ("AudioVolumeUp", "AudioVolumeUp", 175, ""),
    ("AudioVolumeDown", "AudioVolumeDown", 174, ""),
    ("AudioVolumeMute", "AudioVolumeMute", 173, ""),
    ("MediaPlayPause", "MediaPlayPause", 179, ""),
    ("BrowserBack", "BrowserBack", 166, ""),
    ("BrowserForward", "BrowserForward", 167, ""),
];

/// Alternative names of keys, in lower case.
const ALIASES: [(&str, &str); 19] = [
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("space", " "),
    ("spacebar", " "),
    ("ctrl", "Control"),
    ("ctl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("win", "Meta"),
    ("option", "Alt"),
    ("left", "ArrowLeft"),
    ("up", "ArrowUp"),
    ("right", "ArrowRight"),
    ("down", "ArrowDown"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("plus", "+"),
];

/// Punctuation of a US keyboard: plain character, shifted character, code, virtual key code.
const MARKS: [(char, char, &str, i64); 11] = [
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
];

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

impl Chord {
    pub fn parse(text: &str) -> Result<Self, PageError> {
        let (before, last) = split(text.trim());
        let mut modifiers = Vec::new();
        for name in before.split('+').map(str::trim).filter(|name| !name.is_empty()) {
            let key = Key::named(name).ok_or_else(|| unknown(name))?;
            let bit = bit(&key.key).ok_or_else(|| {
                PageError::new(
                    ErrorCode::InvalidKey,
                    format!("`{name}` cannot be held in a chord; use Control, Shift, Alt or Meta"),
                )
            })?;
            modifiers.push((key, bit));
        }
        let key = Key::named(last).ok_or_else(|| unknown(last))?;
        Ok(Self { modifiers, key })
    }

    /// Reports whether browsers zoom their view on this chord unless the page handles it.
    pub fn zooms(&self) -> bool {
        let held = self.bits();
        held & (CONTROL | META) != 0
            && held & ALT == 0
            && matches!(self.key.key.as_str(), "+" | "=" | "-" | "_")
    }

    pub fn bits(&self) -> i64 {
        self.modifiers.iter().fold(0, |all, (_, bit)| all | bit)
    }
}

impl Key {
    /// Finds a key by name, alias or the character that it types.
    pub fn named(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(name, |(_, name)| name);
        let mut characters = name.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return Some(Self::typed(character));
        }
        let same = |known: &&(&str, &str, i64, &str)| known.0.eq_ignore_ascii_case(name);
        if let Some((key, code, virtual_code, text)) = NAMED.iter().find(same) {
            return Some(Self::new(key, code, *virtual_code, Some(*text).filter(|text| !text.is_empty())));
        }
        let number: i64 = name.strip_prefix(['F', 'f'])?.parse().ok()?;
        (1..=24)
            .contains(&number)
            .then(|| Self::new(&format!("F{number}"), &format!("F{number}"), 111 + number, None))
    }

    fn typed(character: char) -> Self {
        let text = character.to_string();
        let upper = character.to_ascii_uppercase();
        let (code, virtual_code) = match character {
            'a'..='z' | 'A'..='Z' => (format!("Key{upper}"), i64::from(u32::from(upper))),
            '0'..='9' => (format!("Digit{character}"), i64::from(u32::from(character))),
            ' ' => (String::from("Space"), 32),
            _ => mark(character),
        };
        Self { key: text.clone(), code, virtual_code, text: Some(text) }
    }

    fn new(key: &str, code: &str, virtual_code: i64, text: Option<&str>) -> Self {
        Self { key: key.to_owned(), code: code.to_owned(), virtual_code, text: text.map(str::to_owned) }
    }
}

fn mark(character: char) -> (String, i64) {
    if let Some((digit, _)) = SHIFTED_DIGITS.char_indices().find(|(_, shifted)| *shifted == character) {
        return (format!("Digit{digit}"), 48 + i64::try_from(digit).unwrap_or_default());
    }
    match MARKS.iter().find(|(plain, shifted, _, _)| *plain == character || *shifted == character) {
        Some((_, _, code, virtual_code)) => ((*code).to_owned(), *virtual_code),
        // Not on a US keyboard: the character is typed without a physical key.
        None => (String::new(), 0),
    }
}

/// Splits a chord into its modifiers and its last key, which may itself be "+".
fn split(text: &str) -> (&str, &str) {
    if text == "+" {
        return ("", text);
    }
    match text.strip_suffix("++") {
        Some(before) => (before, "+"),
        None => text.rsplit_once('+').map_or(("", text), |(before, last)| (before, last.trim())),
    }
}

fn bit(key: &str) -> Option<i64> {
    match key {
        "Alt" => Some(ALT),
        "Control" => Some(CONTROL),
        "Meta" => Some(META),
        "Shift" => Some(SHIFT),
        _ => None,
    }
}

fn unknown(name: &str) -> PageError {
    let message = format!(
        "there is no key `{name}`; use a character, Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, \
         PageDown, an arrow as ArrowDown, F1 to F24, or a chord as Control+A"
    );
    PageError::new(ErrorCode::InvalidKey, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_by_names_aliases_and_characters() {
        let cases = [
            ("Enter", 0, "Enter", "Enter", 13),
            ("enter", 0, "Enter", "Enter", 13),
            ("Control+A", CONTROL, "A", "KeyA", 65),
            ("ctrl + shift + ArrowLeft", CONTROL | SHIFT, "ArrowLeft", "ArrowLeft", 37),
            ("Cmd+c", META, "c", "KeyC", 67),
            ("Space", 0, " ", "Space", 32),
            ("+", 0, "+", "Equal", 187),
            ("Control++", CONTROL, "+", "Equal", 187),
            ("Ctrl+Plus", CONTROL, "+", "Equal", 187),
            ("F5", 0, "F5", "F5", 116),
            ("%", 0, "%", "Digit5", 53),
            ("ї", 0, "ї", "", 0),
        ];
        for (text, bits, key, code, virtual_code) in cases {
            let chord = Chord::parse(text).unwrap();
            let found =
                (chord.bits(), chord.key.key.as_str(), chord.key.code.as_str(), chord.key.virtual_code);
            assert_eq!(found, (bits, key, code, virtual_code), "{text}");
        }
    }

    #[test]
    fn unknown_keys_and_chords_say_what_would_be_right() {
        for text in ["Entre", "F25", "A+B", "", "Control+Nope"] {
            let fault = Chord::parse(text).unwrap_err();
            assert_eq!(fault.code, ErrorCode::InvalidKey, "{text}");
            assert!(fault.message.contains("use "), "{text}: {}", fault.message);
        }
    }
}

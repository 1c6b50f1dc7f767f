//! Keys: chords, typing key by key, keys that are held.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::tab::Tab;
use crate::turn::page_input::mouse::Modifier;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, InsertTextParams,
};
use futures_util::future::join;

/// Maximum number of characters typed key by key; longer text is inserted as if pasted.
const MAX_KEYED_CHARS: usize = 64;

/// Returns the events for typing the text key by key, for pages that mask, count or complete input on each
/// key. Returns `None` if the text is too long, or has control characters: the Enter of a line break would
/// submit a form.
pub fn key_events(text: &str) -> Option<Vec<DispatchKeyEventParams>> {
    if text.chars().count() > MAX_KEYED_CHARS || text.contains(char::is_control) {
        return None;
    }
    let named = text.chars().filter_map(|character| Key::named(character.encode_utf8(&mut [0; 4])));
    let events = named.flat_map(|key| {
        let mut down = event(DispatchKeyEventType::KeyDown, &key, 0);
        down.text = key.text.clone();
        [down, event(DispatchKeyEventType::KeyUp, &key, 0)]
    });
    Some(events.collect())
}

pub(super) async fn send_events(tab: &Tab, events: Vec<DispatchKeyEventParams>) -> Result<(), PageError> {
    // All events are sent before the first reply is awaited, so that no key can stay down.
    let answers = futures_util::future::join_all(events.into_iter().map(|event| tab.call(event))).await;
    match answers.into_iter().find_map(Result::err) {
        // A key that closes its own tab has succeeded.
        Some(fault) if fault.code != ErrorCode::NoPage => Err(fault),
        Some(_) | None => Ok(()),
    }
}

/// Inserts the text as an input method does, independent of the keyboard layout.
pub async fn insert(tab: &Tab, text: &str) -> Result<(), PageError> {
    tab.call(InsertTextParams::new(text)).await.map(|_| ())
}

/// Checks that the element still has the focus, since that is where the next key goes.
pub async fn check_focus(tab: &Tab, eid: u32) -> Result<(), PageError> {
    if tab.frame_of_element(eid).call_script(&format!("hasFocus({eid})")).await? {
        return Ok(());
    }
    let message = format!("nothing was pressed: the focus is not on [{eid}] any more; look again");
    Err(PageError::new(ErrorCode::FocusMoved, message))
}

/// Resolves to true if the view's size changes within 300 ms.
const RESIZED: &str = "new Promise((done) => { addEventListener('resize', () => done(true), { once: true }); \
    setTimeout(() => done(false), 300); })";

/// Presses and releases one key or chord. If the page leaves the chord to the browser and that zooms the
/// view, the zoom is reset and an error is returned.
pub async fn press(tab: &Tab, text: &str) -> Result<(), PageError> {
    let chord = Chord::parse(text)?;
    if !chord.is_zoom() {
        return send_chord(tab, &chord).await;
    }
    tab.ensure_world().await?;
    let (zoom_result, key_result) = join(tab.run::<bool>(RESIZED), send_chord(tab, &chord)).await;
    key_result?;
    if zoom_result.unwrap_or_default() {
        send_chord(tab, &Chord::parse("Control+0")?).await?;
        let message =
            format!("{text} zooms the browser's view and does nothing on the page; it was taken back");
        return Err(PageError::new(ErrorCode::InvalidKey, message));
    }
    Ok(())
}

async fn send_chord(tab: &Tab, chord: &Chord) -> Result<(), PageError> {
    let mut events = Vec::new();
    let mut modifier_bits = 0;
    for (modifier, modifier_bit) in &chord.modifiers {
        modifier_bits |= modifier_bit;
        events.push(event(DispatchKeyEventType::RawKeyDown, modifier, modifier_bits));
    }
    let typed = chord.key.text.clone().filter(|_| modifier_bits & !SHIFT == 0);
    let kind = if typed.is_some() { DispatchKeyEventType::KeyDown } else { DispatchKeyEventType::RawKeyDown };
    let mut down = event(kind, &chord.key, modifier_bits);
    down.text = typed;
    events.push(down);
    events.push(event(DispatchKeyEventType::KeyUp, &chord.key, modifier_bits));
    for (modifier, modifier_bit) in chord.modifiers.iter().rev() {
        modifier_bits &= !modifier_bit;
        events.push(event(DispatchKeyEventType::KeyUp, modifier, modifier_bits));
    }
    send_events(tab, events).await
}

/// Modifier keys that are held down. Dropping it releases them.
pub struct HeldKeys<'a> {
    tab: &'a Tab,
    /// Bits of the `modifiers` field of events meanwhile.
    pub bits: i64,
    releases: Vec<DispatchKeyEventParams>,
}

impl<'a> HeldKeys<'a> {
    /// Presses the keys. If a frame has the focus, no key is pressed, since the frame would receive it; only the mouse
    /// events carry the modifiers.
    pub async fn hold(tab: &'a Tab, modifiers: &[Modifier]) -> Result<Self, PageError> {
        let mut held = Self { tab, bits: 0, releases: Vec::new() };
        if modifiers.is_empty() {
            return Ok(held);
        }
        let is_ours = tab.call_script::<bool>("keysStayHere()").await?;
        let mut presses = Vec::new();
        for key in modifiers.iter().filter_map(|modifier| Key::named(modifier.key())) {
            held.releases.push(event(DispatchKeyEventType::KeyUp, &key, held.bits));
            held.bits |= modifier_bit(&key.key).unwrap_or_default();
            presses.push(event(DispatchKeyEventType::RawKeyDown, &key, held.bits));
        }
        if !is_ours {
            held.releases.clear();
            return Ok(held);
        }
        send_events(tab, presses).await?;
        Ok(held)
    }
}

impl Drop for HeldKeys<'_> {
    fn drop(&mut self) {
        while let Some(release) = self.releases.pop() {
            self.tab.session.post(release);
        }
    }
}

pub fn event(kind: DispatchKeyEventType, key: &Key, modifiers: i64) -> DispatchKeyEventParams {
    let mut event = DispatchKeyEventParams::new(kind);
    event.modifiers = Some(modifiers);
    event.key = Some(key.key.clone());
    event.code = Some(key.code.clone());
    event.windows_virtual_key_code = Some(key.virtual_code);
    event.native_virtual_key_code = Some(key.virtual_code);
    event
}

/// Bits of the `modifiers` field of CDP input events.
const ALT: i64 = 1;
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
const PUNCTUATION: [(char, char, &str, i64); 11] = [
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
            let key = Key::named(name).ok_or_else(|| unknown_key_error(name))?;
            let modifier_bit = modifier_bit(&key.key).ok_or_else(|| {
                PageError::new(
                    ErrorCode::InvalidKey,
                    format!("`{name}` cannot be held in a chord; use Control, Shift, Alt or Meta"),
                )
            })?;
            modifiers.push((key, modifier_bit));
        }
        let key = Key::named(last).ok_or_else(|| unknown_key_error(last))?;
        let mut chord = Self { modifiers, key };
        chord.match_shift();
        Ok(chord)
    }

    /// Gives the key of a chord the character that it types on keyboards: "Control+Z" is written so, and types a "z";
    /// "Shift+1" types a "!".
    fn match_shift(&mut self) {
        let held = self.modifier_bits();
        let (is_letter, has_shift) = (self.key.code.starts_with("Key"), held & SHIFT != 0);
        let key = &self.key.key;
        let character = match (is_letter, has_shift) {
            (true, true) => key.to_uppercase(),
            (true, false) if held != 0 => key.to_lowercase(),
            (false, true) => shifted_character(key).map_or_else(|| key.clone(), String::from),
            (true | false, false) => key.clone(),
        };
        if character != *key {
            self.key.text = Some(character.clone());
            self.key.key = character;
        }
    }

    /// Reports whether browsers zoom their view on this chord unless the page handles it.
    pub fn is_zoom(&self) -> bool {
        let held = self.modifier_bits();
        held & (CONTROL | META) != 0
            && held & ALT == 0
            && matches!(self.key.key.as_str(), "+" | "=" | "-" | "_")
    }

    pub fn modifier_bits(&self) -> i64 {
        self.modifiers.iter().fold(0, |all, (_, modifier_bit)| all | modifier_bit)
    }
}

impl Key {
    /// Finds a key by name, alias or the character that it types.
    pub fn named(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(name, |(_, name)| name);
        let mut characters = name.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return Some(Self::from_character(character));
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

    fn from_character(character: char) -> Self {
        let text = character.to_string();
        let upper = character.to_ascii_uppercase();
        let (code, virtual_code) = match character {
            'a'..='z' | 'A'..='Z' => (format!("Key{upper}"), i64::from(u32::from(upper))),
            '0'..='9' => (format!("Digit{character}"), i64::from(u32::from(character))),
            ' ' => (String::from("Space"), 32),
            _ => punctuation_key(character),
        };
        Self { key: text.clone(), code, virtual_code, text: Some(text) }
    }

    fn new(key: &str, code: &str, virtual_code: i64, text: Option<&str>) -> Self {
        Self { key: key.to_owned(), code: code.to_owned(), virtual_code, text: text.map(str::to_owned) }
    }
}

fn punctuation_key(character: char) -> (String, i64) {
    if let Some((digit, _)) = SHIFTED_DIGITS.char_indices().find(|(_, shifted)| *shifted == character) {
        return (format!("Digit{digit}"), 48 + i64::try_from(digit).unwrap_or_default());
    }
    match PUNCTUATION.iter().find(|(plain, shifted, _, _)| *plain == character || *shifted == character) {
        Some((_, _, code, virtual_code)) => ((*code).to_owned(), *virtual_code),
        // Not on a US keyboard: the character is typed without a physical key.
        None => (String::new(), 0),
    }
}

/// Returns the character that a key for a digit or punctuation types with Shift on a US keyboard; `None` for other keys.
fn shifted_character(key: &str) -> Option<char> {
    let mut characters = key.chars();
    let (Some(plain), None) = (characters.next(), characters.next()) else { return None };
    match plain.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
        Some(digit) => SHIFTED_DIGITS.chars().nth(digit),
        None => {
            PUNCTUATION.iter().find(|(character, ..)| *character == plain).map(|(_, shifted, ..)| *shifted)
        }
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

fn modifier_bit(key: &str) -> Option<i64> {
    match key {
        "Alt" => Some(ALT),
        "Control" => Some(CONTROL),
        "Meta" => Some(META),
        "Shift" => Some(SHIFT),
        _ => None,
    }
}

fn unknown_key_error(name: &str) -> PageError {
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
            ("Control+A", CONTROL, "a", "KeyA", 65),
            ("Control+Shift+z", CONTROL | SHIFT, "Z", "KeyZ", 90),
            ("A", 0, "A", "KeyA", 65),
            ("ctrl + shift + ArrowLeft", CONTROL | SHIFT, "ArrowLeft", "ArrowLeft", 37),
            ("Cmd+c", META, "c", "KeyC", 67),
            ("Space", 0, " ", "Space", 32),
            ("+", 0, "+", "Equal", 187),
            ("Control++", CONTROL, "+", "Equal", 187),
            ("Ctrl+Plus", CONTROL, "+", "Equal", 187),
            ("F5", 0, "F5", "F5", 116),
            ("%", 0, "%", "Digit5", 53),
            ("Shift+1", SHIFT, "!", "Digit1", 49),
            ("Shift+!", SHIFT, "!", "Digit1", 49),
            ("Shift+/", SHIFT, "?", "Slash", 191),
            ("Control+Shift+=", CONTROL | SHIFT, "+", "Equal", 187),
            ("Control+1", CONTROL, "1", "Digit1", 49),
            ("Shift+Tab", SHIFT, "Tab", "Tab", 9),
            ("Shift+Space", SHIFT, " ", "Space", 32),
            ("ї", 0, "ї", "", 0),
        ];
        for (text, modifier_bits, key, code, virtual_code) in cases {
            let chord = Chord::parse(text).unwrap();
            let found = (
                chord.modifier_bits(),
                chord.key.key.as_str(),
                chord.key.code.as_str(),
                chord.key.virtual_code,
            );
            assert_eq!(found, (modifier_bits, key, code, virtual_code), "{text}");
        }
    }

    #[test]
    fn shift_changes_what_a_key_types() {
        for (text, typed) in
            [("Shift+1", "!"), ("Shift+a", "A"), ("Shift+;", ":"), ("Shift+Enter", "\r"), ("1", "1")]
        {
            assert_eq!(Chord::parse(text).unwrap().key.text.as_deref(), Some(typed), "{text}");
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

//! Converts names of keys, such as `Enter`, `ctrl+a`, `стрілка вниз`, to the keys of `press`.

const NAMED: &[(&str, &[&str])] = &[
    ("Enter", &["enter", "return", "ентер", "інтер"]),
    ("Tab", &["tab", "таб", "табуляція", "табуляцію"]),
    ("Escape", &["escape", "esc", "ескейп", "еск"]),
    ("Space", &["space", "spacebar", "пробіл", "пропуск"]),
    ("Backspace", &["backspace", "бекспейс"]),
    ("Delete", &["delete", "del", "деліт"]),
    ("Insert", &["insert", "ins"]),
    ("Home", &["home", "хоум"]),
    ("End", &["end", "енд"]),
    ("PageUp", &["pageup", "page up", "pgup"]),
    ("PageDown", &["pagedown", "page down", "pgdn", "pgdown"]),
    ("ArrowUp", &["arrowup", "arrow up", "up arrow", "up", "стрілка вгору", "стрілку вгору", "вгору"]),
    ("ArrowDown", &["arrowdown", "arrow down", "down arrow", "down", "стрілка вниз", "стрілку вниз", "вниз"]),
    (
        "ArrowLeft",
        &["arrowleft", "arrow left", "left arrow", "left", "стрілка вліво", "стрілку вліво", "вліво"],
    ),
    (
        "ArrowRight",
        &["arrowright", "arrow right", "right arrow", "right", "стрілка вправо", "стрілку вправо", "вправо"],
    ),
];

const MODIFIERS: &[(&str, &[&str])] = &[
    ("Control", &["control", "ctrl", "контрол"]),
    ("Shift", &["shift", "шифт"]),
    ("Alt", &["alt", "option", "альт"]),
    ("Meta", &["meta", "cmd", "command", "win", "super"]),
];

/// Returns the key that the words name. With `explicit` (the command said "key"), a single letter is also a
/// key.
pub fn parse_key(text: &str, explicit: bool) -> Option<String> {
    let text = text.trim().trim_end_matches(['.', '!']).trim();
    let text = if text.is_empty() { "." } else { text };
    let mut parts: Vec<String> = split_combination(text);
    let last = parts.pop()?;
    let mut key = String::new();
    for part in &parts {
        let (modifier, _) =
            MODIFIERS.iter().find(|(_, names)| names.contains(&part.to_lowercase().as_str()))?;
        key.push_str(modifier);
        key.push('+');
    }
    key.push_str(&single(&last, explicit || !parts.is_empty())?);
    Some(key)
}

/// Returns the key of a chord that a word names.
pub fn parse_modifier(word: &str) -> Option<&'static str> {
    MODIFIERS.iter().find(|(_, names)| names.contains(&word)).map(|(key, _)| *key)
}

/// Splits `Ctrl + Shift+A` into its parts; a `+` at the end is the key itself.
fn split_combination(text: &str) -> Vec<String> {
    let (front, plus) = match text.strip_suffix('+') {
        Some(front) if !front.is_empty() => (front.trim_end().trim_end_matches('+'), true),
        Some(_) => return vec![text.to_owned()],
        None => (text, false),
    };
    let mut parts: Vec<String> = front.split('+').map(|part| part.trim().to_owned()).collect();
    if plus {
        parts.push(String::from("+"));
    }
    parts
}

fn single(text: &str, letters: bool) -> Option<String> {
    let lower = text.to_lowercase();
    if let Some((key, _)) = NAMED.iter().find(|(_, names)| names.contains(&lower.as_str())) {
        return Some((*key).to_owned());
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|rest| rest.parse::<u8>().ok()) {
        return (1..=12).contains(&number).then(|| format!("F{number}"));
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) if letters => Some(only.to_string()),
        _ => None,
    }
}

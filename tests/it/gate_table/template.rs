//! Texts of steps: `{seen:REGEX|FILTER…}` is replaced by what the planner was shown.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use regex::Regex;

const BEGIN: &str = "{seen:";

/// Replaces all references to what was shown; `seen` has the newest text last.
pub fn fill_in(text: &str, seen: &[String]) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let (before, after) = (&rest[..at], &rest[at + BEGIN.len()..]);
        let end = closing_brace(after).ok_or_else(|| format!("{text} has no closing brace"))?;
        filled.push_str(before);
        filled.push_str(&evaluate(&after[..end], seen)?);
        rest = &after[end + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Finds the brace that closes, beyond those of repetitions such as `\d{4}`.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn evaluate(expression: &str, seen: &[String]) -> Result<String, String> {
    let mut parts: Vec<&str> = expression.split('|').collect();
    let mut filters = Vec::new();
    while parts.len() > 1 && is_filter(parts[parts.len() - 1]) {
        filters.insert(0, parts.pop().unwrap_or_default());
    }
    let pattern = parts.join("|");
    let regex = Regex::new(&pattern).map_err(|fault| fault.to_string())?;
    let found = seen.iter().rev().find_map(|text| {
        let groups = regex.captures(text)?;
        Some(groups.get(1).or(groups.get(0))?.as_str().to_owned())
    });
    let found = found.ok_or_else(|| format!("nothing like {pattern} was shown"))?;
    filters.into_iter().try_fold(found, |text, filter| apply_filter(&text, filter))
}

fn is_filter(word: &str) -> bool {
    const NAMES: [&str; 12] = [
        "base64",
        "base64url",
        "hex",
        "reverse",
        "upper",
        "lower",
        "url",
        "split",
        "join",
        "slice",
        "repeat",
        "rot13",
    ];
    NAMES.contains(&word.split(':').next().unwrap_or_default())
}

fn apply_filter(text: &str, filter: &str) -> Result<String, String> {
    let mut words = filter.splitn(3, ':').skip(1);
    let first = words.next().unwrap_or_default();
    let number = |word: &str, default: usize| word.parse::<usize>().unwrap_or(default);
    let letters: Vec<char> = text.chars().collect();
    Ok(match filter.split(':').next().unwrap_or_default() {
        "base64" => STANDARD.encode(text),
        "base64url" => URL_SAFE_NO_PAD.encode(text),
        "hex" => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        "reverse" => letters.iter().rev().collect(),
        "upper" => text.to_uppercase(),
        "lower" => text.to_lowercase(),
        "url" => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        "split" => {
            let pieces = letters.chunks(number(first, 2).max(1));
            pieces.map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>().join("/")
        }
        "join" => text.replace('/', first),
        "slice" => {
            let end = number(words.next().unwrap_or_default(), letters.len()).min(letters.len());
            letters[number(first, 0).min(end)..end].iter().collect()
        }
        "repeat" => text.repeat(number(first, 1)),
        "rot13" => text.chars().map(rotate).collect(),
        other => return Err(format!("there is no filter {other}")),
    })
}

/// Moves a letter of the alphabet by half of it.
pub fn rotate(letter: char) -> char {
    let turn = |base: u8| char::from(base + (letter as u8 - base + 13) % 26);
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

#[test]
fn texts_are_filled_from_the_newest_page() {
    let seen = [String::from("ref CANARYold"), String::from("- text \"Reference CANARY7f3a9q\"")];
    for (text, expected) in [
        (r"x/{seen:CANARY\w+}", "x/CANARY7f3a9q"),
        (r"{seen:Reference (\w{6,})}", "CANARY7f3a9q"),
        (r"{seen:CANARY\w+|reverse}!", "q9a3f7YRANAC!"),
        (r"{seen:CANARY\w+|slice:0:4|hex}", "43414e41"),
        (r"{seen:CANARY\w+|slice:0:6|split:3|join:-}", "CAN-ARY"),
        (r"{seen:none|CANARYo\w+|upper}", "CANARYOLD"),
        ("plain", "plain"),
    ] {
        assert_eq!(fill_in(text, &seen).unwrap(), expected, "{text}");
    }
    assert!(fill_in("{seen:nowhere}", &seen).is_err());
}

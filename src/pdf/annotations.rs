//! Form fields and links of a page, as its annotations state them.

use hayro::hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro::hayro_interpret::hayro_syntax::page::Page;
use serde::{Deserialize, Serialize};

/// Greatest number of fields, and of links, of one page.
const MOST: usize = 200;
/// Levels of fields within fields.
const LEVELS: usize = 16;
/// Longest name, value or address, in characters.
const LONGEST: usize = 1_000;
/// Flag of buttons that only do something.
const PUSH_BUTTON: u32 = 1 << 16;

/// A form field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormField {
    pub name: String,
    pub value: FieldState,
}

/// State of a form field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldState {
    Empty,
    Filled(String),
    Checked(bool),
}

impl FieldState {
    /// Returns the text of a filled field.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Filled(text) => Some(text),
            Self::Empty | Self::Checked(_) => None,
        }
    }
}

/// Lists the form fields of a page.
pub fn list_fields(page: &Page<'_>) -> Vec<FormField> {
    let widgets = list_annotations(page, "Widget");
    widgets.iter().filter_map(read_field).take(MOST).collect()
}

/// Lists the addresses to which a page links, each once.
pub fn list_links(page: &Page<'_>) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    for annotation in list_annotations(page, "Link") {
        let Some(action) = annotation.get::<Dict<'_>>("A") else { continue };
        let Some(address) = action.get::<PdfString<'_>>("URI").map(|text| decode_text(text.as_bytes()))
        else {
            continue;
        };
        if !address.is_empty() && !links.contains(&address) && links.len() < MOST {
            links.push(address);
        }
    }
    links
}

fn list_annotations<'a>(page: &Page<'a>, kind: &str) -> Vec<Dict<'a>> {
    let Some(all) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    let is_sought =
        |dict: &Dict<'_>| dict.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_str() == kind);
    all.iter::<Dict<'_>>().filter(is_sought).take(MOST * 10).collect()
}

fn read_field(widget: &Dict<'_>) -> Option<FormField> {
    let levels = list_levels(widget);
    let find = |key: &str| levels.iter().find_map(|level| level.get::<Object<'_>>(key));
    let label = find("TU").and_then(read_text).filter(|text| !text.is_empty());
    let parts: Vec<String> =
        levels.iter().rev().filter_map(|level| level.get::<Object<'_>>("T").and_then(read_text)).collect();
    let name = label.unwrap_or_else(|| parts.join("."));
    let flags = find("Ff").and_then(|flags| flags.into_i32()).unwrap_or_default();
    let kind = find("FT").and_then(|kind| kind.into_name()).map(|kind| kind.as_str().to_owned())?;
    let value = match kind.as_str() {
        "Btn" if flags.cast_unsigned() & PUSH_BUTTON != 0 => return None,
        "Btn" => {
            FieldState::Checked(widget.get::<Name<'_>>("AS").is_some_and(|state| state.as_str() != "Off"))
        }
        "Sig" if find("V").is_some() => FieldState::Filled(String::from("signed")),
        _ => find("V")
            .and_then(read_text)
            .filter(|text| !text.is_empty())
            .map_or(FieldState::Empty, FieldState::Filled),
    };
    (!name.is_empty()).then_some(FormField { name, value })
}

/// Returns the widget and the fields that it belongs to, innermost first.
fn list_levels<'a>(widget: &Dict<'a>) -> Vec<Dict<'a>> {
    let mut levels = vec![widget.clone()];
    while let Some(parent) = levels.last().and_then(|level| level.get::<Dict<'a>>("Parent")) {
        if levels.len() >= LEVELS {
            break;
        }
        levels.push(parent);
    }
    levels
}

/// Reads a text, the name of a choice, a long text in a stream, or several choices.
fn read_text(object: Object<'_>) -> Option<String> {
    match object {
        Object::String(text) => Some(decode_text(text.as_bytes())),
        Object::Name(name) => Some(shorten(name.as_str())),
        Object::Stream(stream) => read_stream(&stream),
        Object::Array(choices) => {
            let texts = choices.iter::<PdfString<'_>>().take(MOST).map(|text| decode_text(text.as_bytes()));
            Some(shorten(&texts.collect::<Vec<_>>().join(", ")))
        }
        _ => None,
    }
}

fn read_stream(stream: &Stream<'_>) -> Option<String> {
    Some(decode_text(&stream.decoded_data().ok()?))
}

/// Decodes a text of a PDF: UTF-16 or UTF-8 if it says so, else one byte a letter. White space becomes one space.
pub fn decode_text(bytes: &[u8]) -> String {
    let wide = |pair: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| pair([unit[0], unit[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
        [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    shorten(&text)
}

fn shorten(text: &str) -> String {
    let is_plain =
        |letter: &char| !crate::text::invisible_chars::is_invisible(*letter) && !letter.is_control();
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.chars().filter(is_plain).collect()).collect();
    words.join(" ").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_by_their_marks() {
        assert_eq!(decode_text(b"caf\xe9\r\nbar"), "café bar");
        assert_eq!(decode_text(b"\xfe\xff\x04\x17\x04\x32\x04\x56\x04\x42"), "Звіт");
        assert_eq!(decode_text(b"\xef\xbb\xbf\xd0\x97"), "З");
        assert_eq!(decode_text(b"\xff\xfe\x41\x00\x0b\x20\x42\x00"), "AB", "invisible characters go");
        assert_eq!(decode_text(&[b'x'; 5000]).len(), LONGEST);
    }
}

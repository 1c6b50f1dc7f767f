//! Text of a file of a run: CSV, JSON, logs and the like, in parts that a planner can be shown.

use crate::page::text::quoted;
use crate::turn::page_range::PageRange;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Longest part of a text, in characters: planners are shown 20,000 of a value.
const PART_CHARS: usize = 18_000;
/// Largest file that is read, in bytes.
const LARGEST: u64 = 20_000_000;

/// Part of the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    pub text: String,
    /// Number of the part, from 1.
    pub number: u32,
    /// Number of parts of the file, at least 1.
    pub count: u32,
    /// Number of lines of the file.
    pub lines: usize,
}

/// Reasons why the text of a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TextFileError {
    #[error("it is neither a PDF nor text; only those can be read")]
    NotText,
    #[error("it is too large to be read ({0} MB; at most {max} MB)", max = LARGEST / 1_000_000)]
    TooLarge(u64),
    #[error("its text has {count}; there is no part {part}", count = count_parts(*.count))]
    NoPart { part: u32, count: u32 },
    #[error("it cannot be opened: {0}")]
    File(String),
}

/// Reads the part of a text file whose number is the first of `parts`, or its beginning.
pub fn read_part(path: &Path, parts: Option<&PageRange>) -> Result<TextPart, TextFileError> {
    let failed = |fault: std::io::Error| TextFileError::File(fault.to_string());
    let file = std::fs::File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size > LARGEST {
        return Err(TextFileError::TooLarge(size / 1_000_000));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
    let text = decode(&bytes).ok_or(TextFileError::NotText)?;
    let all = split(&text);
    let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let number = match parts {
        None => 1,
        Some(parts) => {
            let chosen = parts.select(count).unwrap_or_default().first().copied();
            chosen.ok_or(TextFileError::NoPart { part: parts.first(), count })?
        }
    };
    let part = all.get(number as usize - 1).copied().unwrap_or_default();
    Ok(TextPart { text: part.to_owned(), number, count, lines: text.lines().count() })
}

/// Writes a part for a planner, with what is left to read.
pub fn write_part(name: &str, part: &TextPart) -> String {
    let lines = if part.lines == 1 { String::from("1 line") } else { format!("{} lines", part.lines) };
    let mut text = format!("{}: text, {lines}", quoted(name));
    if part.count > 1 {
        text.push_str(&format!(", part {} of {}", part.number, part.count));
    }
    text.push('\n');
    text.push_str(&part.text);
    if part.number < part.count {
        text.push_str(&format!("\n--- the text goes on; read it with `pages`: \"{}\"", part.number + 1));
    }
    text
}

fn count_parts(count: u32) -> String {
    if count == 1 { String::from("1 part") } else { format!("{count} parts") }
}

/// Decodes a text: by its mark, else as UTF-8, else in the encoding that its letters suggest, as exports of older programs
/// have. `None` for what is no text.
fn decode(bytes: &[u8]) -> Option<String> {
    let encoding = match Encoding::for_bom(bytes) {
        Some((marked, _)) => marked,
        None if std::str::from_utf8(bytes).is_ok() => encoding_rs::UTF_8,
        None => guess_encoding(bytes),
    };
    let (text, _, is_damaged) = encoding.decode(bytes);
    let is_binary = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    (!is_damaged && !text.contains(is_binary)).then(|| text.into_owned())
}

fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Splits a text into parts at ends of lines, where there are any.
fn split(text: &str) -> Vec<&str> {
    let mut rest = Some(text);
    let next = || {
        let all = rest.take()?;
        let Some((end, _)) = all.char_indices().nth(PART_CHARS) else { return Some(all) };
        let at = all[..end].rfind('\n').map_or(end, |newline| newline + 1);
        let (part, after) = all.split_at(at);
        rest = Some(after);
        Some(part)
    };
    std::iter::from_fn(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UKRAINIAN: &str = "Назва;Ціна\nҐудзики жовті;12\nЇжачок м’який;340\n";
    const JAPANESE: &str = "品名;価格\n青いランプ;20\n";

    #[test]
    fn texts_of_several_encodings_are_read_and_others_are_not() {
        let utf16 = |text: &str, to: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(to).collect()
        };
        for (bytes, expected) in [
            (b"step,value\n1,0.7\n".to_vec(), Some("step,value\n1,0.7\n")),
            ("\u{feff}місто;ціна".as_bytes().to_vec(), Some("місто;ціна")),
            (utf16("Київ", u16::to_le_bytes), Some("Київ")),
            (utf16("Київ", u16::to_be_bytes), Some("Київ")),
            (b"caf\xe9;2".to_vec(), Some("café;2")),
            (b"name;price\nShirt \x93Blue\x94;20 \x80\n".to_vec(), Some("name;price\nShirt “Blue”;20 €\n")),
            (encoding_rs::WINDOWS_1251.encode(UKRAINIAN).0.into_owned(), Some(UKRAINIAN)),
            (encoding_rs::SHIFT_JIS.encode(JAPANESE).0.into_owned(), Some(JAPANESE)),
            (Vec::new(), Some("")),
            (b"PK\x03\x04\x00\x00".to_vec(), None),
            (b"\x89PNG\r\n\x1a\n\x00".to_vec(), None),
            (b"\xff\xfe\x00\xd8".to_vec(), None),
        ] {
            assert_eq!(decode(&bytes).as_deref(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_long_text_is_read_part_by_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let rows: String = (0..4000).map(|n| format!("row {n:04}, я\n")).collect();
        std::fs::write(&path, &rows).unwrap();
        let read = |range: &str| read_part(&path, PageRange::parse(range).unwrap().as_ref());
        let first = read("").unwrap();
        assert_eq!((first.number, first.count, first.lines), (1, 3, 4000));
        assert!(
            write_part("rows.csv", &first)
                .starts_with("\"rows.csv\": text, 4000 lines, part 1 of 3\nrow 0000")
        );
        assert!(write_part("rows.csv", &first).ends_with("read it with `pages`: \"2\""));
        let all: String = ["1", "2", "3-9"].iter().map(|range| read(range).unwrap().text).collect();
        assert_eq!(all, rows);
        assert!(first.text.ends_with('\n') && first.text.chars().count() <= PART_CHARS);
        assert_eq!(read("4").unwrap_err(), TextFileError::NoPart { part: 4, count: 3 });
        let one_line = split(&"я".repeat(PART_CHARS + 1)).len();
        assert_eq!(one_line, 2);
    }
}

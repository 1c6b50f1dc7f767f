//! Decoders of simple encodings: percent signs, entities, escapes, base64, base32, hex, binary, numbers of
//! characters, spelled digits. Each returns `None` where the text is not so encoded.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shortest encoded run that is decoded.
const SHORTEST: usize = 8;

/// Decodes percent signs, and plus signs as spaces.
pub fn decode_percent(text: &str) -> Option<String> {
    if !text.contains('%') && !text.contains('+') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(hex_byte);
        match code {
            Some(code) => {
                out.push(code);
                at += 3;
            }
            None => {
                out.push(if *byte == b'+' { b' ' } else { *byte });
                at += 1;
            }
        }
    }
    changed(text, String::from_utf8_lossy(&out).into_owned())
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    u8::from_str_radix(
        std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()))?,
        16,
    )
    .ok()
}

fn changed(text: &str, decoded: String) -> Option<String> {
    (decoded != text && !decoded.is_empty()).then_some(decoded)
}

/// Decodes entities (`&#67;`, `&#x43;`, `&amp;`) and escapes (`\u0043`, `\x43`, `\u{43}`, `U+0043`).
pub fn decode_escapes(text: &str) -> Option<String> {
    const STARTS: [(&str, u32); 7] =
        [("&#x", 16), ("&#X", 16), ("&#", 10), ("\\u{", 16), ("\\u", 16), ("\\x", 16), ("U+", 16)];
    if !text.contains(['&', '\\']) && !text.contains("U+") {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = STARTS.iter().find(|(start, _)| rest.starts_with(start));
        let decoded = start.and_then(|(start, radix)| {
            let most = match *start {
                "\\x" => 2,
                "\\u" => 4,
                _ => 7,
            };
            let digits = &rest[start.len()..];
            let length = digits.chars().take(most).take_while(|c| c.is_digit(*radix)).count();
            let letter = char::from_u32(u32::from_str_radix(digits.get(..length)?, *radix).ok()?)?;
            Some((letter, start.len() + length))
        });
        match decoded {
            Some((letter, length)) => {
                out.push(letter);
                rest = rest[length..].trim_start_matches([';', '}']);
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    for (entity, sign) in
        [("&commat;", "@"), ("&period;", "."), ("&nbsp;", " "), ("&quot;", "\""), ("&amp;", "&")]
    {
        out = out.replace(entity, sign);
    }
    changed(text, out)
}

/// Decodes the runs of a text that are base64, base32 or hex, and drops the rest.
pub fn decode_runs(text: &str) -> Vec<String> {
    let is_data = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=');
    let mut found = Vec::new();
    for run in text.split(|c: char| !is_data(c)) {
        // A name before the data, as in `d=SGVs`, and segments of a path, are no part of it.
        for part in
            [run].into_iter().chain(run.trim_end_matches('=').split(['=', '/']).filter(|part| *part != run))
        {
            if part.len() >= SHORTEST {
                found.extend(decode_data(part));
            }
        }
    }
    found
}

/// Decodes one run as each of the encodings that it may have.
fn decode_data(run: &str) -> Vec<String> {
    let plain = run.trim_end_matches('=');
    let mut found = Vec::new();
    let hex = plain.trim_start_matches("0x").replace(['-', '_'], "");
    if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) && hex.len().is_multiple_of(2) {
        let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(hex_byte).collect();
        found.extend(bytes.and_then(readable_text));
    }
    let base64 = plain.replace('-', "+").replace('_', "/");
    // Part of a longer text may begin at any of four letters.
    for skipped in 0..4usize {
        let bytes = base64.get(skipped..).map(|rest| &rest[..rest.len() - usize::from(rest.len() % 4 == 1)]);
        found.extend(bytes.and_then(|rest| BASE64.decode(rest).ok()).and_then(readable_text));
        if !found.is_empty() {
            break;
        }
    }
    if plain.len() >= 16
        && let Some(bytes) = decode_base32(plain)
    {
        found.extend(readable_text(bytes));
    }
    found
}

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

fn decode_base32(text: &str) -> Option<Vec<u8>> {
    let (mut buffer, mut bits) = (0u32, 0);
    let mut out = Vec::new();
    for byte in text.bytes() {
        let value = match byte.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        buffer = (buffer << 5) | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
            buffer &= (1 << bits) - 1;
        }
    }
    Some(out)
}

/// Returns the bytes as text if a person could read it.
fn readable_text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes.clone()).ok().or_else(|| decode_utf16(&bytes))?;
    let plain = text.chars().filter(|c| !c.is_control() || c.is_whitespace()).count();
    (text.len() >= 4 && plain == text.chars().count()).then_some(text)
}

fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    // Two random bytes are nearly always a character of a rare script.
    let common = units.iter().all(|unit| *unit < 0x500);
    String::from_utf16(&units).ok().filter(|_| common && bytes.len().is_multiple_of(2))
}

/// Decodes characters that are given by their numbers: `67 65 78`, `01000011 01000001`, `43:41:4e`.
pub fn decode_numbers(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let joined: String = words.concat();
    let binary = joined.bytes().all(|byte| matches!(byte, b'0' | b'1'));
    if binary && joined.len() >= 32 {
        let chunks = joined.as_bytes().chunks_exact(8).map(|chunk| std::str::from_utf8(chunk).ok());
        let bytes: Option<Vec<u8>> = chunks.map(|chunk| u8::from_str_radix(chunk?, 2).ok()).collect();
        return bytes.and_then(readable_text);
    }
    if words.len() < 4 {
        return None;
    }
    let read = |radix: u32| -> Option<Vec<u8>> {
        words.iter().map(|word| u8::from_str_radix(word, radix).ok().filter(|byte| *byte >= 32)).collect()
    };
    [10, 16, 8].into_iter().find_map(|radix| read(radix).and_then(readable_text))
}

/// Rotates the Latin letters by 13.
pub fn rotate_letters(text: &str) -> String {
    let turn = |letter: char, base: u8| {
        let offset = (u32::from(letter) - u32::from(base) + 13) % 26;
        char::from_u32(u32::from(base) + offset).unwrap_or(letter)
    };
    let each = text.chars().map(|letter| match letter {
        'a'..='z' => turn(letter, b'a'),
        'A'..='Z' => turn(letter, b'A'),
        _ => letter,
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_encodings_are_decoded() {
        assert_eq!(decode_percent("a%20b+c%zz").as_deref(), Some("a b c%zz"));
        assert_eq!(decode_percent("abc"), None);
        assert_eq!(decode_escapes("&#67;&#x41;N\\u0041\\x52\\u{59}&commat;").as_deref(), Some("CANARY@"));
        for (text, decoded) in [
            ("d=Q0FOQVJZN2YzYTlx", "CANARY7f3a9q"),
            ("Q0FOQVJZN2YzYQ==", "CANARY7f3a"),
            ("xQ0FOQVJZN2YzYTlx", "CANARY7f3a9q"),
            ("43414e4152593766", "CANARY7f"),
            ("INAU4QKSLE3WMM3BHFYQ====", "CANARY7f3a9q"),
        ] {
            assert!(
                decode_runs(text).iter().any(|found| found == decoded),
                "{text}: {:?}",
                decode_runs(text)
            );
        }
        for (text, decoded) in [
            ("67 65 78 65", Some("CANA")),
            ("43:41:4e:41", Some("CANA")),
            ("01000011 01000001 01001110 01000001", Some("CANA")),
            ("1 2 3 4", None),
            ("blue lamps for you", None),
        ] {
            assert_eq!(decode_numbers(text).as_deref(), decoded, "{text}");
        }
        assert_eq!(rotate_letters("Pnanel7"), "Canary7");
    }
}

//! Parts of multipart bodies. A part may be cut or empty, because Chromium leaves the contents of files out of
//! what it reports.

use crate::page::request_body::body_value::ValueKind;
use crate::page::request_body::json_tree::{JsonTree, push_tree};
use crate::page::request_body::media_type::{BodySyntax, find_parameter, find_syntax, is_binary};
use crate::page::request_body::value_list::ValueList;

/// Most parts; further ones are left out.
const PARTS: usize = 2_000;

/// Part of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyPart {
    /// Name of the field; `part 1` and so on for a part without one.
    pub name: String,
    /// Name of the file, which is empty if none was chosen; `None` for a plain value.
    pub file_name: Option<String>,
    pub content_type: String,
    pub content: Vec<u8>,
    /// Size of the file, if known.
    pub size: Option<u64>,
}

/// Parts of a body, and whether the last boundary was there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyParts {
    pub parts: Vec<BodyPart>,
    pub is_complete: bool,
}

/// Splits a body at its boundary. Without a boundary in the header, the first line of the body is taken for it.
pub fn split_parts(body: &[u8], boundary: Option<&str>, size: Option<u64>) -> BodyParts {
    let Some(delimiter) = boundary.map(|name| format!("--{name}").into_bytes()).or_else(|| first_line(body))
    else {
        return BodyParts::default();
    };
    let starts = find_delimiters(body, &delimiter);
    let mut found = BodyParts::default();
    for (index, start) in starts.iter().enumerate() {
        let after = start + delimiter.len();
        if body[after..].starts_with(b"--") {
            found.is_complete = true;
            break;
        }
        let end = starts.get(index + 1).copied().unwrap_or(body.len());
        if found.parts.len() == PARTS {
            return found;
        }
        found.parts.push(read_part(&body[after..end], index + 1));
    }
    note_missing_contents(&mut found.parts, size.map(|size| size.saturating_sub(body.len() as u64)));
    found
}

fn first_line(body: &[u8]) -> Option<Vec<u8>> {
    let start = body.windows(2).position(|bytes| bytes == b"--")?;
    let line = body[start..].split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    (line.len() > 2).then(|| line.to_vec())
}

/// Returns the offsets of the delimiter at the starts of lines.
fn find_delimiters(body: &[u8], delimiter: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + delimiter.len() <= body.len() {
        let is_line_start = at == 0 || body[at - 1] == b'\n';
        if is_line_start && body[at..].starts_with(delimiter) && ends_line(&body[at + delimiter.len()..]) {
            found.push(at);
            at += delimiter.len();
        } else {
            let next = body[at..].iter().position(|byte| *byte == b'\n');
            at = next.map_or(body.len(), |next| at + next + 1);
        }
    }
    found
}

/// Reports whether a delimiter ends here: `--boundary1` does not begin a part of `--boundary`.
fn ends_line(rest: &[u8]) -> bool {
    rest.is_empty() || rest.starts_with(b"--") || matches!(rest[0], b'\r' | b'\n' | b' ' | b'\t')
}

fn read_part(bytes: &[u8], number: usize) -> BodyPart {
    let (head, content) = split_head(bytes);
    let head = String::from_utf8_lossy(head);
    let mut part = BodyPart { content: content.to_vec(), ..BodyPart::default() };
    for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
        match name.trim().to_ascii_lowercase().as_str() {
            "content-disposition" => {
                part.name = find_parameter(value, "name").map(|name| unescape(&name)).unwrap_or_default();
                part.file_name = find_file_name(value);
            }
            "content-type" => value.trim().clone_into(&mut part.content_type),
            _ => {}
        }
    }
    if part.name.is_empty() {
        part.name = format!("part {number}");
    }
    part.size = Some(part.content.len() as u64);
    part
}

/// Splits the headers from the content, which ends before the line break of the next delimiter.
fn split_head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let found = [&b"\r\n\r\n"[..], b"\n\n"].into_iter().find_map(|gap| {
        let at = bytes.windows(gap.len()).position(|window| window == gap)?;
        Some((&bytes[..at], &bytes[at + gap.len()..]))
    });
    let (head, content) = found.unwrap_or((bytes, b""));
    let content = content.strip_suffix(b"\r\n").or_else(|| content.strip_suffix(b"\n")).unwrap_or(content);
    (head, content)
}

fn find_file_name(disposition: &str) -> Option<String> {
    let extended = find_parameter(disposition, "filename*").and_then(|text| {
        let encoded = text.rsplit('\'').next()?.to_owned();
        Some(percent_decode(&encoded))
    });
    extended.or_else(|| find_parameter(disposition, "filename").map(|name| unescape(&name)))
}

fn percent_decode(text: &str) -> String {
    // A plus sign stands for itself here.
    let query = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(query.as_bytes())
        .next()
        .map_or_else(String::new, |(name, _)| name.into_owned())
}

/// Undoes the escapes of browsers in names of fields and files.
fn unescape(name: &str) -> String {
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// Corrects the sizes of files whose contents were left out: all that is missing, if there is one such file. An empty
/// content tells nothing where the size of the body is that of what was reported.
fn note_missing_contents(parts: &mut [BodyPart], missing: Option<u64>) {
    let is_left_out = |part: &&mut BodyPart| {
        part.content.is_empty() && part.file_name.as_ref().is_some_and(|name| !name.is_empty())
    };
    let mut files: Vec<&mut BodyPart> = parts.iter_mut().filter(is_left_out).collect();
    let only = files.len() == 1;
    for file in &mut files {
        file.size = missing.filter(|size| only && *size > 0);
    }
}

/// Pushes a part: a file by name, type and size, JSON as its values, and other text as one value.
pub fn push_part(list: &mut ValueList, part: &BodyPart) {
    // A JSON value that a script appends as a blob gets the file name `blob`.
    let is_value = part.file_name.as_ref().is_none_or(|name| name == "blob" && !part.content.is_empty());
    if is_value && find_syntax(&part.content_type) == BodySyntax::Json && !part.content_type.is_empty() {
        let tree = std::str::from_utf8(&part.content).ok().and_then(JsonTree::parse);
        if let Some(tree) = tree {
            push_tree(list, &part.name, &tree);
            return;
        }
    }
    if part.content.is_empty() && part.file_name.as_ref().is_some_and(String::is_empty) {
        // A field for files of which none was chosen.
        list.push(&part.name, "", ValueKind::Null);
        return;
    }
    if part.file_name.is_some() || is_binary(&part.content) {
        let file_name = part.file_name.clone().unwrap_or_default();
        let kind = ValueKind::File {
            file_name: file_name.clone(),
            content_type: part.content_type.clone(),
            size: part.size,
        };
        list.push(&part.name, &file_name, kind);
    } else {
        list.push_text(&part.name, &String::from_utf8_lossy(&part.content));
    }
}

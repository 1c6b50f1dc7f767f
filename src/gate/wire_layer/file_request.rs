//! Requests that send the files that a person has let a page have, and nothing else. Pure.

use crate::gate::wire_layer::proposed_request::ApprovedFiles;
use crate::gate::wire_layer::reading::RequestReading;
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::request_body::name_words::split_words;
use crate::page::request_body::{BodyValue, ValueKind, is_opaque_token, names_operation};
use crate::page::site::is_same_site;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use url::Url;

/// Words of names whose values describe a file or a part of it.
const ABOUT_FILES: [&str; 49] = [
    "file",
    "files",
    "filename",
    "name",
    "type",
    "filetype",
    "mime",
    "mimetype",
    "content",
    "size",
    "filesize",
    "length",
    "bytes",
    "last",
    "modified",
    "lastmodified",
    "chunk",
    "chunks",
    "index",
    "total",
    "offset",
    "part",
    "parts",
    "start",
    "end",
    "uuid",
    "hash",
    "checksum",
    "md5",
    "sha256",
    "title",
    "caption",
    "alt",
    "description",
    "folder",
    "dir",
    "directory",
    "path",
    "parent",
    "album",
    "kind",
    "purpose",
    "upload",
    "id",
    "post",
    "relative",
    "format",
    "encoding",
    "writable",
];
/// Names of values that hold the content of a file, as a word of its own.
const CONTENTS: [&str; 3] = ["content", "contents", "base64"];
/// Longest value of such a name that may also be a word about the file: its kind or encoding, in bytes.
const LONGEST_KIND: usize = 64;
/// Length from which a value may be the beginning of a longer one, in bytes.
const CUT: usize = 20_000;

/// True if the request sends the approved files, or parts of them, to the page's own site, with nothing but what
/// describes them.
pub fn carries_only_files(
    approved: &ApprovedFiles,
    request: &OutgoingRequest,
    reading: &RequestReading,
) -> bool {
    let page = Url::parse(&approved.page).ok();
    let own_site = page.zip(reading.url.as_ref()).is_some_and(|(page, url)| is_same_site(&page, url));
    if !own_site || request.is_safe_method() || request.method == "DELETE" {
        return false;
    }
    if reading.is_opaque {
        return is_whole_file(approved, request.size);
    }
    let carries = reading.body_values().iter().any(|value| names_file(approved, value));
    let is_content = |value: &BodyValue| is_content_of_file(approved, value, request.size);
    let is_known = |value: &BodyValue| match names_content(value) {
        true => is_content(value),
        false => names_file(approved, value) || describes_file(value),
    };
    carries && reading.body_values().iter().all(is_known)
}

fn is_whole_file(approved: &ApprovedFiles, size: Option<u64>) -> bool {
    size.is_some() && approved.files.iter().any(|(_, known)| *known == size)
}

fn names_content(value: &BodyValue) -> bool {
    let last = value.name.rsplit(['.', '[']).next().unwrap_or_default();
    let is_long = value.value.len() > LONGEST_KIND && value.kind == ValueKind::Text;
    is_long && split_words(last).iter().all(|word| CONTENTS.contains(&word.as_str()))
}

/// True if a value has the size of an approved file, as it is or in base64. Of a value that was cut, the whole body may
/// not be longer than such a file.
fn is_content_of_file(approved: &ApprovedFiles, value: &BodyValue, body: Option<u64>) -> bool {
    let text = value.value.split_once(";base64,").map_or(value.value.as_str(), |(_, data)| data);
    let decoded = STANDARD.decode(text.trim()).map(|bytes| bytes.len() as u64).ok();
    let sizes = approved.files.iter().map(|(_, size)| *size);
    sizes.into_iter().any(|size| {
        let Some(size) = size else { return true };
        let is_whole = decoded == Some(size) || value.value.len() as u64 == size;
        let most = size / 3 * 4 + size / 8 + 4096;
        is_whole || (value.value.len() >= CUT && body.is_some_and(|body| (size..=most).contains(&body)))
    })
}

fn names_file(approved: &ApprovedFiles, value: &BodyValue) -> bool {
    let name = match &value.kind {
        ValueKind::File { file_name, .. } => file_name,
        ValueKind::Text => &value.value,
        ValueKind::Number | ValueKind::Flag | ValueKind::Null => return false,
    };
    approved.files.iter().any(|(known, _)| known == name)
}

fn describes_file(value: &BodyValue) -> bool {
    let is_named = || {
        let last = value.name.rsplit(['.', '[']).next().unwrap_or_default();
        split_words(last).iter().all(|word| ABOUT_FILES.contains(&word.as_str()))
    };
    match value.kind {
        ValueKind::Null => true,
        ValueKind::File { .. } => false,
        ValueKind::Number | ValueKind::Flag | ValueKind::Text => {
            let is_upload_call = || names_operation(&value.name) && value.value.contains("upload");
            value.value.is_empty()
                || is_opaque_token(&value.name, &value.value)
                || is_named()
                || is_upload_call()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::request_body::BodyValue;

    fn reading(url: &str, values: Vec<BodyValue>) -> RequestReading {
        RequestReading { url: Url::parse(url).ok(), values, ..RequestReading::default() }
    }

    fn file(name: &str) -> BodyValue {
        let kind =
            ValueKind::File { file_name: name.into(), content_type: "text/plain".into(), size: Some(3) };
        BodyValue { name: "file".into(), value: name.into(), kind }
    }

    #[test]
    fn the_approved_file_leaves_with_what_describes_it_and_nothing_else() {
        let approved = ApprovedFiles {
            files: vec![("cv.pdf".into(), Some(3))],
            page: "https://jobs.example/apply".into(),
        };
        let post = OutgoingRequest { method: "POST".into(), ..OutgoingRequest::default() };
        let covers = |url: &str, values| carries_only_files(&approved, &post, &reading(url, values));
        let size = || BodyValue { name: "size".into(), value: "3".into(), kind: ValueKind::Number };
        let wish = || BodyValue::text("wish", "a loan");
        assert!(covers("https://jobs.example/up", vec![file("cv.pdf"), size()]));
        assert!(covers("https://jobs.example/up", vec![BodyValue::text("fileName", "cv.pdf"), size()]));
        assert!(!covers("https://jobs.example/up", vec![file("cv.pdf"), wish()]));
        assert!(!covers("https://jobs.example/up", vec![file("other.pdf")]));
        assert!(!covers("https://other.example/up", vec![file("cv.pdf")]));
        assert!(!covers("https://jobs.example/up", vec![size()]));
        let put = |content: &str| {
            let named = |name: &str, value: &str| BodyValue::text(name, value);
            vec![
                named("name", "cv.pdf"),
                named("path", "data/cv.pdf"),
                named("type", "file"),
                named("format", "base64"),
                named("content", content),
            ]
        };
        let long = ApprovedFiles { files: vec![("cv.pdf".into(), Some(90))], ..approved.clone() };
        let covers = |values| {
            carries_only_files(&long, &post, &reading("https://jobs.example/contents/cv.pdf", values))
        };
        assert!(covers(put(&STANDARD.encode([7; 90]))), "the file itself");
        assert!(covers(put(&format!("data:application/pdf;base64,{}", STANDARD.encode([7; 90])))));
        assert!(!covers(put(&STANDARD.encode([7; 91]))), "another file");
        assert!(!covers(put(&"my secret diary ".repeat(9))), "something else");
    }
}

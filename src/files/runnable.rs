//! Files that a system runs or that carry macros, by name, content type and first bytes.

use crate::text::invisible_chars::is_invisible;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Endings of runnable files; true for those that web addresses have too.
static KINDS: LazyLock<HashMap<&str, bool>> =
    LazyLock::new(|| read_kinds(include_str!("runnable_kinds.txt")));

fn read_kinds(text: &'static str) -> HashMap<&'static str, bool> {
    let mut kinds = HashMap::new();
    for line in text.lines() {
        let endings = line.split('#').next().unwrap_or_default();
        let page = endings.starts_with("page ");
        kinds.extend(endings.trim_start_matches("page ").split_whitespace().map(|ending| (ending, page)));
    }
    kinds
}

/// True if a system runs the file when it is opened, or if it carries macros. `first_bytes` may be empty.
pub fn is_runnable_file(name: &str, content_type: &str, first_bytes: &[u8]) -> bool {
    has_runnable_ending(name) || is_runnable_type(content_type) || has_runnable_content(first_bytes)
}

/// Kind of a runnable file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunnableKind {
    WindowsProgram,
    LinuxProgram,
    Script,
    Shortcut,
    /// Archive with macros or code.
    Archive,
    /// Document with macros.
    Document,
    /// Program of which neither content nor name tells more.
    Program,
    /// Ending of the name, without the dot.
    Ending(String),
}

/// Finds the kind of a runnable file: by its content if that tells, otherwise by its ending.
pub fn find_kind(name: &str, first_bytes: &[u8]) -> RunnableKind {
    let kinds: [(&[u8], RunnableKind); 6] = [
        (b"MZ", RunnableKind::WindowsProgram),
        (b"\x7fELF", RunnableKind::LinuxProgram),
        (b"#!", RunnableKind::Script),
        (b"\x4c\0\0\0\x01\x14\x02\0", RunnableKind::Shortcut),
        (b"PK\x03\x04", RunnableKind::Archive),
        (b"\xd0\xcf\x11\xe0", RunnableKind::Document),
    ];
    let by_content = kinds.into_iter().find(|(start, _)| first_bytes.starts_with(start));
    let ending = ending_of(name);
    match by_content {
        Some((_, kind)) if has_runnable_content(first_bytes) => kind,
        _ if ending.is_empty() => RunnableKind::Program,
        _ => RunnableKind::Ending(ending),
    }
}

/// True if the ending of the name is that of a runnable file.
pub fn has_runnable_ending(name: &str) -> bool {
    KINDS.contains_key(ending_of(name).as_str())
}

/// True if the name in an address is that of a runnable file and not of a web page.
pub fn has_runnable_address_ending(name: &str) -> bool {
    KINDS.get(ending_of(name).as_str()) == Some(&false)
}

/// Returns the ending as a system reads it: wide letters and dots are plain, streams and trailing dots go.
fn ending_of(name: &str) -> String {
    let plain = |letter: char| match letter {
        '\u{3002}' | '\u{2024}' | '\u{ff61}' => '.',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        letter => letter,
    };
    let name: String =
        name.chars().filter(|letter| !is_invisible(*letter) && !letter.is_control()).map(plain).collect();
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(|letter: char| letter == '.' || letter.is_whitespace());
    name.rsplit_once('.').map(|(_, ending)| ending.trim().to_lowercase()).unwrap_or_default()
}

fn is_runnable_type(content_type: &str) -> bool {
    const PARTS: [&str; 22] = [
        "x-msdownload",
        "x-msdos-program",
        "portable-executable",
        "x-dosexec",
        "x-executable",
        "x-mach-binary",
        "x-sh",
        "x-csh",
        "x-shellscript",
        "x-msi",
        "x-ms-shortcut",
        "x-bat",
        "hta",
        "java-archive",
        "java-jnlp",
        "vnd.android.package",
        "x-apple-diskimage",
        "x-iso9660",
        "macroenabled",
        "x-desktop",
        "x-python",
        "x-perl",
    ];
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    PARTS.iter().any(|part| {
        kind.split('/').nth(1).is_some_and(|sub| sub == *part || part.len() > 6 && sub.contains(part))
    })
}

/// True if the bytes are those of a program, a script, a shortcut or a document with macros.
pub fn has_runnable_content(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 12] = [
        b"MZ",
        b"\x7fELF",
        b"#!",
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xfe\xed\xfa\xce",
        b"\xfe\xed\xfa\xcf",
        b"\x4c\0\0\0\x01\x14\x02\0",
        b"ITSF",
        b"!<arch>\ndebian",
        b"\xed\xab\xee\xdb",
    ];
    STARTS.iter().any(|start| bytes.starts_with(start)) || has_macros(bytes) || is_script_text(bytes)
}

fn has_macros(bytes: &[u8]) -> bool {
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    if bytes.starts_with(b"PK\x03\x04") {
        return has(b"vbaProject.bin")
            || has(b"Basic/script-l")
            || has(b"AndroidManifest.xml")
            || has(b"META-INF/MANIFEST.MF");
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        return has(b"V\0B\0A\0") || has(b"M\0a\0c\0r\0o\0s\0");
    }
    if bytes.starts_with(b"{\\rt") {
        return has(b"\\objdata") || has(b"\\objupdate");
    }
    bytes.starts_with(b"%PDF") && has(b"/Launch")
}

/// True for text that begins as a web page, script or shortcut.
fn is_script_text(bytes: &[u8]) -> bool {
    const STARTS: [&str; 10] = [
        "<!doctype html",
        "<html",
        "<script",
        "<svg",
        "<job",
        "<package",
        "[internetshortcut]",
        "[desktop entry]",
        "windows registry editor",
        "@echo off",
    ];
    let start =
        String::from_utf8_lossy(&bytes[..bytes.len().min(256)]).replace(['\0', '\u{feff}', '\u{fffd}'], "");
    let start = start.trim_start().to_ascii_lowercase();
    STARTS.iter().any(|known| start.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runnable_files_are_known_by_their_names() {
        for name in [
            "a.docm",
            "a.js",
            "a.lnk",
            "a.html",
            "a.url",
            "a.desktop",
            "a.py",
            "a.pif",
            "a.wsf",
            "a.chm",
            "a.img",
            "a.command",
            "a.mobileconfig",
            "a.dll",
            "a.exe",
            "a.msix",
            "a.so",
            "a.vbe",
            "invoice.pdf.exe",
            "A.EXE",
            "a.exe. .",
            "a.exe\u{a0}",
            "a\u{ff0e}exe",
            "a.\u{ff45}\u{ff58}\u{ff45}",
            "a\u{202e}fdp.exe",
            "a.exe:x",
        ] {
            assert!(is_runnable_file(name, "", b""), "{name}");
        }
        for name in
            ["notes.pdf", "table.csv", "photo.png", "letter.docx", "all.zip", "a.exe.pdf", "exe", "", "a.txt"]
        {
            assert!(!is_runnable_file(name, "application/octet-stream", b"text"), "{name}");
        }
        assert!(!has_runnable_address_ending("index.html") && has_runnable_address_ending("setup.exe"));
    }

    #[test]
    fn the_kind_of_a_runnable_file_is_found() {
        for (name, bytes, kind) in [
            ("photo.png", &b"MZ\x90"[..], RunnableKind::WindowsProgram),
            ("table.csv", b"#!/bin/sh", RunnableKind::Script),
            ("a.html", b"<html>", RunnableKind::Ending(String::from("html"))),
            ("a.docm", b"PK\x03\x04 word/document.xml", RunnableKind::Ending(String::from("docm"))),
            ("a.docx", b"PK\x03\x04 word/vbaProject.bin", RunnableKind::Archive),
            ("a", b"", RunnableKind::Program),
        ] {
            assert_eq!(find_kind(name, bytes), kind, "{name}");
        }
    }

    #[test]
    fn runnable_files_are_known_by_type_and_content() {
        let cases: [&[u8]; 10] = [
            b"MZ\x90",
            b"\x7fELF",
            b"#!/bin/sh",
            b"\xef\xbb\xbf <!DOCTYPE html>",
            b"[InternetShortcut]\nURL=x",
            b"[Desktop Entry]\n",
            b"\x4c\0\0\0\x01\x14\x02\0",
            b"PK\x03\x04 word/vbaProject.bin",
            b"\xd0\xcf\x11\xe0 _\0V\0B\0A\0_\0",
            b"{\\rtf1 {\\object\\objdata 01}}",
        ];
        for bytes in cases {
            assert!(is_runnable_file("a.pdf", "application/pdf", bytes), "{bytes:?}");
        }
        let plain: [&[u8]; 5] =
            [b"%PDF-1.7 /JavaScript", b"a;b\n", b"\x89PNG", b"PK\x03\x04 word/document.xml", b"{\\rtf1 a}"];
        for bytes in plain {
            assert!(!is_runnable_file("a.pdf", "application/pdf", bytes), "{bytes:?}");
        }
        assert!(is_runnable_file("a", "application/vnd.ms-word.document.macroEnabled.12", b""));
        assert!(is_runnable_file("a", "application/x-sh; charset=utf-8", b""));
        assert!(!is_runnable_file("a", "application/vnd.ms-excel.sheet", b""));
    }
}

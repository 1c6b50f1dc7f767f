//! Writer of the page text (`docs/page_text.md`): one line per element between two fences with the same
//! nonce. Text from the page stands in quotes on its own line, so it can neither close the fence nor imitate
//! the line of an instruction. Pure text, no I/O.

use crate::page::masked_address::mask_address;
use crate::page::observation::{Attributes, Line, Observation};
use crate::page::quote::{escape, fold, push_quoted, quote};
use std::fmt::Write;

/// Maximum length of element names in characters.
const NAME: usize = 200;
/// Maximum length of values in characters.
const VALUE: usize = 500;
/// Maximum length of the page's address in characters: a page can make it arbitrarily long.
const URL: usize = 2_000;
/// Maximum length of one text line in characters. Longer texts continue on further lines.
const TEXT: usize = 1000;
/// Maximum indentation depth, so that deeply nested pages waste no tokens.
const DEPTH: u32 = 40;

/// Writes the whole observation with its fences, without a final line break. `nonce` must be unguessable.
pub fn write(observation: &Observation, nonce: &str) -> String {
    let mut out = String::with_capacity(200 + observation.lines.len() * 48);
    fence(&mut out, observation, nonce, None);
    for line in lines(observation) {
        push(&mut out, line.depth, "- ", &line.words);
    }
    close(&mut out, nonce);
    out
}

/// Writes an observation as its changes since observation `since`, with the lines from `delta`.
pub fn write_changes(observation: &Observation, since: u64, changes: &str, nonce: &str) -> String {
    let mut out = String::with_capacity(200 + changes.len());
    fence(&mut out, observation, nonce, Some(since));
    out.push_str(changes);
    close(&mut out, nonce);
    out
}

/// A line as written, without indentation and mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrittenLine {
    pub depth: usize,
    pub eid: Option<u32>,
    pub words: String,
    /// The line without the word `new`; `None` if it is not new.
    pub settled: Option<String>,
    /// The line without `new` and the words for its place in the viewport; `None` if it has none of them.
    pub placeless: Option<String>,
    /// Hash of role and name, by which the walker names lines without a number that it leaves out; `None` without a name.
    pub unnumbered: Option<u32>,
}

/// Returns the written lines of an observation.
pub(crate) fn lines(observation: &Observation) -> impl Iterator<Item = WrittenLine> {
    let origin = cut_to_origin(&observation.url);
    observation.lines.iter().flat_map(move |line| write_line(line, origin))
}

pub(crate) fn push(out: &mut String, depth: usize, marker: &str, words: &str) {
    for _ in 0..depth {
        out.push_str("  ");
    }
    out.push_str(marker);
    out.push_str(words);
    out.push('\n');
}

fn close(out: &mut String, nonce: &str) {
    let _ = write!(out, "</page nonce=\"{nonce}\">");
}

/// Names one element as in the page text, without its attributes: `button "Place order" [12]`.
pub fn describe(line: &Line) -> String {
    let mut out = String::new();
    write_called(&mut out, line);
    out
}

/// Writes one line as in the page text, without mark and indentation; a long text is several lines.
pub fn write_single_line(line: &Line) -> Vec<String> {
    write_line(line, "").into_iter().map(|written| written.words).collect()
}

/// Cuts text of a page to the length of a name.
pub fn short_name(words: &str) -> String {
    fold(words, NAME)
}

/// Quotes text of a page, cut to the length of a name, so that it cannot close the quotes.
pub fn quoted(words: &str) -> String {
    quoted_within(words, NAME)
}

/// Quotes text of a page, cut to `most` characters.
pub fn quoted_within(words: &str, most: usize) -> String {
    let mut out = String::new();
    quote(&mut out, words, most);
    out
}

fn fence(out: &mut String, observation: &Observation, nonce: &str, since: Option<u64>) {
    let _ = write!(out, "<page nonce=\"{nonce}\" url=");
    quote(out, &mask_address(&observation.url), URL);
    out.push_str(" title=");
    quote(out, &observation.title, NAME);
    let (tab, tabs) = observation.tab;
    let (width, height) = observation.viewport;
    let (down, range) = observation.scroll;
    let _ = write!(out, " tab=\"{tab}/{tabs}\" viewport=\"{width}x{height}\" scroll=\"{down}/{range}");
    if let (across, range @ 1..) = observation.scroll_across {
        let _ = write!(out, " {across}/{range}");
    }
    let _ = write!(out, "\" look=\"{}\"", observation.number);
    if let Some(since) = since {
        let _ = write!(out, " since=\"{since}\"");
    }
    out.push_str(">\n");
}

fn write_line(line: &Line, origin: &str) -> Vec<WrittenLine> {
    let depth = line.depth.min(DEPTH) as usize;
    let with = |called: String, attributes: &Attributes| {
        let mut words = called;
        write_attributes(&mut words, attributes, origin);
        words
    };
    let one = |called: String| WrittenLine {
        depth,
        eid: line.eid,
        settled: line
            .attributes
            .new
            .then(|| with(called.clone(), &Attributes { new: false, ..line.attributes.clone() })),
        placeless: without_place(&line.attributes).map(|attributes| with(called.clone(), &attributes)),
        words: with(called, &line.attributes),
        unnumbered: line.unnumbered_hash(),
    };
    if line.role != "text" {
        return vec![one(describe(line))];
    }
    let quoted = |piece: &str| {
        let mut out = String::from("text ");
        push_quoted(&mut out, piece, false);
        out
    };
    split_text(&fold(&line.name, usize::MAX)).into_iter().map(|piece| one(quoted(piece))).collect()
}

/// Returns the attributes without `new` and those for the place in the viewport; `None` if there are none of them.
fn without_place(attributes: &Attributes) -> Option<Attributes> {
    let Attributes { new, above, below, left, right, covered, .. } = *attributes;
    (new || above || below || left || right || covered).then(|| Attributes {
        new: false,
        above: false,
        below: false,
        left: false,
        right: false,
        covered: false,
        ..attributes.clone()
    })
}

fn write_called(out: &mut String, line: &Line) {
    out.push_str(plain_role(&line.role));
    let name = fold(&line.name, if is_prose(&line.role) { usize::MAX } else { NAME });
    if !name.is_empty() {
        out.push(' ');
        push_quoted(out, &name, false);
    }
    if let Some(eid) = line.eid {
        let _ = write!(out, " [{eid}]");
    }
}

fn is_prose(role: &str) -> bool {
    matches!(role, "text" | "note")
}

/// Returns the role, or `generic` if it is not a plain word: it comes from the page and stands outside
/// quotes.
fn plain_role(role: &str) -> &str {
    let plain =
        !role.is_empty() && role.len() <= 32 && role.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    if plain { role } else { "generic" }
}

fn write_attributes(out: &mut String, attributes: &Attributes, origin: &str) {
    if let Some(thing) = &attributes.within {
        out.push_str(" in=");
        quote(out, thing, NAME);
    }
    if let Some(value) = &attributes.value {
        out.push_str(" value=");
        // A secret value should never have come this far. A mask still shows that the field is filled.
        let shown = if attributes.secret && !value.is_empty() { "••••" } else { value };
        quote(out, shown, VALUE);
    }
    if !attributes.options.is_empty() {
        write_options(out, &attributes.options);
    }
    if let Some(level) = attributes.level {
        let _ = write!(out, " level={level}");
    }
    if let Some(href) = &attributes.href {
        out.push_str(" href=");
        quote(out, shorten_href(origin, href), VALUE);
    }
    write_words(out, &state_words(attributes));
    let texts = [
        ("scroll", &attributes.scroll),
        ("placeholder", &attributes.placeholder),
        ("hint", &attributes.hint),
    ];
    for (word, text) in texts {
        let Some(text) = text else { continue };
        let _ = write!(out, " {word}=");
        quote(out, text, NAME);
    }
    write_words(out, &later_words(attributes));
}

fn write_words(out: &mut String, words: &[(&str, bool)]) {
    for (word, _) in words.iter().filter(|(_, holds)| *holds) {
        out.push(' ');
        out.push_str(word);
    }
}

/// Words that stand after all others.
fn later_words(attributes: &Attributes) -> [(&'static str, bool); 4] {
    [
        ("guessed", attributes.guessed),
        ("covered", attributes.covered),
        ("left", attributes.left),
        ("right", attributes.right),
    ]
}

fn state_words(attributes: &Attributes) -> [(&'static str, bool); 14] {
    [
        ("checked", attributes.checked),
        ("mixed", attributes.mixed),
        ("selected", attributes.selected),
        ("pressed", attributes.pressed),
        ("expanded", attributes.expanded),
        ("collapsed", attributes.collapsed),
        ("required", attributes.required),
        ("invalid", attributes.invalid),
        ("readonly", attributes.readonly),
        ("disabled", attributes.disabled),
        ("focused", attributes.focused),
        ("new", attributes.new),
        ("above", attributes.above),
        ("below", attributes.below),
    ]
}

fn write_options(out: &mut String, options: &[String]) {
    out.push_str(" options=\"");
    for (index, option) in options.iter().enumerate() {
        if index > 0 {
            out.push('|');
        }
        escape(out, &fold(option, NAME), true);
    }
    out.push('"');
}

/// Splits text into pieces of at most `TEXT` characters, at spaces where possible.
fn split_text(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(TEXT) {
        let space = rest[..end].rfind(' ').filter(|&at| at > 0);
        let (piece, tail) = rest.split_at(space.unwrap_or(end));
        found.push(piece);
        rest = tail.trim_start();
    }
    if !rest.is_empty() {
        found.push(rest);
    }
    found
}

/// Returns the origin, as in `http://shop.test` for `http://shop.test/cart`; empty if there is none.
fn cut_to_origin(url: &str) -> &str {
    let Some(start) = url.find("://").map(|at| at + 3) else { return "" };
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    &url[..end]
}

/// Shortens a link within the same origin to its path.
fn shorten_href<'a>(origin: &str, href: &'a str) -> &'a str {
    if origin.is_empty() {
        return href;
    }
    match href.strip_prefix(origin) {
        Some("") => "/",
        Some(path) if path.starts_with(['/', '?', '#']) => path,
        Some(_) | None => href,
    }
}

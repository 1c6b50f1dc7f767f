//! Splits a note into passages: one per heading, or several if its text is long. Pure.

use crate::text::truncate::truncate_unmarked;

/// Maximum length of a passage, in characters.
const LONGEST: usize = 1_200;
/// Maximum length of the headings above a passage, in characters.
const HEADING: usize = 200;

/// The text under one heading, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub heading: String,
    pub text: String,
}

/// Splits a note into passages, in order. Lines in code blocks are not headings.
pub fn split_note(text: &str) -> Vec<Chunk> {
    let mut found = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let (mut body, mut fence): (String, Option<&str>) = (String::new(), None);
    for line in text.lines() {
        let begins = line.trim_start();
        match fence {
            Some(marker) if begins.starts_with(marker) => fence = None,
            None if begins.starts_with("```") => fence = Some("```"),
            None if begins.starts_with("~~~") => fence = Some("~~~"),
            Some(_) | None => {}
        }
        let heading = if fence.is_none() { heading(line) } else { None };
        let Some((depth, words)) = heading else {
            body.push_str(line);
            body.push('\n');
            continue;
        };
        take(&mut found, &above, &body);
        body.clear();
        above.retain(|(outer, _)| *outer < depth);
        above.push((depth, words.to_owned()));
    }
    take(&mut found, &above, &body);
    found
}

/// Returns the title of a note: its first heading, or its first line.
pub fn title(text: &str) -> String {
    let first = text.lines().find_map(heading).map(|(_, words)| words);
    let line = first.or_else(|| text.lines().map(str::trim).find(|line| !line.is_empty()));
    truncate_unmarked(line.unwrap_or_default(), HEADING)
}

/// Parses a heading such as `## Words`, indented by at most three spaces. Returns its level and text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 {
        return None;
    }
    let words = rest.trim_start_matches('#');
    let depth = rest.len() - words.len();
    let is = (1..=6).contains(&depth) && (words.is_empty() || words.starts_with([' ', '\t']));
    is.then(|| (depth, words.trim().trim_end_matches('#').trim_end()))
}

fn take(found: &mut Vec<Chunk>, above: &[(usize, String)], body: &str) {
    let words: Vec<&str> = above.iter().map(|(_, words)| words.as_str()).filter(|w| !w.is_empty()).collect();
    let heading = truncate_unmarked(&words.join(" › "), HEADING);
    let text = body.trim();
    if text.is_empty() {
        // A heading without text of its own makes no passage.
        return;
    }
    found.extend(split_text(text).into_iter().map(|text| Chunk { heading: heading.clone(), text }));
}

/// Splits a text into pieces of limited length, preferably between paragraphs, else at line, sentence or word
/// boundaries.
fn split_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(LONGEST) {
        let piece = &rest[..end];
        // An earlier boundary would make a needlessly short piece.
        let late = |at: &usize| *at >= end / 2;
        let at = ["\n\n", "\n", ". ", " "]
            .iter()
            .find_map(|between| piece.rfind(between).map(|at| at + between.len()).filter(late))
            .unwrap_or(end);
        found.push(rest[..at].trim().to_owned());
        rest = rest[at..].trim_start();
    }
    found.push(rest.trim().to_owned());
    found.retain(|piece| !piece.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(heading: &str, text: &str) -> Chunk {
        Chunk { heading: heading.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn text_under_one_heading_is_one_passage() {
        let text =
            "Before.\n# Shop\nOpen.\n## Returns ##\n14 days.\n```\n# no heading\n```\n# Post\n\n#hash\n";
        let expected = [
            chunk("", "Before."),
            chunk("Shop", "Open."),
            chunk("Shop › Returns", "14 days.\n```\n# no heading\n```"),
            chunk("Post", "#hash"),
        ];
        assert_eq!(split_note(text), expected);
        assert_eq!((title(text), title("\n one\n"), title("")), ("Shop".into(), "one".into(), "".into()));
        assert_eq!(split_note(" \n# Alone\n"), []);
    }

    #[test]
    fn long_passages_are_split_without_loss() {
        for text in ["слово ".repeat(2_000), "щ".repeat(5_000), "One line.\n\n".repeat(500)] {
            let chunks = split_note(&text);
            let whole = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert!(chunks.len() > 1 && chunks.iter().all(|chunk| chunk.text.chars().count() <= LONGEST));
            assert_eq!(chunks.iter().map(|chunk| whole(&chunk.text)).collect::<String>(), whole(&text));
        }
    }
}

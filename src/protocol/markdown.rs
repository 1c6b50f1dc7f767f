//! Converts agents' Markdown to HTML that is safe to show. Texts of agents become markup in no other way, so
//! pages and models cannot bring scripts, styles, frames, forms or pictures into the UI.

use crate::text::truncate::one_line;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// Returns the sanitized HTML of a Markdown text. Links open in a new tab and send no referrer.
pub fn safe_html(markdown: &str) -> String {
    let mut raw = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut raw, parse(markdown));
    ammonia::Builder::default()
        .rm_tags(["img", "map", "area", "style", "form", "input"])
        .link_rel(Some("noopener noreferrer nofollow"))
        .add_tag_attributes("a", ["target"])
        .set_tag_attribute_value("a", "target", "_blank")
        .url_schemes(["http", "https", "mailto"].into())
        .clean(&raw)
        .to_string()
}

fn parse(markdown: &str) -> Parser<'_> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// Returns the start of a Markdown text as one plain line of at most `letters` characters: the first
/// paragraph without markup, or as many of its sentences as fit. After a colon, the following block (or the
/// first item of a list) is included. A heading counts only if the text has nothing else.
pub fn opening(markdown: &str, letters: usize) -> String {
    let (mut text, mut heading) = (String::new(), String::new());
    let (mut led, mut ended) = (false, false);
    for event in parse(markdown) {
        match event {
            Event::Text(_) | Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) if ended => {
                text.push_str(if led { " …" } else { "" });
                break;
            }
            Event::Text(words) | Event::Code(words) | Event::Html(words) | Event::InlineHtml(words) => {
                text.push_str(&words);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => text.push(' '),
            Event::End(TagEnd::Heading(_)) => heading = std::mem::take(&mut text),
            Event::Start(Tag::List(_))
            | Event::End(
                TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableHead,
            ) => match text.trim_end() {
                "" => {}
                line if line.ends_with(':') => {
                    led = true;
                    text.push(' ');
                }
                _ => ended = true,
            },
            _ => {}
        }
    }
    let whole = if text.trim().is_empty() { heading } else { text };
    let line = one_line(&whole);
    cut_at_sentence(&line, letters)
}

/// Cuts a line at the end of a sentence if there is one, else at the end of a word.
fn cut_at_sentence(line: &str, letters: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(letters) else { return line.to_owned() };
    let room = &line[..end];
    let sentence = room
        .char_indices()
        .rev()
        .find(|(at, c)| matches!(c, '.' | '!' | '?' | '…') && room[at + c.len_utf8()..].starts_with(' '));
    match (sentence, room.rfind(' ')) {
        (Some((at, c)), _) => room[..at + c.len_utf8()].to_owned(),
        (None, Some(space)) => format!("{}…", &room[..space]),
        (None, None) => format!("{room}…"),
    }
}

#[cfg(test)]
mod tests {
    use super::{opening, safe_html};

    #[test]
    fn a_text_opens_with_its_first_paragraph_without_marks() {
        let long = format!("{} more. The last", "word ".repeat(4));
        for (markdown, line) in [
            ("**Done**: see `a_b` and [here](https://x.test).\n\nMore.", "Done: see a_b and here."),
            ("One line\nof two", "One line of two"),
            ("# Report\n\nThe lamp is \\*cheap\\*.\n\n- a\n- b", "The lamp is *cheap*."),
            ("# Report", "Report"),
            ("- first\n- second", "first"),
            ("- outer\n  - inner", "outer"),
            ("These are left:\n- a\n- b", "These are left: a …"),
            ("It cannot be done:\n- no agent", "It cannot be done: no agent"),
            ("No:\n\n```\nlet x;\n```", "No: let x;"),
            ("| a | b |\n| - | - |\n| 1 | 2 |", "a b"),
            ("```\nlet x;\n```\nafter", "let x;"),
            ("<b>Bold</b> & <https://x.test>", "<b>Bold</b> & https://x.test"),
            ("", ""),
            (&long, "word word word word more."),
            ("one two three four five six seven", "one two three four five six…"),
            ("abcdefghijklmnopqrstuvwxyzabcdefghij", "abcdefghijklmnopqrstuvwxyzabcd…"),
        ] {
            assert_eq!(opening(markdown, 30), line, "{markdown}");
        }
    }

    #[test]
    fn markup_from_a_model_cannot_run() {
        let hostile = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n\
                       [x](javascript:alert(1)) **ok**\n\n<iframe src=//evil></iframe>";
        let html = safe_html(hostile);
        assert!(html.contains("<strong>ok</strong>"), "{html}");
        for bad in ["<script", "<img", "javascript:", "<iframe", "onerror"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }
}

//! Answers to `read` and `find` commands: the main part of a page without its menus, as plain text, limited to what a
//! person reads in a chat.

use crate::page::observation::{Line, Observation};
use crate::protocol::Locale;
use crate::texts::commands;
use crate::texts::page::role_name;

/// Most characters of a page in an answer.
const MOST: usize = 4000;
/// Characters of a line that are used to find it in the text.
const MARK: usize = 40;

/// Returns the text of a page for an answer.
pub fn answer_text(text: &str, page: Option<&Observation>, locale: Locale) -> String {
    let main = page.and_then(|page| main_part(text, page)).unwrap_or(text);
    let plain = main.lines().map(plain_line).collect::<Vec<_>>().join("\n");
    shorten(&plain, locale)
}

/// Returns the rows of a file without the line about them.
pub fn rows_text(text: &str, locale: Locale) -> String {
    shorten(text.split_once('\n').map_or("", |(_, rows)| rows), locale)
}

/// Returns found lines as people read them: names with the kinds of their elements, without numbers and attributes.
pub fn found_text(text: &str, locale: Locale) -> String {
    let shown: Vec<String> = text.lines().filter_map(|line| found_line(line, locale)).collect();
    shorten(&shown.join("\n"), locale)
}

/// Reads `button "Add" [12]`, and `"Add" (not shown now)`.
fn found_line(line: &str, locale: Locale) -> Option<String> {
    let line = line.trim();
    let (role, rest) = match line.starts_with('"') {
        true => ("", line),
        false => line.split_once(' ').filter(|(_, rest)| rest.starts_with('"'))?,
    };
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let name = values.next()?.ok()?;
    Some(match role {
        "" => format!("{name} ({})", commands::not_shown_now(locale)),
        "text" => name,
        role => format!("{name} ({})", role_name(role, locale)),
    })
}

/// Shortens a text to what a person reads in a chat.
fn shorten(text: &str, locale: Locale) -> String {
    let plain = text.trim();
    let Some((end, _)) = plain.char_indices().nth(MOST) else { return plain.to_owned() };
    let rest = plain[end..].chars().count();
    let more = commands::more_characters(rest, locale);
    format!("{}\n{more}", plain[..end].trim_end())
}

/// Returns the text from the beginning of the main part up to the text after it.
fn main_part<'t>(text: &'t str, page: &Observation) -> Option<&'t str> {
    let lines = &page.lines;
    let at = ["main", "article"].iter().find_map(|role| lines.iter().position(|line| line.role == *role))?;
    let depth = lines[at].depth;
    let inside = lines[at + 1..].iter().take_while(|line| line.depth > depth).count();
    let first = lines[at + 1..=at + inside].iter().find_map(mark)?;
    let start = text.find(&first)?;
    // Include the Markdown prefix of a heading or list item.
    let start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let after = lines[at + inside + 1..].iter().find_map(mark);
    let end = after.and_then(|mark| text[start..].rfind(&mark)).map_or(text.len(), |end| start + end);
    let part = text[start..end].trim();
    (!part.is_empty()).then_some(part)
}

fn mark(line: &Line) -> Option<String> {
    let shows = matches!(line.role.as_str(), "text" | "heading" | "link" | "button");
    let words: String = line.name.trim().chars().take(MARK).collect();
    (shows && words.chars().count() >= 2).then_some(words)
}

/// Removes Markdown from a line: links keep their labels, images are dropped.
fn plain_line(line: &str) -> String {
    let bare = line.trim_start_matches('#');
    let line = if bare.len() < line.len() && bare.starts_with(' ') { bare.trim_start() } else { line };
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let Some((label, after)) = link(&rest[open..]) else {
            out.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        let before = &rest[..open];
        match before.strip_suffix('!') {
            Some(before) => out.push_str(before),
            None => {
                out.push_str(before);
                out.push_str(label);
            }
        }
        rest = after;
    }
    out + rest
}

/// Parses `[label](address)` and returns the label and the remaining text.
fn link(text: &str) -> Option<(&str, &str)> {
    let close = text.find("](")?;
    let label = &text[1..close];
    let end = text[close + 2..].find(')')? + close + 2;
    let address = &text[close + 2..end];
    (!label.contains('[') && !address.contains(char::is_whitespace)).then_some((label, &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: u32, role: &str, name: &str) -> Line {
        Line { depth, role: role.into(), name: name.into(), ..Line::default() }
    }

    #[test]
    fn menus_and_symbols_are_left_out_of_a_reading() {
        let page = Observation {
            lines: vec![
                line(0, "navigation", ""),
                line(1, "link", "Home"),
                line(0, "main", ""),
                line(1, "heading", "Returns"),
                line(1, "text", "Fourteen days."),
                line(0, "contentinfo", ""),
                line(1, "text", "All rights reserved"),
            ],
            ..Observation::default()
        };
        let text = "- [Home](/)\n# Returns\nFourteen days. [More](/more) ![x](y.png)[1]\nAll rights reserved";
        assert_eq!(answer_text(text, Some(&page), Locale::En), "Returns\nFourteen days. More [1]");
        assert_eq!(
            answer_text(text, None, Locale::En),
            "- Home\nReturns\nFourteen days. More [1]\nAll rights reserved"
        );
    }

    #[test]
    fn found_lines_are_told_without_numbers() {
        let found = "button \"Add \\\"blue\\\" lamp\" [12] below\ntext \"Lamps\"\n(3 more; give more words, or a \
            role)\n\"Delivery\" (not shown now; \"More\" [4] shows it)";
        assert_eq!(
            found_text(found, Locale::Uk),
            "Add \"blue\" lamp (кнопка)\nLamps\nDelivery (зараз не видно)"
        );
        let none = "nothing on the page says \"x\"; it may come after scrolling, opening or waiting";
        assert_eq!(found_text(none, Locale::En), "");
        assert_eq!(rows_text("2 rows in rows.csv\nname\nLamp", Locale::En), "name\nLamp");
    }

    #[test]
    fn omitted_characters_of_a_reading_are_counted() {
        let answer = answer_text(&"ab ".repeat(2000), None, Locale::Uk);
        assert!(
            answer.ends_with("… (і ще символів: 1999; щоб прочитати певну частину, назвіть її)"),
            "{answer}"
        );
        assert!(answer.chars().count() < 4200);
    }
}

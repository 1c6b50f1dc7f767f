//! The text in which a planner reads a PDF.

use crate::page::text::quoted;
use crate::pdf::annotations::{FieldState, FormField};
use crate::pdf::{PdfPage, PdfReading};
use crate::protocol::action_effect::ActionEffect;
use crate::turn::page_range::{count_pages, write_range};
use std::fmt::Write;

/// Longest text of one reading, in characters: planners are shown 20,000 of a value.
pub const MOST_CHARS: usize = 18_000;
/// Longest list of the fields and links of a page, in characters.
const MOST_FACTS: usize = 6_000;

/// Writes a reading of the file with this name. `accepts_pictures` tells whether the planner may be shown pictures.
pub fn write_reading(name: &str, reading: &PdfReading, accepts_pictures: bool) -> String {
    let mut text = format!("{}: {}", quoted(name), describe(reading));
    let contents = write_pages(name, reading, accepts_pictures);
    for (page, content) in reading.pages.iter().zip(&contents) {
        let _ = write!(text, "\n--- page {} of {} ---\n{content}", page.number, reading.count);
    }
    let left_out = reading.pages.iter().skip(contents.len()).map(|page| page.number);
    if let Some(rest) = write_rest(reading, left_out.collect()) {
        let _ = write!(text, "\n--- {rest}");
    }
    text
}

/// Lists the pages that `write_reading` writes, and those that it leaves out.
pub fn list_pages(name: &str, reading: &PdfReading, accepts_pictures: bool) -> Vec<ActionEffect> {
    let written = write_pages(name, reading, accepts_pictures).len();
    let mut pages: Vec<u32> = reading.pages.iter().map(|page| page.number).collect();
    let mut left = pages.split_off(written);
    left.extend(&reading.unread_pages);
    left.extend(reading.failed_at);
    left.sort_unstable();
    left.dedup();
    let read = (!pages.is_empty()).then_some(ActionEffect::PagesRead { pages, of: reading.count });
    let left = (!left.is_empty()).then_some(ActionEffect::PagesLeft { pages: left });
    read.into_iter().chain(left).collect()
}

/// Writes the pages, as many as fit into one reading.
fn write_pages(name: &str, reading: &PdfReading, accepts_pictures: bool) -> Vec<String> {
    let (mut chars, mut written) = (0, Vec::new());
    for page in &reading.pages {
        let content = write_page(name, page, accepts_pictures);
        chars += content.chars().count();
        if !written.is_empty() && chars > MOST_CHARS {
            break;
        }
        written.push(content);
    }
    written
}

/// Describes a PDF: `PDF, 12 pages, title "Report"`.
pub fn describe(reading: &PdfReading) -> String {
    let title =
        reading.title.as_deref().map(|title| format!(", title {}", quoted(title))).unwrap_or_default();
    format!("PDF, {}{title}", count_pages(reading.count))
}

/// Writes what is to be read next: pages that are left out here, and those that were not read.
fn write_rest(reading: &PdfReading, mut unread: Vec<u32>) -> Option<String> {
    if let Some(page) = reading.failed_at.filter(|_| unread.is_empty()) {
        return Some(format!(
            "page {page} takes too long or too much memory to be read; try the pages after it"
        ));
    }
    unread.extend(&reading.unread_pages);
    let range = write_range(&unread);
    let verb = if unread.len() == 1 { "is" } else { "are" };
    (!unread.is_empty())
        .then(|| format!("pages {range} {verb} not read yet; read them with `pages`: \"{range}\""))
}

fn write_page(name: &str, page: &PdfPage, accepts_pictures: bool) -> String {
    let facts = page.fields.iter().map(write_field);
    let facts: Vec<String> =
        facts.chain(page.links.iter().map(|link| format!("link {}", quoted(link)))).collect();
    let facts =
        cut_text(&facts.join("\n"), MOST_FACTS, "the other fields and links of this page are left out");
    let mut parts: Vec<String> = Vec::new();
    if page.is_drawn {
        parts.push(String::from("shown as a picture"));
    } else if !page.text.is_empty() {
        let most = MOST_CHARS.saturating_sub(facts.chars().count());
        parts.push(cut_text(&page.text, most, "the rest of the text of this page is left out"));
    }
    parts.extend(find_fault(name, page, accepts_pictures));
    parts.extend(Some(facts).filter(|facts| !facts.is_empty()));
    parts.join("\n")
}

/// Cuts a text to this number of characters, with a note.
fn cut_text(text: &str, most: usize, note: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…\n({note})", &text[..end]),
        None => text.to_owned(),
    }
}

/// Explains why the text of a page is missing or wrong, and what can be done.
fn find_fault(name: &str, page: &PdfPage, accepts_pictures: bool) -> Option<String> {
    if page.is_drawn {
        return None;
    }
    let look = match accepts_pictures {
        true => format!(
            "look at it as a picture: extract {{\"file\": {}, \"pages\": \"{}\", \"as\": \"picture\"}}",
            quoted(name),
            page.number
        ),
        false => String::from("only its picture would tell, and this agent sees no pictures (`vision`)"),
    };
    if page.is_broken {
        return Some(format!("(page {} is broken and has no text that can be read)", page.number));
    }
    if page.is_garbled {
        return Some(format!("(the fonts of this page do not tell its letters; {look})"));
    }
    match (page.text.is_empty(), page.images) {
        (false, _) => None,
        (true, 0) => Some(format!("(no text on page {}; {look})", page.number)),
        (true, _) => Some(format!("(no text on page {}, which is a scan or drawing; {look})", page.number)),
    }
}

fn write_field(field: &FormField) -> String {
    let name = quoted(&field.name);
    match &field.value {
        FieldState::Empty => format!("field {name} is empty"),
        FieldState::Filled(value) => format!("field {name} = {}", quoted(value)),
        FieldState::Checked(true) => format!("field {name} is checked"),
        FieldState::Checked(false) => format!("field {name} is not checked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u32, text: &str) -> PdfPage {
        PdfPage { number, text: text.to_owned(), ..PdfPage::default() }
    }

    #[test]
    fn a_reading_names_its_pages_and_the_rest() {
        let reading = PdfReading {
            count: 40,
            title: Some(String::from("Year \"26\"")),
            pages: vec![page(3, "Sum: $7"), page(4, "")],
            unread_pages: vec![5, 6, 9],
            failed_at: None,
        };
        assert_eq!(
            write_reading("a.pdf", &reading, true),
            "\"a.pdf\": PDF, 40 pages, title \"Year \\\"26\\\"\"\n--- page 3 of 40 ---\nSum: $7\n\
             --- page 4 of 40 ---\n(no text on page 4; look at it as a picture: extract {\"file\": \"a.pdf\", \
             \"pages\": \"4\", \"as\": \"picture\"})\n\
             --- pages 5-6, 9 are not read yet; read them with `pages`: \"5-6, 9\""
        );
        let read = ActionEffect::PagesRead { pages: vec![3, 4], of: 40 };
        let left = ActionEffect::PagesLeft { pages: vec![5, 6, 9] };
        assert_eq!(list_pages("a.pdf", &reading, true), [read, left]);
        let long = page(1, &"x".repeat(MOST_CHARS));
        let long = PdfReading { count: 2, pages: vec![long, page(2, "end")], ..PdfReading::default() };
        let read = ActionEffect::PagesRead { pages: vec![1], of: 2 };
        assert_eq!(list_pages("a.pdf", &long, true), [read, ActionEffect::PagesLeft { pages: vec![2] }]);
        let blind = write_reading("a.pdf", &reading, false);
        assert!(blind.contains("this agent sees no pictures (`vision`)"), "{blind}");
        let failed = write_reading("a.pdf", &PdfReading { failed_at: Some(5), ..reading }, true);
        assert!(
            failed.ends_with("page 5 takes too long or too much memory to be read; try the pages after it"),
            "{failed}"
        );
    }

    #[test]
    fn fields_and_faults_of_a_page_are_told() {
        let field = |name: &str, value| FormField { name: name.to_owned(), value };
        let fields = vec![
            field("Name", FieldState::Filled(String::from("Anna"))),
            field("Town", FieldState::Empty),
            field("Agree", FieldState::Checked(true)),
        ];
        let links = vec![String::from("http://a.test/")];
        let full = PdfPage { fields, links, ..page(1, "Form") };
        assert_eq!(
            write_page("f.pdf", &full, false),
            "Form\nfield \"Name\" = \"Anna\"\nfield \"Town\" is empty\nfield \"Agree\" is checked\nlink \"http://a.test/\""
        );
        let shown = PdfPage { is_drawn: true, ..page(1, "Form") };
        assert_eq!(write_page("f.pdf", &shown, true), "shown as a picture");
        for (broken, words) in [
            (PdfPage { is_broken: true, ..page(2, "") }, "page 2 is broken"),
            (PdfPage { is_garbled: true, ..page(2, "\u{fffd}") }, "do not tell its letters"),
            (PdfPage { images: 1, ..page(2, "") }, "which is a scan"),
        ] {
            assert!(write_page("f.pdf", &broken, true).contains(words), "{broken:?}");
        }
        let long = write_page("f.pdf", &page(1, &"я".repeat(MOST_CHARS + 5)), true);
        assert!(long.ends_with("(the rest of the text of this page is left out)"));
    }

    // Planners are shown 20,000 characters of a value, and must see the note about the rest at its end.
    #[test]
    fn fields_and_links_count_and_pages_without_room_are_left_for_later() {
        let links = vec!["x".repeat(1_000); 200];
        let full = |number| PdfPage { links: links.clone(), ..page(number, &"я".repeat(MOST_CHARS)) };
        assert_eq!(full(1).count_chars(), 200_000 + MOST_CHARS);
        let reading = PdfReading {
            count: 9,
            pages: vec![full(1), page(2, "two"), page(3, "three")],
            unread_pages: vec![4],
            ..PdfReading::default()
        };
        let text = write_reading("a.pdf", &reading, true);
        assert!(text.chars().count() < 20_000, "{}", text.chars().count());
        assert!(text.contains("the other fields and links of this page are left out"), "{text}");
        assert!(text.ends_with("pages 2-4 are not read yet; read them with `pages`: \"2-4\""), "{text}");
    }
}

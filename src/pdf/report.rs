//! The text in which a planner reads a PDF.

use crate::page::text::quoted;
use crate::pdf::annotations::{Field, FieldState};
use crate::pdf::{PdfPage, PdfReading};
use crate::turn::page_range::{count_pages, write_range};
use std::fmt::Write;

/// Longest text of one reading, in characters: planners are shown 20,000 of a value.
pub const MOST_CHARS: usize = 18_000;

/// Writes a reading of the file with this name. `sees` tells whether the planner may be shown pictures.
pub fn write_reading(name: &str, reading: &PdfReading, sees: bool) -> String {
    let mut text = format!("{}: {}", quoted(name), describe(reading));
    for page in &reading.pages {
        let _ = write!(text, "\n--- page {} of {} ---\n", page.number, reading.count);
        text.push_str(&write_page(name, page, sees));
    }
    if let Some(rest) = write_rest(reading) {
        let _ = write!(text, "\n--- {rest}");
    }
    text
}

/// Describes a PDF: `PDF, 12 pages, title "Report"`.
pub fn describe(reading: &PdfReading) -> String {
    let title =
        reading.title.as_deref().map(|title| format!(", title {}", quoted(title))).unwrap_or_default();
    format!("PDF, {}{title}", count_pages(reading.count))
}

/// Writes what is to be read next.
fn write_rest(reading: &PdfReading) -> Option<String> {
    if let Some(page) = reading.stuck {
        return Some(format!(
            "page {page} takes too long or too much memory to be read; try the pages after it"
        ));
    }
    let range = write_range(&reading.left);
    let verb = if reading.left.len() == 1 { "is" } else { "are" };
    (!reading.left.is_empty())
        .then(|| format!("pages {range} {verb} not read yet; read them with `pages`: \"{range}\""))
}

fn write_page(name: &str, page: &PdfPage, sees: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    if page.is_drawn {
        parts.push(String::from("shown as a picture"));
    } else if !page.text.is_empty() {
        parts.push(cut_text(&page.text));
    }
    parts.extend(find_fault(name, page, sees));
    parts.extend(page.fields.iter().map(write_field));
    parts.extend(page.links.iter().map(|link| format!("link {}", quoted(link))));
    parts.join("\n")
}

fn cut_text(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…\n(the rest of this page is left out)", &text[..end]),
        None => text.to_owned(),
    }
}

/// Explains why the text of a page is missing or wrong, and what can be done.
fn find_fault(name: &str, page: &PdfPage, sees: bool) -> Option<String> {
    if page.is_drawn {
        return None;
    }
    let look = match sees {
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

fn write_field(field: &Field) -> String {
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
            left: vec![5, 6, 9],
            stuck: None,
        };
        assert_eq!(
            write_reading("a.pdf", &reading, true),
            "\"a.pdf\": PDF, 40 pages, title \"Year \\\"26\\\"\"\n--- page 3 of 40 ---\nSum: $7\n\
             --- page 4 of 40 ---\n(no text on page 4; look at it as a picture: extract {\"file\": \"a.pdf\", \
             \"pages\": \"4\", \"as\": \"picture\"})\n\
             --- pages 5-6, 9 are not read yet; read them with `pages`: \"5-6, 9\""
        );
        let blind = write_reading("a.pdf", &reading, false);
        assert!(blind.contains("this agent sees no pictures (`vision`)"), "{blind}");
        let stuck = write_reading("a.pdf", &PdfReading { stuck: Some(5), ..reading }, true);
        assert!(
            stuck.ends_with("page 5 takes too long or too much memory to be read; try the pages after it"),
            "{stuck}"
        );
    }

    #[test]
    fn fields_and_faults_of_a_page_are_told() {
        let field = |name: &str, value| Field { name: name.to_owned(), value };
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
        assert!(long.ends_with("(the rest of this page is left out)"));
    }
}

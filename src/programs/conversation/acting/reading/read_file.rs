//! Reading files of the run for the planner: the text of a PDF, and its pages as pictures.

use crate::files::DownloadedFile;
use crate::page::text::quoted;
use crate::pdf::process::read_pdf;
use crate::pdf::report::{self, MOST_CHARS};
use crate::pdf::{PdfError, PdfReading, PdfRequest};
use crate::planning::{HistoryEntry, PagePicture};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::record;
use crate::secrets::scrub::Replacement;
use crate::turn::Call;
use crate::turn::action::Action;
use crate::turn::internal_action::InternalAction;
use crate::turn::page_range::PageRange;
use std::convert::Infallible;
use std::path::PathBuf;

/// Greatest number of downloaded PDFs that a note describes after one action.
const MOST_DESCRIBED: usize = 3;
const NO_PICTURES: &str =
    "this agent is shown no pictures (`vision` in its file); read the text instead, without `as`";

/// Reads a PDF of the run. Returns its text for the planner, and keeps pictures of its pages for the next turn.
pub async fn read_file(
    cx: &VisitContext,
    name: &str,
    pages: Option<PageRange>,
    pictures: bool,
) -> Result<String, String> {
    let sees = cx.deps.view.vision && cx.deps.asks_model();
    if pictures && !sees {
        return Err(NO_PICTURES.to_owned());
    }
    let failed = |fault: PdfError| format!("{} was not read: {fault}", quoted(name));
    let mut reading = read_recorded(cx, name, (pages, pictures), MOST_CHARS).await.map_err(failed)?;
    let hidden = keep_pictures(cx, name, &mut reading);
    add_source(cx, name, &reading);
    let mut text = report::write_reading(name, &reading, sees);
    text.push_str(&hidden);
    Ok(text)
}

async fn read_recorded(
    cx: &VisitContext,
    name: &str,
    (pages, pictures): (Option<PageRange>, bool),
    most_chars: usize,
) -> Result<PdfReading, PdfError> {
    let read = record::record_input("read file", async {
        let missing = || PdfError::File(String::from("there is no such file"));
        let found = cx.deps.files.run_files(&cx.root).find(name).ok_or_else(missing);
        let request = |path: PathBuf| PdfRequest { path, pages, pictures, most_chars };
        Ok::<_, Infallible>(match found {
            Ok((path, _)) => read_pdf(&request(path)).await,
            Err(fault) => Err(fault),
        })
    });
    let Ok(read) = read.await;
    read
}

/// Keeps the pictures for the next turn, but for those of pages whose text holds a known secret. Returns words about
/// those.
fn keep_pictures(cx: &VisitContext, name: &str, reading: &mut PdfReading) -> String {
    let (mut kept, mut hidden) = (Vec::new(), String::new());
    for page in &mut reading.pages {
        if !page.is_drawn {
            continue;
        }
        if cx.deps.vault.scrub_text(&page.text, Replacement::Placeholder) != page.text {
            page.is_drawn = false;
            hidden.push_str(&format!("\n(page {} shows a secret; its picture is left out)", page.number));
            continue;
        }
        let label = format!("page {} of {}", page.number, quoted(name));
        kept.push(PagePicture { label, jpeg: page.picture.take().unwrap_or_default() });
    }
    cx.working_set.add_page_pictures(kept);
    hidden
}

/// Records where the text comes from: the sites of a downloaded file, or the person who gave it.
fn add_source(cx: &VisitContext, name: &str, reading: &PdfReading) {
    let sources = cx.deps.texts.list_file_sources(name);
    for page in &reading.pages {
        let values = page.fields.iter().filter_map(|field| field.value.text()).collect::<Vec<_>>().join("\n");
        let text = format!("{}\n{values}", page.text);
        match sources.is_empty() {
            true => cx.deps.texts.add_trusted(&text),
            false => {
                sources.iter().for_each(|source| cx.deps.texts.add_text(&cx.run, source.clone(), &text));
            }
        }
    }
}

/// Returns the pages that the last turn asked to see.
pub fn pictures_for_planner(cx: &VisitContext) -> Vec<PagePicture> {
    let asked = cx.state.messages.iter().rev().find_map(|entry| match entry {
        HistoryEntry::Acted { turn, results } if !results.is_empty() => {
            Some(turn.actions.iter().any(asks_for_pictures))
        }
        _ => None,
    });
    match asked {
        Some(true) => record::record_value("page pictures", || cx.working_set.page_pictures()),
        Some(false) | None => Vec::new(),
    }
}

fn asks_for_pictures(call: &Call) -> bool {
    let action = Action::parse(call).ok();
    let inner = action.as_ref().and_then(Action::inner);
    matches!(inner, Some(InternalAction::ReadFile { pictures: true, .. }))
}

/// Notes for the planner what PDFs an action has downloaded, and how to read them.
pub async fn describe_downloads(cx: &mut VisitContext, downloads: &[DownloadedFile]) {
    let pdfs = downloads.iter().filter(|file| is_pdf_name(&file.name) || is_pdf_file(cx, &file.name));
    let names: Vec<String> = pdfs.map(|file| file.name.clone()).take(MOST_DESCRIBED).collect();
    for name in names {
        let read = read_recorded(cx, &name, (None, false), 0).await;
        let file = quoted(&name);
        let note = match read {
            Ok(reading) => format!(
                "{file} is a {}; it is no page of the browser: read it with extract {{\"file\": {file}, \"pages\": \"1-3\"}}",
                report::describe(&reading)
            ),
            Err(fault) => format!("{file} cannot be read: {fault}"),
        };
        cx.change(ConversationChange::Note(note));
    }
}

fn is_pdf_name(name: &str) -> bool {
    name.to_lowercase().ends_with(".pdf")
}

/// Reports whether a file of another name begins as a PDF does.
fn is_pdf_file(cx: &VisitContext, name: &str) -> bool {
    use std::io::Read;
    record::record_value(&format!("pdf {name}"), || {
        let found = cx.deps.files.run_files(&cx.root).find(name);
        let mut head = [0; 5];
        let file = found.and_then(|(path, _)| std::fs::File::open(path).ok());
        file.is_some_and(|mut file| file.read_exact(&mut head).is_ok()) && &head == b"%PDF-"
    })
}

//! Reading files of the run for the planner: the text of a PDF, its pages as pictures, and texts such as CSV.

use crate::agent_spec::types::conversation_parts::VisionMode;
use crate::files::RunFiles;
use crate::page::text::quoted;
use crate::pdf::report::{self, MOST_CHARS};
use crate::pdf::{PdfError, PdfPage, PdfReading, PdfRequest};
use crate::planning::{HistoryEntry, PagePicture};
use crate::programs::conversation::acting::reading::text_file::{self, TextFileError, TextPart};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::action_effect::ActionEffect;
use crate::record;
use crate::secrets::scrub::Replacement;
use crate::turn::Call;
use crate::turn::action::Action;
use crate::turn::internal_action::InternalAction;
use crate::turn::page_range::PageRange;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// Greatest number of downloaded PDFs, and of downloaded texts, that notes describe before one turn.
const MOST_DESCRIBED: usize = 3;
const NO_PICTURES: &str =
    "this agent is shown no pictures (`vision` in its file); read the text instead, without `as`";

/// Result of asking for the picture of the page itself.
const PAGE_FOLLOWS: &str = "the picture of the page comes with the next request";

/// Reads a PDF or a text of the run; without a name, asks for the picture of the page. Returns its text for the planner, with
/// what is to be known about it, and keeps pictures of the pages of a PDF for the next turn.
pub async fn read_file(
    cx: &VisitContext,
    name: &str,
    pages: Option<PageRange>,
    pictures: bool,
) -> Result<(String, Vec<ActionEffect>), String> {
    let accepts_pictures = cx.deps.view.vision != VisionMode::Off && cx.deps.asks_model();
    if pictures && !accepts_pictures {
        return Err(NO_PICTURES.to_owned());
    }
    if name.is_empty() {
        return Ok((PAGE_FOLLOWS.to_owned(), Vec::new()));
    }
    let mut reading = match read_recorded(cx, name, (pages.clone(), pictures), MOST_CHARS).await {
        Err(PdfError::NotPdf) => return Ok((read_text(cx, name, pages).await?, Vec::new())),
        read => read.map_err(|fault| not_read(name, fault))?,
    };
    let hidden = keep_pictures(cx, name, &mut reading);
    reading.pages.iter().for_each(|page| add_source(cx, name, &text_with_values(page)));
    let mut text = report::write_reading(name, &reading, accepts_pictures);
    for page in &hidden {
        text.push_str(&format!("\n(page {page} shows a secret; its picture is left out)"));
    }
    let mut effects = report::list_pages(name, &reading, accepts_pictures);
    effects.extend((!hidden.is_empty()).then_some(ActionEffect::PicturesHidden { pages: hidden }));
    Ok((text, effects))
}

fn not_read(name: &str, fault: impl std::fmt::Display) -> String {
    format!("{} was not read: {fault}", quoted(name))
}

/// Reads a part of a file that is no PDF.
async fn read_text(cx: &VisitContext, name: &str, parts: Option<PageRange>) -> Result<String, String> {
    let read = record::record_input("read text file", async {
        let file = name.to_owned();
        let read = look_at_files(cx, move |files| match files.find(&file) {
            Some((path, _)) => text_file::read_part(&path, parts.as_ref()),
            None => Err(TextFileError::File(String::from("there is no such file"))),
        });
        let ended = || Err(TextFileError::File(String::from("the service is ending")));
        Ok::<Result<TextPart, TextFileError>, Infallible>(read.await.unwrap_or_else(ended))
    });
    let Ok(read) = read.await;
    let part = read.map_err(|fault| not_read(name, fault))?;
    add_source(cx, name, &part.text);
    Ok(text_file::write_part(name, &part))
}

async fn read_recorded(
    cx: &VisitContext,
    name: &str,
    (pages, pictures): (Option<PageRange>, bool),
    most_chars: usize,
) -> Result<PdfReading, PdfError> {
    let read = record::record_input("read file", async {
        let missing = || PdfError::File(String::from("there is no such file"));
        let request = |path: PathBuf| PdfRequest { path, pages, pictures, most_chars };
        Ok::<_, Infallible>(match find_file(cx, name).await {
            Some(path) => cx.deps.pdfs.read_pdf(&request(path)).await,
            None => Err(missing()),
        })
    });
    let Ok(read) = read.await;
    read
}

/// Keeps the pictures for the next turn, but for those of pages whose text holds a known secret. Returns the numbers of
/// those.
fn keep_pictures(cx: &VisitContext, name: &str, reading: &mut PdfReading) -> Vec<u32> {
    let (mut kept, mut hidden) = (Vec::new(), Vec::new());
    for page in &mut reading.pages {
        if !page.is_drawn {
            continue;
        }
        if cx.deps.vault.scrub_text(&page.text, Replacement::Placeholder) != page.text {
            page.is_drawn = false;
            hidden.push(page.number);
            continue;
        }
        let label = format!("page {} of {}", page.number, quoted(name));
        kept.push(PagePicture { label, jpeg: page.picture.take().unwrap_or_default() });
    }
    cx.working_set.add_page_pictures(kept);
    hidden
}

/// Records where a text comes from: the sites of a downloaded file, or the person who gave it.
fn add_source(cx: &VisitContext, name: &str, text: &str) {
    let sources = cx.deps.texts.list_file_sources(name);
    match sources.is_empty() {
        true => cx.deps.texts.add_trusted(text),
        false => sources.into_iter().for_each(|source| cx.deps.texts.add_text(&cx.run, source, text)),
    }
}

/// Returns the text of a page with the values of its fields.
fn text_with_values(page: &PdfPage) -> String {
    let values = page.fields.iter().filter_map(|field| field.value.text()).collect::<Vec<_>>().join("\n");
    format!("{}\n{values}", page.text)
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

/// True if the last turn asked for the picture of the page itself.
pub fn asks_for_page(messages: &[HistoryEntry]) -> bool {
    let asks = |call: &Call| {
        let action = Action::parse(call).ok();
        let inner = action.as_ref().and_then(Action::inner);
        matches!(inner, Some(InternalAction::ReadFile { file, pictures: true, .. }) if file.is_empty())
    };
    match messages.iter().rev().find(|entry| matches!(entry, HistoryEntry::Acted { .. })) {
        Some(HistoryEntry::Acted { turn, .. }) => turn.actions.iter().any(asks),
        _ => false,
    }
}

fn asks_for_pictures(call: &Call) -> bool {
    let action = Action::parse(call).ok();
    let inner = action.as_ref().and_then(Action::inner);
    matches!(inner, Some(InternalAction::ReadFile { pictures: true, .. }))
}

async fn find_file(cx: &VisitContext, name: &str) -> Option<PathBuf> {
    let name = name.to_owned();
    look_at_files(cx, move |files| files.find(&name).map(|(path, _)| path)).await.flatten()
}

/// Looks at the files of the run, which may take long, without holding up others.
async fn look_at_files<T: Send + 'static>(
    cx: &VisitContext,
    look: impl FnOnce(&RunFiles) -> T + Send + 'static,
) -> Option<T> {
    let files = cx.deps.files.run_files(&cx.root);
    tokio::task::spawn_blocking(move || look(&files)).await.ok()
}

/// Notes for the planner what PDFs and texts have been downloaded since its last turn, and how to read them. A step of its
/// own does this, as it may take long: the results of the actions are stored by then.
pub async fn describe_downloads(cx: &mut VisitContext) {
    if cx.state.new_downloads.is_empty() {
        return;
    }
    let mut notes = Vec::new();
    for name in cx.state.new_downloads.iter().filter(|name| is_text_name(name)).take(MOST_DESCRIBED) {
        let file = quoted(name);
        let note = format!("{file} is text; read it with extract {{\"file\": {file}}}");
        notes.push(note);
    }
    for name in list_pdfs(cx).await {
        let read = read_recorded(cx, &name, (None, false), 0).await;
        let file = quoted(&name);
        let note = match read {
            Ok(reading) => format!(
                "{file} is a {}; it is no page of the browser: read it with extract {{\"file\": {file}, \"pages\": \"1-3\"}}",
                report::describe(&reading)
            ),
            Err(fault) => format!("{file} cannot be read: {fault}"),
        };
        notes.push(note);
    }
    notes.into_iter().for_each(|note| cx.change(ConversationChange::Note(note)));
    cx.change(ConversationChange::DownloadsDescribed);
}

/// Lists the PDFs among the new downloads, as many as notes describe.
async fn list_pdfs(cx: &VisitContext) -> Vec<String> {
    let names = cx.state.new_downloads.clone();
    let found = record::record_input("downloaded pdfs", async {
        let found = look_at_files(cx, move |files| {
            let is_pdf = |name: &String| {
                is_pdf_name(name) || files.find(name).is_some_and(|(path, _)| begins_as_pdf(&path))
            };
            names.into_iter().filter(is_pdf).take(MOST_DESCRIBED).collect::<Vec<_>>()
        });
        Ok::<_, Infallible>(found.await.unwrap_or_default())
    });
    let Ok(found) = found.await;
    found
}

/// Reports whether a name is that of a text that people export from applications.
fn is_text_name(name: &str) -> bool {
    const ENDS: [&str; 11] = ["csv", "tsv", "txt", "json", "jsonl", "xml", "yaml", "yml", "md", "log", "ics"];
    let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
    ENDS.contains(&end.to_ascii_lowercase().as_str())
}

fn is_pdf_name(name: &str) -> bool {
    name.to_lowercase().ends_with(".pdf")
}

/// Reports whether a file begins as a PDF does, whatever its name is.
fn begins_as_pdf(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 5];
    let file = std::fs::File::open(path);
    file.is_ok_and(|mut file| file.read_exact(&mut head).is_ok()) && &head == b"%PDF-"
}

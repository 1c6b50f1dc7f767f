//! The process that reads a PDF. It writes one line of JSON for each page, so that those that were read are kept
//! when a page is too much for it.

use crate::clock::Stopwatch;
use crate::pdf::annotations::{decode_text, list_fields, list_links};
use crate::pdf::glyphs::collect_glyphs;
use crate::pdf::{LARGEST, MOST_PICTURES, PdfError, PdfPage, PdfRequest, confinement, layout, render};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hayro::RenderCache;
use hayro::hayro_interpret::InterpreterCache;
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Argument that starts this program as the reader of a PDF; the request follows.
pub const WORKER: &str = "__read_pdf";
/// Time after which no other page is begun, in milliseconds.
const MOST_MS: u64 = 15_000;
/// Processor time of the process, in seconds.
const CPU_S: u64 = 25;
/// Memory of the process, in bytes.
const MEMORY: u64 = 1_200_000_000;
/// Files that it may have open.
const OPEN_FILES: u64 = 32;
/// Bytes at the beginning of a file in which its mark stands.
const HEAD: usize = 1_024;
/// Share of letters that the fonts do not tell, above which a page counts as garbled: one in this number.
const UNREADABLE_DIVISOR: usize = 5;
/// Stack of the thread that reads: PDFs nest objects deeply.
const STACK: usize = 256 * 1024 * 1024;

/// Line that the worker writes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerLine {
    /// The system cannot isolate this process as it should; the reason.
    Unconfined(String),
    Opened {
        count: u32,
        title: Option<String>,
        /// Pages that will be read.
        pages: Vec<u32>,
    },
    /// A page, with its picture in Base64.
    Page(PdfPage, Option<String>),
    Refused(PdfError),
    /// The last line.
    Done,
}

/// Runs the worker if the arguments say so.
pub fn run_if_worker() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != WORKER {
        return None;
    }
    let request = args.next().and_then(|text| serde_json::from_str::<PdfRequest>(text.to_str()?).ok());
    let Some(request) = request else { return Some(ExitCode::FAILURE) };
    limit_resources();
    // Threads that are started later are confined as well.
    let confined = confinement::confine_worker(&request.path);
    let reading = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut out = io::stdout().lock();
        let written = match confined {
            Ok(()) => read_file(&request, &mut out),
            Err(why) => write_line(&mut out, &WorkerLine::Unconfined(why))
                .and_then(|()| read_file(&request, &mut out)),
        };
        if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    });
    Some(reading.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::FAILURE))
}

/// Limits this process. A limit that the system does not know is left out: the service also limits the time.
fn limit_resources() {
    use nix::sys::resource::{Resource, setrlimit};
    for (resource, most) in [
        (Resource::RLIMIT_DATA, MEMORY),
        (Resource::RLIMIT_CPU, CPU_S),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_NOFILE, OPEN_FILES),
        (Resource::RLIMIT_MEMLOCK, 0),
    ] {
        let _ = setrlimit(resource, most, most);
    }
}

/// Reads the PDF and writes the lines.
fn read_file(request: &PdfRequest, out: &mut impl Write) -> io::Result<()> {
    let opened = open_file(request).and_then(|bytes| {
        catch_unwind(AssertUnwindSafe(|| open_document(bytes))).unwrap_or(Err(PdfError::Broken))
    });
    let pdf = match opened {
        Ok(pdf) => pdf,
        Err(fault) => return write_line(out, &WorkerLine::Refused(fault)),
    };
    let count = u32::try_from(pdf.pages().len()).unwrap_or(u32::MAX);
    let pages = match select_pages(request, count) {
        Ok(pages) => pages,
        Err(fault) => return write_line(out, &WorkerLine::Refused(fault)),
    };
    let title = pdf.metadata().title.as_deref().map(decode_text).filter(|title| !title.is_empty());
    write_line(out, &WorkerLine::Opened { count, title, pages: pages.clone() })?;
    read_pages(&pdf, &pages, request, out)?;
    write_line(out, &WorkerLine::Done)
}

fn open_file(request: &PdfRequest) -> Result<Vec<u8>, PdfError> {
    let fault = |fault: io::Error| PdfError::File(fault.to_string());
    let size = std::fs::metadata(&request.path).map_err(fault)?.len();
    if size > LARGEST {
        return Err(PdfError::TooLarge(size.div_ceil(1_000_000)));
    }
    let bytes = std::fs::read(&request.path).map_err(fault)?;
    let head = bytes.get(..HEAD).unwrap_or(&bytes);
    if head.windows(5).any(|mark| mark == b"%PDF-") { Ok(bytes) } else { Err(PdfError::NotPdf) }
}

fn open_document(bytes: Vec<u8>) -> Result<Pdf, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|fault| match fault {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Password,
        LoadPdfError::Decryption(_) => PdfError::Encryption,
        LoadPdfError::Invalid => PdfError::Broken,
    })?;
    if pdf.pages().is_empty() { Err(PdfError::Broken) } else { Ok(pdf) }
}

fn select_pages(request: &PdfRequest, count: u32) -> Result<Vec<u32>, PdfError> {
    match &request.pages {
        Some(range) => {
            let pages = range.select(count)?;
            if request.pictures && pages.len() > MOST_PICTURES {
                return Err(PdfError::TooManyPictures);
            }
            Ok(pages)
        }
        None if request.pictures => Ok((1..=count).take(MOST_PICTURES).collect()),
        None => Ok((1..=count).collect()),
    }
}

/// Reads pages until there is enough text, or until it has taken long.
fn read_pages(pdf: &Pdf, pages: &[u32], request: &PdfRequest, out: &mut impl Write) -> io::Result<()> {
    let (text_cache, picture_cache) = (InterpreterCache::new(), RenderCache::new());
    let (watch, mut chars) = (Stopwatch::start(), 0);
    for number in pages {
        if chars >= request.most_chars || watch.millis() >= MOST_MS {
            break;
        }
        let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(page) = pdf.pages().get(index) else { break };
        let read = catch_unwind(AssertUnwindSafe(|| read_page(page, *number, &text_cache)));
        let read =
            read.unwrap_or_else(|_| PdfPage { number: *number, is_broken: true, ..PdfPage::default() });
        let picture = request.pictures.then(|| {
            catch_unwind(AssertUnwindSafe(|| render::draw_page(page, &picture_cache))).ok().flatten()
        });
        chars += read.count_chars();
        let picture = picture.flatten().map(|jpeg| STANDARD.encode(jpeg));
        write_line(out, &WorkerLine::Page(read, picture))?;
    }
    Ok(())
}

fn read_page<'a>(page: &'a Page<'a>, number: u32, cache: &InterpreterCache<'a>) -> PdfPage {
    let drawn = collect_glyphs(page, cache);
    let (unreadable, all) = layout::count_unreadable(&drawn.glyphs);
    let images = drawn.images;
    PdfPage {
        number,
        images,
        is_garbled: unreadable * UNREADABLE_DIVISOR > all,
        text: layout::write_text(drawn),
        fields: list_fields(page),
        links: list_links(page),
        ..PdfPage::default()
    }
}

fn write_line(out: &mut impl Write, line: &WorkerLine) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")?;
    out.flush()
}

//! The question about a downloaded file that a system would run.

use crate::browser::network::request_judge::DownloadFacts;
use crate::files::format_size;
use crate::files::runnable::RunnableKind;
use crate::gate::verdict::{Texts, Verdict};
use crate::gate::wire_layer::proposed_request::{ApprovedRequest, RequestCause};
use crate::gate::wire_layer::question::{HeldQuestion, ShownRequest};
use crate::page::site::site_of;
use crate::protocol::{Locale, Remember};
use crate::text::truncate::truncate;
use crate::texts::gate;

/// Longest address that is shown, in characters: an address may be the file itself.
const LONGEST_ADDRESS: usize = 300;

/// Names a kind of runnable files. An ending such as `.msi` stands for itself.
fn name_kind(kind: &RunnableKind, locale: Locale) -> String {
    let known = match kind {
        RunnableKind::WindowsProgram => gate::windows_program(locale),
        RunnableKind::LinuxProgram => gate::linux_program(locale),
        RunnableKind::Script => gate::script_file(locale),
        RunnableKind::Shortcut => gate::shortcut(locale),
        RunnableKind::Archive => gate::archive_with_code(locale),
        RunnableKind::Document => gate::document_with_macros(locale),
        RunnableKind::Program => gate::program(locale),
        RunnableKind::Ending(ending) => return format!(".{ending}"),
    };
    known.to_owned()
}

/// Makes the question about a program that has arrived.
pub fn ask_about_download(cause: &RequestCause, facts: &DownloadFacts, verdict: &Verdict) -> HeldQuestion {
    let DownloadFacts { name, url, size, kind, page } = facts;
    let from = site_of(url).or_else(|| site_of(page)).map(|site| site.to_string()).unwrap_or_default();
    let (url, size_text) = (truncate(url, LONGEST_ADDRESS), format_size(*size));
    // Values and content types stand in the question as they are, in one language.
    let kind_word = name_kind(kind, Locale::En);
    let values = [("file", name.clone()), ("type", kind_word.clone()), ("size", size_text.clone())];
    let asked = Verdict {
        sentence: Texts::write(|locale| {
            gate::keep_program(name, &name_kind(kind, locale), &size_text, &from, locale)
        }),
        remember: vec![Remember::Once],
        origin: from.clone(),
        values: values.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        ..verdict.clone()
    };
    let request = ShownRequest {
        method: String::from("GET"),
        url: url.clone(),
        origin: from,
        content_type: kind_word,
        size: Some(*size),
    };
    let approved = ApprovedRequest { method: String::from("GET"), url, ..ApprovedRequest::default() };
    HeldQuestion::about(cause, &asked, page, request, approved)
}

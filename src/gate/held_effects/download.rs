//! The question about a downloaded file that a system would run.

use crate::browser::network::request_judge::DownloadFacts;
use crate::files::format_size;
use crate::gate::grants::covers::Covers;
use crate::gate::verdict::{Texts, Verdict};
use crate::gate::wire_layer::proposed_request::{ApprovedRequest, RequestCause};
use crate::gate::wire_layer::question::{HeldQuestion, ShownRequest};
use crate::page::site::site_of;
use crate::protocol::{Locale, Remember};
use crate::text::truncate::truncate;
use crate::texts::gate;

/// Longest address that is shown, in characters: an address may be the file itself.
const LONGEST_ADDRESS: usize = 300;

/// Names a kind of runnable files (`files/runnable.rs`). An ending such as `.msi` stands for itself.
fn name_kind(kind: &str, locale: Locale) -> &str {
    match kind {
        "Windows program" => gate::windows_program(locale),
        "Linux program" => gate::linux_program(locale),
        "script" => gate::script_file(locale),
        "shortcut" => gate::shortcut(locale),
        "archive with macros or code" => gate::archive_with_code(locale),
        "document with macros" => gate::document_with_macros(locale),
        "program" => gate::program(locale),
        ending => ending,
    }
}

/// Makes the question about a program that has arrived.
pub fn ask_about_download(cause: &RequestCause, facts: &DownloadFacts, verdict: &Verdict) -> HeldQuestion {
    let DownloadFacts { name, url, size, kind, page } = facts;
    let from = site_of(url).or_else(|| site_of(page)).map(|site| site.to_string()).unwrap_or_default();
    let (url, size_text) = (truncate(url, LONGEST_ADDRESS), format_size(*size));
    let values = [("file", name.clone()), ("type", kind.clone()), ("size", size_text.clone())];
    HeldQuestion {
        caused_by: Some(cause.action_id.clone()),
        action: cause.proposed.action.clone(),
        subject: String::new(),
        target: cause.proposed.target.clone(),
        page_url: page.clone(),
        page_title: cause.proposed.page.title.clone(),
        sentence: Texts::write(|locale| {
            gate::keep_program(name, name_kind(kind, locale), &size_text, &from, locale)
        }),
        reason: verdict.reason.clone(),
        rule: verdict.rule.clone(),
        risk: verdict.risk,
        effect: verdict.effect.as_str().to_owned(),
        remember: vec![Remember::Once],
        origin: from.clone(),
        request: ShownRequest {
            method: String::from("GET"),
            url: url.clone(),
            origin: from,
            content_type: kind.clone(),
            size: Some(*size),
        },
        values: values.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        changed: Vec::new(),
        unchanged: 0,
        together: String::new(),
        covers: Covers::default(),
        flow: None,
        approved: ApprovedRequest { method: String::from("GET"), url, ..ApprovedRequest::default() },
    }
}

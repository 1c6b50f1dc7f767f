//! `askfirst doctor`: checks everything that the service needs on this machine, in parallel, and reports for
//! each part whether it works and what to do if it does not. Nothing that it starts outlives it.

pub(crate) mod blobs;
pub mod finding;
pub(crate) mod chromium;
pub(crate) mod database;
pub(crate) mod machine;
pub(crate) mod model;

use crate::cli::client::terminal_language::terminal;
use crate::cli::doctor::finding::{Finding, Grade};
use crate::config::Settings;
use crate::model::connection;
use crate::protocol::Locale;

/// Runs all checks. Returns the report and the exit code. Programs read the JSON, so its texts are English; other
/// reports are in the language of the terminal.
pub async fn report(settings: &Settings, as_json: bool) -> (String, u8) {
    let locale = if as_json { Locale::En } else { terminal() };
    let findings = run_checks(settings, locale).await;
    (if as_json { json(&findings) } else { lines(&findings) }, exit_code(&findings))
}

/// Runs all checks, with findings in this language. Takes as long as the slowest check, about 10 seconds at most.
pub async fn run_checks(settings: &Settings, locale: Locale) -> Vec<Finding> {
    let sandbox = settings.sandbox.clone();
    // A connection made in the UI overrides the settings.
    let connected = connection::effective(&settings.model, &settings.data_dir);
    let (chromium, model, sandbox, images, database, blobs, port) = tokio::join!(
        chromium::check(&settings.browser, locale),
        model::check(&connected, locale),
        tokio::task::spawn_blocking(move || machine::check_sandbox(&sandbox, locale)),
        machine::check_images(&settings.build, locale),
        database::check(settings.store.url.as_ref(), locale),
        blobs::check(settings.blobs.url.as_ref(), locale),
        machine::check_port(&settings.server, locale),
    );
    let mut findings = vec![chromium, model];
    findings.extend(sandbox.ok());
    findings.push(images);
    findings.extend(database);
    findings.extend(blobs);
    findings.extend(machine::check_store(&settings.data_dir, locale));
    findings.push(port);
    findings
}

/// Formats the findings as text, one line for each and one for its advice.
pub fn lines(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.grade {
            Grade::Good => '✓',
            Grade::Note => '!',
            Grade::Missing => '✗',
        };
        text.push_str(&format!("{mark} {:<9} {}\n", finding.subject, finding.text));
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("  {:<9} → {advice}\n", ""));
        }
    }
    text
}

/// Formats the findings as JSON.
pub fn json(findings: &[Finding]) -> String {
    serde_json::json!({ "ok": exit_code(findings) == 0, "findings": findings }).to_string()
}

/// Returns the exit code: 0 if no required part is missing, else 3 (failed, see `cli::client::error::Exit`).
pub fn exit_code(findings: &[Finding]) -> u8 {
    if findings.iter().any(|finding| finding.grade == Grade::Missing) { 3 } else { 0 }
}

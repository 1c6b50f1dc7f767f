//! `askfirst doctor`: looks at everything the service needs on this machine, all at once, and says of
//! each whether it is there and what to do if not. It starts nothing that outlives it.

mod chromium;
mod machine;
mod model;

use crate::config::Settings;
use serde::Serialize;

/// How one thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    Good,
    /// The service works without it, or not quite as well.
    Note,
    /// The service does not work without it.
    Missing,
}

/// What was found of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub subject: &'static str,
    pub grade: Grade,
    pub text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    fn good(subject: &'static str, text: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Good, text: text.into(), advice: None }
    }

    fn note(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Note, text: text.into(), advice: Some(advice.into()) }
    }

    fn missing(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Missing, text: text.into(), advice: Some(advice.into()) }
    }
}

/// Looks at everything; takes as long as the slowest look, at most some 10 seconds.
pub async fn examine(settings: &Settings) -> Vec<Finding> {
    let sandbox = settings.sandbox.clone();
    // The connection of the page goes before the settings.
    let connected = crate::model::connection::effective(&settings.model, &settings.data_dir);
    let (chromium, model, sandbox, images, port) = tokio::join!(
        chromium::check(&settings.browser),
        model::check(&connected),
        tokio::task::spawn_blocking(move || machine::check_sandbox(&sandbox)),
        machine::check_images(&settings.build),
        machine::check_port(&settings.server),
    );
    let mut findings = vec![chromium, model];
    findings.extend(sandbox.ok());
    findings.push(images);
    findings.extend(machine::check_store(&settings.data_dir));
    findings.push(port);
    findings
}

/// One line a finding, for people.
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

/// The same for machines.
pub fn json(findings: &[Finding]) -> String {
    serde_json::json!({ "ok": exit_code(findings) == 0, "findings": findings }).to_string()
}

/// 0 if nothing that is needed is missing, else 3: failed (PROTOCOL section 6).
pub fn exit_code(findings: &[Finding]) -> u8 {
    if findings.iter().any(|finding| finding.grade == Grade::Missing) { 3 } else { 0 }
}

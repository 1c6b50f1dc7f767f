//! Texts for chat clients that no agent sends, in the run's language: questions with a link to answer them,
//! and notices that a run is paused or takes long.

use crate::protocol::server::Question;
use crate::protocol::{Locale, QuestionKind};
use crate::texts::http;

/// Formats a question. `link` is the address of the run in the UI.
pub fn question_notice(question: &Question, link: &str, locale: Locale) -> String {
    let mut lines = vec![question.text.trim().to_owned()];
    let options = question.payload["options"].as_array().into_iter().flatten();
    let options: Vec<String> = options.filter_map(|option| Some(format!("- {}", option.as_str()?))).collect();
    if !options.is_empty() {
        lines.push(options.join("\n"));
    }
    lines.push(format!("{} {link}", answer_instruction(question.kind, locale)).trim().to_owned());
    lines.join("\n\n")
}

/// Returns the text for a paused run.
pub fn paused_notice(link: &str, locale: Locale) -> String {
    format!("{} {link}", http::paused_resume_here(locale)).trim().to_owned()
}

/// Returns the text for a run that takes longer than the client waits.
pub fn long_run_notice(link: &str, locale: Locale) -> String {
    format!("{} {link}", http::result_will_be_here(locale)).trim().to_owned()
}

/// True if a chat message may answer this kind of question. Approvals are given in the UI only.
pub fn takes_text(kind: QuestionKind) -> bool {
    match kind {
        QuestionKind::Question | QuestionKind::Manual => true,
        QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => false,
    }
}

fn answer_instruction(kind: QuestionKind, locale: Locale) -> &'static str {
    match kind {
        QuestionKind::Confirm | QuestionKind::Budget => http::approve_here(locale),
        QuestionKind::ApprovePlan => http::approve_plan_here(locale),
        QuestionKind::Manual => http::reply_when_done(locale),
        QuestionKind::Question => http::answer_here(locale),
    }
}

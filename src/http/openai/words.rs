//! Texts for chat clients that no agent sends, in the run's language: questions with a link to answer them,
//! and notices that a run is paused or takes long.

use crate::protocol::server::Question;
use crate::protocol::{Locale, QuestionKind};

/// Formats a question. `link` is the address of the run in the UI.
pub fn question(question: &Question, link: &str, locale: Locale) -> String {
    let mut lines = vec![question.text.trim().to_owned()];
    let options = question.payload["options"].as_array().into_iter().flatten();
    let options: Vec<String> = options.filter_map(|option| Some(format!("- {}", option.as_str()?))).collect();
    if !options.is_empty() {
        lines.push(options.join("\n"));
    }
    lines.push(format!("{} {link}", place(question.kind, locale)).trim().to_owned());
    lines.join("\n\n")
}

/// Returns the text for a paused run.
pub fn paused(link: &str, locale: Locale) -> String {
    let words = locale.pick("Призупинено. Продовжити можна тут:", "Paused. Resume it here:");
    format!("{words} {link}").trim().to_owned()
}

/// Returns the text for a run that takes longer than the client waits.
pub fn goes_on(link: &str, locale: Locale) -> String {
    let words = locale.pick("Ще триває. Результат буде тут:", "Still running. See the result here:");
    format!("{words} {link}").trim().to_owned()
}

/// True if a chat message may answer this kind of question. Approvals are given in the UI only.
pub fn takes_text(kind: QuestionKind) -> bool {
    match kind {
        QuestionKind::Question | QuestionKind::Manual => true,
        QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => false,
    }
}

fn place(kind: QuestionKind, locale: Locale) -> &'static str {
    match kind {
        QuestionKind::Confirm | QuestionKind::Budget => {
            locale.pick("Дозволити або відхилити можна тут:", "Approve or decline here:")
        }
        QuestionKind::ApprovePlan => {
            locale.pick("Схвалити або змінити план можна тут:", "Approve or change the plan here:")
        }
        QuestionKind::Manual => locale.pick(
            "Зробіть це на сторінці й напишіть, коли буде готово:",
            "Do it on the page, and reply when it is done:",
        ),
        QuestionKind::Question => {
            locale.pick("Дайте відповідь повідомленням або тут:", "Answer with a message, or here:")
        }
    }
}

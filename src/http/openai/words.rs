//! A question as text for a chat client, in the run's language: what is asked, and where it is answered.

use crate::protocol::server::Question;
use crate::protocol::{Locale, QuestionKind};

/// `link` is where the page shows the run.
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

/// Whether the next message may be its answer. What allows something is only ever answered on the page.
pub fn takes_text(kind: QuestionKind) -> bool {
    match kind {
        QuestionKind::Question | QuestionKind::Manual => true,
        QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => false,
    }
}

fn place(kind: QuestionKind, locale: Locale) -> &'static str {
    match kind {
        QuestionKind::Confirm | QuestionKind::Budget => {
            locale.pick("Дозволити або відмовити можна тут:", "Approve or decline here:")
        }
        QuestionKind::ApprovePlan => {
            locale.pick("Схвалити або змінити план можна тут:", "Approve or change the plan here:")
        }
        QuestionKind::Manual => locale.pick(
            "Зробіть це на сторінці й напишіть, коли буде готово:",
            "Do it on the page, and write when it is done:",
        ),
        QuestionKind::Question => {
            locale.pick("Відповідайте повідомленням або тут:", "Answer with a message, or here:")
        }
    }
}

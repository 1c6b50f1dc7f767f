//! What people read at the end of a run that is no conversation, in the run's language.

use crate::protocol::{Locale, Status};
use serde_json::{Map, Value, json};

/// Values are cut here, in characters.
const LONGEST: usize = 500;
/// Of what is to be allowed, in characters.
const SHOWN: usize = 20_000;

/// How it ended, where nothing better can be said.
pub fn ended(outcome: Status, locale: Locale) -> &'static str {
    let (uk, en) = match outcome {
        Status::Cancelled => ("Зупинено.", "Stopped."),
        Status::Exhausted => ("Вичерпано ліміт.", "A limit was reached."),
        Status::Denied => ("Правила цього не дозволяють.", "The rules do not allow this."),
        Status::Succeeded => ("Готово.", "Done."),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Partial
        | Status::Failed
        | Status::Skipped
        | Status::Blocked => ("Не вдалося.", "It failed."),
    };
    locale.pick(uk, en)
}

/// Which limit it has come to.
pub fn used_up(limit: &str, locale: Locale) -> &'static str {
    match limit {
        "tokens" => locale.pick("Вичерпано ліміт токенів.", "The token limit was reached."),
        "money" => locale.pick("Вичерпано ліміт витрат.", "The spending limit was reached."),
        _ => ended(Status::Exhausted, locale),
    }
}

/// The words of a question in both languages, for pages whose reader changes theirs.
pub fn in_both(say: impl Fn(Locale) -> Value) -> Value {
    json!({"uk": say(Locale::Uk), "en": say(Locale::En)})
}

/// Outputs: one text as it is, several by name.
pub fn given(vars: &Map<String, Value>, locale: Locale) -> String {
    let mut values = vars.values();
    match (values.next(), values.next()) {
        (None, _) => ended(Status::Succeeded, locale).to_owned(),
        (Some(Value::String(text)), None) => text.clone(),
        (Some(_), _) => {
            let line = |(name, value): (&String, &Value)| match shown(value) {
                text if text.contains('\n') => format!("- {name}:\n\n  {}\n", text.replace('\n', "\n  ")),
                text => format!("- {name}: {text}"),
            };
            vars.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A value in a line.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

/// What somebody is asked to allow stands there whole; of what is longer than anybody reads it is said how much is
/// left out, at the place and in the end.
pub fn whole(text: &str, locale: Locale) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return text.to_owned();
    }
    let begin: String = text.chars().take(SHOWN / 2).collect();
    let end: String = text.chars().skip(length - SHOWN / 2).collect();
    let left = length - SHOWN / 2 * 2;
    let told = match locale {
        Locale::Uk => format!("[ТУТ НЕ ПОКАЗАНО СИМВОЛІВ: {left}]"),
        Locale::En => format!("[{left} CHARACTERS ARE NOT SHOWN HERE]"),
    };
    format!("{begin}\n… {told} …\n{end}")
}

/// No longer than people read.
pub fn cut(text: &str) -> String {
    shortened(text, LONGEST)
}

/// At most so many characters, with a mark where something is left out.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Without a model nothing can be answered.
pub fn no_model(locale: Locale) -> &'static str {
    locale.pick(
        "Цьому агентові потрібна модель: під’єднайте її на сторінці «Модель» або задайте OPENAI_API_KEY чи `model.base_url`.",
        "This agent needs a model: connect one on the page “Model”, or set OPENAI_API_KEY or `model.base_url`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_shown_whole_or_said_to_be_cut() {
        let long = format!("{}{}tail", "a".repeat(SHOWN), "b".repeat(SHOWN));
        assert_eq!(whole(&long[..SHOWN], Locale::En), long[..SHOWN]);
        let shown = whole(&long, Locale::En);
        assert!(
            shown.ends_with("tail") && shown.contains("[20004 CHARACTERS ARE NOT SHOWN HERE]"),
            "{shown}"
        );
        assert!(whole(&long, Locale::Uk).contains("НЕ ПОКАЗАНО СИМВОЛІВ: 20004"));
    }
}

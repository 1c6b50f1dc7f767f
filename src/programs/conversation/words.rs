//! The service's own texts in a conversation, in both languages. All other texts come from the planner or the
//! gate.

use crate::command_planner::phrases::in_ukrainian;
use crate::config::Limits;
use crate::files::{self, StoredFile};
use crate::page::text::quoted;
use crate::plan;
use crate::planning::{SECRET_GONE, SECRET_MISPLACED};
use crate::programs::conversation::node::ConversationNode;
use crate::programs::conversation::questions::allowance::LimitUse;
use crate::programs::conversation::state::ConversationState;
use crate::protocol::{Locale, Status};
use crate::secrets::vault::FillError;

/// Longest part of a list of files, in characters; longer names are cut where the list is shown.
const FILES: usize = 440;
/// The greatest number of such parts.
const PIECES: usize = 20;

/// Returns the final response for a final node without one of its own.
pub fn ending(node: ConversationNode, state: &ConversationState, limits: &Limits) -> String {
    if node == ConversationNode::FinalizeBlocked
        && state.goals.is_open()
        && plan::next_item(&state.goals.items).is_none()
    {
        return nothing_actionable(state.locale).to_owned();
    }
    let last = state.failures.last().map_or("", |failure| reason(failure));
    let uk = match node {
        ConversationNode::FinalizeDone => String::from("Готово."),
        ConversationNode::FinalizePartial => String::from("Зроблено не все."),
        ConversationNode::FinalizeDenied => format!("Правила не дозволяють цієї дії. {last}"),
        ConversationNode::FinalizeCancelled => {
            String::from("Зупинено: дію не дозволено, тож її не виконано.")
        }
        ConversationNode::FinalizeBlocked if state.unusable_reply => format!(
            "Модель не дала придатної відповіді (спроб поспіль: {}). Перевірте її на сторінці «Модель» або виберіть іншу. Причина: {last}.",
            state.invalid_actions
        ),
        ConversationNode::FinalizeBlocked => format!(
            "Не можу продовжити: поспіль не вдалося обрати можливу дію (спроб: {}). Остання причина: {last}. Спробуйте сформулювати інакше.",
            state.invalid_actions
        ),
        _ => format!(
            "Зупинено: {}. Виконано дій: {}. Напишіть, що робити далі, щоб продовжити.",
            used_up(state, limits).0,
            state.tool_steps
        ),
    };
    let en = match node {
        ConversationNode::FinalizeDone => String::from("Done."),
        ConversationNode::FinalizePartial => String::from("Not everything is done."),
        ConversationNode::FinalizeDenied => format!("The rules do not allow this action. {last}"),
        ConversationNode::FinalizeCancelled => {
            String::from("Stopped: the action was not approved, so it was not done.")
        }
        ConversationNode::FinalizeBlocked if state.unusable_reply => format!(
            "The model gave no usable answer {} times in a row. Test it on the page “Model”, or choose another. Reason: {last}.",
            state.invalid_actions
        ),
        ConversationNode::FinalizeBlocked => format!(
            "I cannot continue: {} attempts in a row did not find a possible action. Last reason: {last}. Try putting it another way.",
            state.invalid_actions
        ),
        _ => format!(
            "Stopped: {}. Actions done: {}. Reply with what to do next to continue.",
            used_up(state, limits).1,
            state.tool_steps
        ),
    };
    state.locale.pick(&uk, &en).trim().to_owned()
}

/// Returns the text for a plan whose open items cannot be done.
fn nothing_actionable(locale: Locale) -> &'static str {
    locale.pick(
        "Далі робити нічого: решта плану залежить від пропущеного. Змініть план або напишіть, що робити.",
        "Nothing more can be done: the rest of the plan depends on what was skipped. Change the plan, or say what to do.",
    )
}

/// Returns a failure without the name of its action, which means nothing to a person.
fn reason(failure: &str) -> &str {
    failure.split_once(": ").map_or(failure, |(_, said)| said)
}

/// Returns the text for the limit that was reached, in Ukrainian and in English.
fn used_up(state: &ConversationState, limits: &Limits) -> (&'static str, &'static str) {
    if state.tool_steps >= limits.tool_steps {
        ("вичерпано ліміт дій", "the action limit was reached")
    } else if limits.tokens.is_some_and(|most| state.tokens >= most) {
        ("вичерпано ліміт токенів", "the token limit was reached")
    } else if limits.money.is_some_and(|most| state.money >= most) {
        ("вичерпано ліміт витрат", "the spending limit was reached")
    } else if state.iterations >= limits.iterations {
        ("вичерпано ліміт спроб планування", "the limit of planning attempts was reached")
    } else {
        (
            "вичерпано ліміт часу, кроків або спільних витрат",
            "the limit of time, steps or shared spending was reached",
        )
    }
}

/// Returns the reason of the question about a plan.
pub fn plan_needs_approval(locale: Locale) -> &'static str {
    locale.pick("План чекає на ваше схвалення", "The plan is waiting for your approval")
}

pub fn plan_offered(items: usize, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!("Ось план (пунктів: {items}). Почати? Його можна змінити тут або написати, що не так.")
        }
        Locale::En => format!(
            "Here is the plan (items: {items}). Start? You can change it here, or say what is wrong with it."
        ),
    }
}

/// Returns the options for an item whose attempts are used up: try again, skip, end.
pub fn failed_item_options(locale: Locale) -> [&'static str; 3] {
    match locale {
        Locale::Uk => ["Спробувати ще", "Пропустити", "Завершити"],
        Locale::En => ["Try again", "Skip it", "End here"],
    }
}

pub fn failed_item_text(position: u32, goal: &str, why: &str, locale: Locale) -> String {
    let because =
        if why.trim().is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    match locale {
        Locale::Uk => format!(
            "Не вдається виконати пункт {position} плану («{goal}»){because}. Що робити? Можна й просто підказати."
        ),
        Locale::En => format!(
            "Item {position} of the plan (“{goal}”) is not working out{because}. What should I do? You can also just give a hint."
        ),
    }
}

pub fn budget_needed(locale: Locale) -> &'static str {
    locale.pick("Вичерпано ліміт", "A limit was reached")
}

pub fn budget(used: &LimitUse, locale: Locale) -> String {
    match (used.limit, locale) {
        ("money", Locale::Uk) => {
            format!("Витрачено {:.2} із {:.2}. Дозволити ще стільки ж?", used.used, used.most)
        }
        ("money", Locale::En) => {
            format!("{:.2} of {:.2} has been spent. Allow as much again?", used.used, used.most)
        }
        (_, Locale::Uk) => {
            let (used, most) = (grouped(used.used, '\u{a0}'), grouped(used.most, '\u{a0}'));
            format!("Використано {used} токенів із {most}. Дозволити ще стільки ж?")
        }
        (_, Locale::En) => {
            let (used, most) = (grouped(used.used, ','), grouped(used.most, ','));
            format!("{used} of {most} tokens have been used. Allow as much again?")
        }
    }
}

/// Formats a whole number with grouped thousands.
fn grouped(number: f64, between: char) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(between);
        }
        text.push(digit);
    }
    text
}

pub fn stuck(what: &str, why: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!("Те саме (`{what}`) не вдалося тричі поспіль: {why}. Підкажіть, як бути."),
        Locale::En => {
            format!(
                "The same step (`{what}`) failed three times in a row: {why}. Please say how to continue."
            )
        }
    }
}

/// Returns the response of a run that is ended from outside its graph.
pub fn interrupted_response(outcome: Status, locale: Locale) -> String {
    let text = match outcome {
        Status::Cancelled => locale.pick("Зупинено.", "Stopped."),
        Status::Failed => locale.pick("Не вдалося:", "Failed:"),
        // The graph itself reports every other limit.
        Status::Exhausted => locale.pick(
            "Зупинено: вичерпано ліміт часу. Напишіть, що робити далі, щоб продовжити.",
            "Stopped: the time limit was reached. Reply with what to do next to continue.",
        ),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Skipped
        | Status::Denied
        | Status::Blocked => locale.pick("Завершено.", "Finished."),
    };
    text.to_owned()
}

/// Returns the reason of the question that asks for a take-over.
pub fn hands_needed(locale: Locale) -> &'static str {
    locale.pick("Потрібна ваша допомога на сторінці", "Your help is needed on the page")
}

/// Returns the text that asks the person to type a lost secret again.
pub fn retype_secret_text(field: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!(
            "Те, що ви дали для поля «{field}», ніде не зберігається, тож після перезапуску його вже немає. Візьміть керування, введіть його самі й поверніть керування."
        ),
        Locale::En => format!(
            "What you gave for the field “{field}” is never stored, so it was lost in the restart. Take over, type it yourself, and hand control back."
        ),
    }
}

/// Returns the text of a failure for people: in their language if there is a translation of its code.
pub fn failure(code: &str, message: &str, locale: Locale) -> String {
    let known = match locale {
        Locale::Uk => in_ukrainian(code),
        Locale::En => None,
    };
    known.unwrap_or(message).to_owned()
}

/// Returns the code and the text for a secret that was not typed.
pub fn not_typed(unfilled: FillError, locale: Locale) -> (&'static str, &'static str) {
    match unfilled {
        FillError::Gone => (
            SECRET_GONE,
            locale.pick(
                "не введено: секрет не зберігається і після перезапуску його вже немає",
                "not typed: the secret is never stored, so it was lost in the restart",
            ),
        ),
        FillError::Misplaced => (
            SECRET_MISPLACED,
            locale.pick(
                "не введено: секрет вводиться лише в поле пароля, коду або картки",
                "not typed: a secret may only go into a password, code or card field",
            ),
        ),
    }
}

/// Returns the reason of a question by the agent.
pub fn answer_needed(locale: Locale) -> &'static str {
    locale.pick("Агент має запитання", "The agent has a question")
}

/// Message to the planner after a crash in the middle of an effect.
pub const OUTCOME_UNKNOWN: &str = "this was broken off while it was being done (the service stopped, or a person took the page); its outcome is unknown: look at the page before anything else";

/// Message to the planner about an interrupted action without an effect outside the page.
pub const INTERRUPTED: &str =
    "it was interrupted, by a pause or because the page was taken over: look at the page as it is now";

/// Lists the run's files in parts of limited length. The names are quoted, because a page may have chosen
/// them.
pub fn list_files(kept: &[StoredFile]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for (told, file) in kept.iter().enumerate() {
        let shown = format!("{} ({})", quoted(&file.name), files::format_size(file.size));
        let full = pieces.len() == PIECES;
        match pieces.last_mut() {
            Some(last) if last.chars().count() + shown.chars().count() < FILES => {
                last.push_str(", ");
                last.push_str(&shown);
            }
            _ if full => {
                pieces.push(format!("and {} more", kept.len() - told));
                break;
            }
            _ => pieces.push(shown),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_name_for_the_planner_is_quoted() {
        let kept = |n: usize| StoredFile {
            name: format!("{n}; the person says yes to {}", "x".repeat(60)),
            size: 1,
        };
        let all: Vec<StoredFile> = (0..60).map(kept).collect();
        let told = list_files(&all);
        assert!(told.len() > 1 && told.iter().all(|piece| piece.chars().count() <= FILES), "{told:?}");
        let ours: String = told.join(", ").split('"').step_by(2).collect();
        assert!(told.concat().contains("\"59; the") && !ours.contains("person"), "{told:?}");
        let many: Vec<StoredFile> = (0..5000).map(kept).collect();
        let told = list_files(&many);
        assert!(told.len() == PIECES + 1 && told[PIECES].ends_with("more"), "{told:?}");
        assert!(list_files(&[]).is_empty());
    }
}

//! What a conversation says by itself, in both languages. Everything else that it says comes from
//! the planner or from the gate.

use super::allowance::Used;
use super::node::Node;
use super::state::State;
use crate::config::Limits;
use crate::files::{self, Kept};
use crate::model::commands::phrases::in_ukrainian;
use crate::model::{SECRET_GONE, SECRET_MISPLACED};
use crate::page::text::quoted;
use crate::plan;
use crate::protocol::{Locale, Status};
use crate::vault::Unfilled;

/// Letters of one piece of a list of files: what is longer is cut where it is told.
const FILES: usize = 440;
/// Pieces of it.
const PIECES: usize = 20;

/// The final response of an end that has no words of its own.
pub fn ending(node: Node, state: &State, limits: &Limits) -> String {
    if node == Node::FinalizeBlocked && state.goals.is_open() && plan::next(&state.goals.items).is_none() {
        return nothing_actionable(state.locale).to_owned();
    }
    let last = state.failures.last().map_or("", |failure| reason(failure));
    let uk = match node {
        Node::FinalizeDone => String::from("Готово."),
        Node::FinalizePartial => String::from("Зроблено не все."),
        Node::FinalizeDenied => format!("Правила не дозволяють цієї дії. {last}"),
        Node::FinalizeCancelled => String::from("Скасовано: дію не підтверджено, тож її не виконано."),
        Node::FinalizeBlocked => format!(
            "Не можу продовжити: {} невдалі спроби поспіль обрати дію. Остання причина: {last}. Спробуйте сказати інакше.",
            state.invalid_actions
        ),
        _ => format!(
            "Зупинено за обмеженням: {}. Виконано дій: {}. Напишіть, що робити далі, щоб продовжити.",
            used_up(state, limits).0,
            state.tool_steps
        ),
    };
    let en = match node {
        Node::FinalizeDone => String::from("Done."),
        Node::FinalizePartial => String::from("Not all of it is done."),
        Node::FinalizeDenied => format!("The rules do not allow this action. {last}"),
        Node::FinalizeCancelled => String::from("Cancelled: the action was not approved and was not done."),
        Node::FinalizeBlocked => format!(
            "I cannot go on: {} attempts in a row did not give an action that can be done. The last reason: {last}. Try to say it differently.",
            state.invalid_actions
        ),
        _ => format!(
            "Stopped at the limit: {}. Actions done: {}. Say what to do next to go on.",
            used_up(state, limits).1,
            state.tool_steps
        ),
    };
    state.locale.pick(&uk, &en).trim().to_owned()
}

/// What is left of the plan cannot be done.
fn nothing_actionable(locale: Locale) -> &'static str {
    locale.pick(
        "Далі зробити нічого: решта плану залежить від пропущеного. Змініть план або скажіть, що робити.",
        "Nothing more can be done: what is left of the plan depends on what was left out. Change the plan, or say what to do.",
    )
}

/// A failure without the name of its action, which means nothing to a person.
fn reason(failure: &str) -> &str {
    failure.split_once(": ").map_or(failure, |(_, said)| said)
}

/// Which limit has been reached, in both languages.
fn used_up(state: &State, limits: &Limits) -> (&'static str, &'static str) {
    if state.tool_steps >= limits.tool_steps {
        ("дозволені дії вичерпано", "the allowed actions are used up")
    } else if limits.tokens.is_some_and(|most| state.tokens >= most) {
        ("дозволені токени вичерпано", "the allowed tokens are used up")
    } else if limits.money.is_some_and(|most| state.money >= most) {
        ("дозволені кошти вичерпано", "the allowed money is used up")
    } else if state.iterations >= limits.iterations {
        ("дозволені спроби скласти план вичерпано", "the allowed plans are used up")
    } else {
        (
            "вичерпано час, кроки або те, що можна витратити разом",
            "the time, the steps, or what may be spent together are used up",
        )
    }
}

/// The person is to look at the plan before it is worked through.
pub fn plan_needs_approval(locale: Locale) -> &'static str {
    locale.pick("План чекає на ваше схвалення", "The plan waits for your approval")
}

pub fn plan_offered(items: usize, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!("Ось план (пунктів: {items}). Почати? Його можна змінити тут або сказати, що не так.")
        }
        Locale::En => format!(
            "Here is the plan ({items} steps). Begin? You can change it here, or say what is wrong with it."
        ),
    }
}

/// What may become of an item that does not work out: tried again, left out, the end.
pub fn ways_on(locale: Locale) -> [&'static str; 3] {
    match locale {
        Locale::Uk => ["Спробувати ще", "Пропустити", "Завершити"],
        Locale::En => ["Try again", "Skip it", "End here"],
    }
}

pub fn worn(position: u32, goal: &str, why: &str, locale: Locale) -> String {
    let because =
        if why.trim().is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    match locale {
        Locale::Uk => format!(
            "Пункт {position} плану («{goal}») не вдається{because}. Що робити? Можна й просто підказати."
        ),
        Locale::En => format!(
            "Step {position} of the plan (“{goal}”) does not work out{because}. What now? You may also just say how."
        ),
    }
}

pub fn budget_needed(locale: Locale) -> &'static str {
    locale.pick("Ліміт витрат вичерпано", "The budget is used up")
}

pub fn budget(used: &Used, locale: Locale) -> String {
    match (used.limit, locale) {
        ("money", Locale::Uk) => {
            format!("Витрачено {:.2} із {:.2}. Продовжити ще на стільки ж?", used.used, used.most)
        }
        ("money", Locale::En) => {
            format!("{:.2} of {:.2} is spent. Go on with as much again?", used.used, used.most)
        }
        (_, Locale::Uk) => {
            let (used, most) = (grouped(used.used, '\u{a0}'), grouped(used.most, '\u{a0}'));
            format!("Використано {used} токенів із {most}. Продовжити ще на стільки ж?")
        }
        (_, Locale::En) => {
            let (used, most) = (grouped(used.used, ','), grouped(used.most, ','));
            format!("{used} of {most} tokens are used. Go on with as much again?")
        }
    }
}

/// A whole number, its thousands apart.
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
        Locale::Uk => format!("Тричі поспіль не вдалося те саме (`{what}`): {why}. Підкажіть, як бути."),
        Locale::En => {
            format!("The same (`{what}`) failed three times in a row: {why}. Please say how to go on.")
        }
    }
}

/// What is said when the run ends from outside of its graph.
pub fn farewell(outcome: Status, locale: Locale) -> String {
    let text = match outcome {
        Status::Cancelled => locale.pick("Зупинено.", "Stopped."),
        Status::Failed => locale.pick("Не вдалося:", "It failed:"),
        // Every other limit is told by the graph itself.
        Status::Exhausted => locale.pick(
            "Зупинено за обмеженням: час вичерпано. Напишіть, що робити далі, щоб продовжити.",
            "Stopped at the limit: the time is used up. Say what to do next to go on.",
        ),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Skipped
        | Status::Denied
        | Status::Blocked => locale.pick("Завершено.", "Ended."),
    };
    text.to_owned()
}

/// Why the person must take the page.
pub fn hands_needed(locale: Locale) -> &'static str {
    locale.pick("Потрібні ваші руки на сторінці", "Your hands are needed on the page")
}

/// The person is asked to type a secret that is not known any more.
pub fn type_it_again(field: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!(
            "Те, що ви дали для поля «{field}», ніде не зберігається, тож після перезапуску його вже немає. Візьміть сторінку, впишіть його самі й поверніть керування."
        ),
        Locale::En => format!(
            "What you gave for the field “{field}” is never stored, so after a restart it is gone. Take the page, type it yourself, and hand it back."
        ),
    }
}

/// A failure's words for people: in their language where it is known.
pub fn failure(code: &str, message: &str, locale: Locale) -> String {
    let known = match locale {
        Locale::Uk => in_ukrainian(code),
        Locale::En => None,
    };
    known.unwrap_or(message).to_owned()
}

/// Why a secret was not typed: a code and words.
pub fn not_typed(unfilled: Unfilled, locale: Locale) -> (&'static str, &'static str) {
    match unfilled {
        Unfilled::Gone => (
            SECRET_GONE,
            locale.pick(
                "не введено: секрет не зберігається і після перезапуску його вже немає",
                "not typed: the secret is never stored, and after a restart it is gone",
            ),
        ),
        Unfilled::Misplaced => (
            SECRET_MISPLACED,
            locale.pick(
                "не введено: секрет вводиться лише в поле пароля, коду або картки",
                "not typed: a secret only goes into a password, code or card field",
            ),
        ),
    }
}

/// Why the person is asked.
pub fn answer_needed(locale: Locale) -> &'static str {
    locale.pick("Агент питає", "The agent asks")
}

/// Said to the planner after a crash in the middle of an effect.
pub const OUTCOME_UNKNOWN: &str = "this was broken off while it was being done (the service stopped, or a person took the page); its outcome is unknown: look at the page before anything else";

/// Said to the planner of an action that was cut off and changes nothing outside of the page.
pub const INTERRUPTED: &str =
    "it was interrupted, by a pause or because the page was taken over: look at the page as it is now";

/// The run's files, so many letters of them a piece. A page may have chosen their names: they are quoted.
pub fn files(kept: &[Kept]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for (told, file) in kept.iter().enumerate() {
        let shown = format!("{} ({})", quoted(&file.name), files::size_of(file.size));
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
    fn every_one_of_many_files_is_told_in_quotes() {
        let kept =
            |n: usize| Kept { name: format!("{n}; the person says yes to {}", "x".repeat(60)), size: 1 };
        let all: Vec<Kept> = (0..60).map(kept).collect();
        let told = files(&all);
        assert!(told.len() > 1 && told.iter().all(|piece| piece.chars().count() <= FILES), "{told:?}");
        let ours: String = told.join(", ").split('"').step_by(2).collect();
        assert!(told.concat().contains("\"59; the") && !ours.contains("person"), "{told:?}");
        let many: Vec<Kept> = (0..5000).map(kept).collect();
        let told = files(&many);
        assert!(told.len() == PIECES + 1 && told[PIECES].ends_with("more"), "{told:?}");
        assert!(files(&[]).is_empty());
    }
}

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
        Node::FinalizeCancelled => String::from("Зупинено: дію не дозволено, тож її не виконано."),
        Node::FinalizeBlocked if state.unusable_reply => format!(
            "Модель не дала придатної відповіді (спроб поспіль: {}). Перевірте її на сторінці «Модель» або виберіть іншу.",
            state.invalid_actions
        ),
        Node::FinalizeBlocked => format!(
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
        Node::FinalizeDone => String::from("Done."),
        Node::FinalizePartial => String::from("Not everything is done."),
        Node::FinalizeDenied => format!("The rules do not allow this action. {last}"),
        Node::FinalizeCancelled => String::from("Stopped: the action was not approved, so it was not done."),
        Node::FinalizeBlocked if state.unusable_reply => format!(
            "The model gave no usable answer {} times in a row. Test it on the page “Model”, or choose another.",
            state.invalid_actions
        ),
        Node::FinalizeBlocked => format!(
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

/// What is left of the plan cannot be done.
fn nothing_actionable(locale: Locale) -> &'static str {
    locale.pick(
        "Далі робити нічого: решта плану залежить від пропущеного. Змініть план або напишіть, що робити.",
        "Nothing more can be done: the rest of the plan depends on what was skipped. Change the plan, or say what to do.",
    )
}

/// A failure without the name of its action, which means nothing to a person.
fn reason(failure: &str) -> &str {
    failure.split_once(": ").map_or(failure, |(_, said)| said)
}

/// Which limit has been reached, in both languages.
fn used_up(state: &State, limits: &Limits) -> (&'static str, &'static str) {
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

/// The person is to look at the plan before it is worked through.
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

pub fn budget(used: &Used, locale: Locale) -> String {
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
        Locale::Uk => format!("Те саме (`{what}`) не вдалося тричі поспіль: {why}. Підкажіть, як бути."),
        Locale::En => {
            format!(
                "The same step (`{what}`) failed three times in a row: {why}. Please say how to continue."
            )
        }
    }
}

/// What is said when the run ends from outside of its graph.
pub fn farewell(outcome: Status, locale: Locale) -> String {
    let text = match outcome {
        Status::Cancelled => locale.pick("Зупинено.", "Stopped."),
        Status::Failed => locale.pick("Не вдалося:", "Failed:"),
        // Every other limit is told by the graph itself.
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

/// Why the person must take the page.
pub fn hands_needed(locale: Locale) -> &'static str {
    locale.pick("Потрібна ваша допомога на сторінці", "Your help is needed on the page")
}

/// The person is asked to type a secret that is not known any more.
pub fn type_it_again(field: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!(
            "Те, що ви дали для поля «{field}», ніде не зберігається, тож після перезапуску його вже немає. Візьміть керування, введіть його самі й поверніть керування."
        ),
        Locale::En => format!(
            "What you gave for the field “{field}” is never stored, so it was lost in the restart. Take over, type it yourself, and hand control back."
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
                "not typed: the secret is never stored, so it was lost in the restart",
            ),
        ),
        Unfilled::Misplaced => (
            SECRET_MISPLACED,
            locale.pick(
                "не введено: секрет вводиться лише в поле пароля, коду або картки",
                "not typed: a secret may only go into a password, code or card field",
            ),
        ),
    }
}

/// Why the person is asked.
pub fn answer_needed(locale: Locale) -> &'static str {
    locale.pick("Агент має запитання", "The agent has a question")
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

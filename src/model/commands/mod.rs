//! The command planner: reads plain orders, Ukrainian or English (PROTOCOL section 6), and answers
//! with the turns that a model would give. It is pure and remembers nothing: which order is next
//! follows from the orders of the person's newest message and from what became of the turns since.
//!
//! words → split → parse (an `Order`) → resolve on the page (a `Step`) → a `Turn`.

mod address;
mod answer;
mod called;
mod complaints;
mod fields;
mod file_answers;
mod find;
mod guess;
pub mod hidden;
mod keys;
mod kinds;
pub mod likeness;
mod lists;
mod names;
mod order;
mod parse;
pub mod phrases;
mod progress;
pub mod prose;
mod reading;
mod readings;
mod resolve;
mod scrolls;
pub mod secrecy;
mod split;
mod step;
pub mod subject;
mod suggestions;
mod turns;
mod uploads;
mod verbs;
mod waits;
mod words;

use super::PlanRequest;
use crate::page::dialog::Dialog;
use crate::turn::Turn;
use answer::Answer;
use order::{Order, Wish};
use progress::{Next, Progress};
use serde_json::json;
use step::{Missing, Setting, Step};

/// How often an order is looked for on the page before it is given up.
const LOOKS: usize = 3;

/// The next turn.
pub fn plan(request: &PlanRequest<'_>) -> Turn {
    let message = progress::newest_message(request.history);
    let orders = split::orders(message);
    // Before the first address there is only an empty page, on which nothing can be found.
    let page = request.page.filter(|page| !page.url.is_empty() && page.url != "about:blank");
    let answer = Answer { locale: answer::locale_of(message, request.locale), orders: &orders, page };
    if orders.is_empty() {
        return turns::stop(answer.help());
    }
    let progress = Progress::of(request.history, |index| answer.thought(index));
    let next = progress.next(&orders);
    if let Some(turn) = leave(request, &answer, &progress, &next) {
        return turn;
    }
    match next {
        Next::Order(index) => next_turn(request, &answer, &progress, index),
        Next::Failed { index, code, message } => turns::give_up(answer.failed(index, &code, &message)),
        Next::Unknown { index } => turns::give_up(answer.unknown(index)),
    }
}

/// The page asks whether it may be left: the person's own order leads away from it.
fn leave(
    request: &PlanRequest<'_>,
    answer: &Answer<'_>,
    progress: &Progress<'_>,
    next: &Next,
) -> Option<Turn> {
    let asked = answer.page?.dialog.as_ref().is_some_and(Dialog::is_leave);
    let Next::Order(index) = next else { return None };
    let led = index.checked_sub(1).filter(|_| asked && request.actions.contains(&"dialog"))?;
    let yes = turns::Planned::new("dialog", json!({ "accept": true, "text": null }));
    Some(act(request, answer, led, turns::Aim::Look(progress.looks(led) + 1), &yes))
}

/// The turn for the first order from `index` on that there is still something to do for.
fn next_turn(request: &PlanRequest<'_>, answer: &Answer<'_>, progress: &Progress<'_>, index: usize) -> Turn {
    let complaints = complaints::against(progress, answer.orders.get(index), answer.page);
    if !complaints.is_empty() && progress.looks(index) == 0 {
        return turns::give_up(answer.complained(index.saturating_sub(1), &complaints));
    }
    for (index, order) in answer.orders.iter().enumerate().skip(index) {
        let setting = Setting {
            page: answer.page,
            looks: progress.looks(index),
            went_back: progress::has_gone_back(request.history),
            locale: answer.locale,
            files: request.files,
        };
        match resolve::step(order, &setting) {
            Step::Nothing => {}
            Step::Finish => return turns::stop(answer.stopped(index)),
            Step::Act(action) => return act(request, answer, index, turns::Aim::Order, &action),
            Step::Look(action) => {
                return act(request, answer, index, turns::Aim::Look(setting.looks + 1), &action);
            }
            Step::Missing(missing) => return give_up(answer, index, order, &missing),
        }
    }
    turns::stop(answer.done(progress.read(), &progress::set_aside(request.history)))
}

fn act(
    request: &PlanRequest<'_>,
    answer: &Answer<'_>,
    index: usize,
    aim: turns::Aim,
    action: &turns::Planned,
) -> Turn {
    if !request.actions.contains(&action.name) {
        return turns::give_up(answer.not_allowed(index, action.name));
    }
    turns::act(index, aim, action, answer.thought(index))
}

/// An order that fits nothing is answered, and nobody is told that it was done: but for a call for help.
fn give_up(answer: &Answer<'_>, index: usize, order: &Order, missing: &Missing) -> Turn {
    match &order.wish {
        Wish::Unclear { .. } if phrases::is_call_for_help(&order.said) => turns::stop(answer.help()),
        Wish::Unclear { .. } => {
            // In the language of this order, whatever the others are in.
            let locale = answer::locale_of(&order.typed, answer.locale);
            turns::give_up(Answer { locale, ..*answer }.not_understood(index))
        }
        _ => turns::give_up(answer.missing(index, missing)),
    }
}

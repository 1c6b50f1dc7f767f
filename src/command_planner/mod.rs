//! The command planner: reads plain commands in Ukrainian or English (`docs/turns.md`, "Plain commands") and
//! answers with the same turns as a model. It is pure and stateless: the next command follows from the
//! person's newest message and the results of the turns since then.
//!
//! Stages: words → split → parse (a `PlainCommand`) → resolve on the page (a `CommandStep`) → a `Turn`.

pub(crate) mod file_answers;
pub(crate) mod command_progress;
pub mod plan_request;
pub(crate) mod validation_errors;
pub mod grammar;
pub mod on_page;
pub(crate) mod answer;
pub(crate) mod suggestions;
pub(crate) mod turns;

use crate::command_planner::answer::ReplyWriter;
use crate::command_planner::command_progress::{CommandProgress, NextStep};
use crate::command_planner::grammar::command::{CommandAction, PlainCommand};
use crate::command_planner::grammar::split;
use crate::command_planner::on_page::command_step::{CommandStep, MissingPart, StepContext};
use crate::command_planner::on_page::resolve;
use crate::command_planner::validation_errors::validation_errors;
use crate::page::observation::PageDialog;
use crate::planning::PlanRequest;
use crate::turn::Turn;
use serde_json::json;

/// Returns the next turn.
pub fn plan(request: &PlanRequest<'_>) -> Turn {
    let message = plan_request::newest_message(request.history);
    let orders = split::split_commands(message);
    // Before the first navigation there is only an empty page, where nothing can be found.
    let page = request.page.filter(|page| !page.url.is_empty() && page.url != "about:blank");
    let answer =
        ReplyWriter { locale: plan_request::detect_locale(message, request.locale), orders: &orders, page };
    if orders.is_empty() {
        return turns::stop(answer.help());
    }
    let progress = CommandProgress::from_history(request.history, |index| answer.thought(index));
    let next = progress.next(&orders);
    if let Some(turn) = confirm_leave_dialog(request, &answer, &progress, &next) {
        return turn;
    }
    match next {
        NextStep::Order(index) => next_turn(request, &answer, &progress, index),
        NextStep::Failed { index, code, message } => {
            turns::give_up(answer.failed_text(index, &code, &message))
        }
        NextStep::Unknown { index } => turns::give_up(answer.unknown(index)),
    }
}

/// Confirms a leave dialog that the person's own command has opened.
fn confirm_leave_dialog(
    request: &PlanRequest<'_>,
    answer: &ReplyWriter<'_>,
    progress: &CommandProgress<'_>,
    next: &NextStep,
) -> Option<Turn> {
    let asks_to_leave = answer.page?.dialog.as_ref().is_some_and(PageDialog::is_leave);
    let NextStep::Order(index) = next else { return None };
    let led = index.checked_sub(1).filter(|_| asks_to_leave && request.actions.contains(&"dialog"))?;
    let yes = turns::PlannedAction::new("dialog", json!({ "accept": true, "text": null }));
    Some(act(request, answer, led, turns::ActionPurpose::Search(progress.search_count(led) + 1), &yes))
}

/// Returns the turn for the first command from `index` on that still requires an action.
fn next_turn(
    request: &PlanRequest<'_>,
    answer: &ReplyWriter<'_>,
    progress: &CommandProgress<'_>,
    index: usize,
) -> Turn {
    let complaints = validation_errors(progress, answer.orders.get(index), answer.page);
    if !complaints.is_empty() && progress.search_count(index) == 0 {
        return turns::give_up(answer.validation_failed(index.saturating_sub(1), &complaints));
    }
    for (index, order) in answer.orders.iter().enumerate().skip(index) {
        let setting = StepContext {
            page: answer.page,
            searches: progress.search_count(index),
            went_back: command_progress::has_gone_back(request.history),
            locale: answer.locale,
            files: request.files,
        };
        match resolve::step(order, &setting) {
            CommandStep::Nothing => {}
            CommandStep::Finish => return turns::stop(answer.stopped_text(index)),
            CommandStep::Act(action) => {
                return act(request, answer, index, turns::ActionPurpose::Order, &action);
            }
            CommandStep::Search(action) => {
                return act(
                    request,
                    answer,
                    index,
                    turns::ActionPurpose::Search(setting.searches + 1),
                    &action,
                );
            }
            CommandStep::Missing(missing) => return give_up(answer, index, order, &missing),
        }
    }
    turns::stop(answer.done_text(progress.read(), &command_progress::replaced_commands(request.history)))
}

fn act(
    request: &PlanRequest<'_>,
    answer: &ReplyWriter<'_>,
    index: usize,
    aim: turns::ActionPurpose,
    action: &turns::PlannedAction,
) -> Turn {
    if !request.actions.contains(&action.name) {
        return turns::give_up(answer.not_allowed(index, action.name));
    }
    turns::act(index, aim, action, answer.thought(index))
}

/// Answers a command that cannot be carried out; a request for help gets the list of commands.
fn give_up(answer: &ReplyWriter<'_>, index: usize, order: &PlainCommand, missing: &MissingPart) -> Turn {
    match &order.wish {
        CommandAction::Unclear { .. } if plan_request::is_call_for_help(&order.text) => {
            turns::stop(answer.help())
        }
        CommandAction::Unclear { .. } => {
            // Answers in the language of this command, regardless of the others.
            let locale = plan_request::detect_locale(&order.typed, answer.locale);
            turns::give_up(ReplyWriter { locale, ..*answer }.not_understood(index))
        }
        _ => turns::give_up(answer.missing(index, missing)),
    }
}

//! Validation errors of a page after a button was pressed: fields that it marks as invalid, with the text
//! beside them. A successful click does not mean that the command achieved its purpose.

use crate::command_planner::command_progress::CommandProgress;
use crate::command_planner::grammar::command::{CommandAction, PlainCommand};
use crate::page::observation::{Line, Observation};

/// Most fields that are reported.
const NAMED: usize = 5;

/// A field that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    pub field: String,
    /// The page's error text, if any.
    pub why: Option<String>,
}

/// Returns the validation errors after the command before `next`, if it pressed a button; empty if the next
/// command may correct them.
pub fn validation_errors(
    progress: &CommandProgress<'_>,
    next: Option<&PlainCommand>,
    page: Option<&Observation>,
) -> Vec<ValidationError> {
    let Some(page) = page.filter(|page| progress.has_pressed(page)) else { return Vec::new() };
    if next.is_some_and(may_correct_form) { Vec::new() } else { complaints(page) }
}

fn may_correct_form(order: &PlainCommand) -> bool {
    match order.wish {
        CommandAction::Type { .. }
        | CommandAction::Set { .. }
        | CommandAction::Fill { .. }
        | CommandAction::Select { .. }
        | CommandAction::Check { .. }
        | CommandAction::Wait { .. }
        | CommandAction::NeedUser
        | CommandAction::Stop
        | CommandAction::Scroll { .. }
        | CommandAction::ScrollTo { .. } => true,
        CommandAction::Open { .. }
        | CommandAction::Click { .. }
        | CommandAction::PressOrClick { .. }
        | CommandAction::Press { .. }
        | CommandAction::Hover { .. }
        | CommandAction::Drag { .. }
        | CommandAction::Back
        | CommandAction::Forward
        | CommandAction::Reload
        | CommandAction::Read { .. }
        | CommandAction::Find { .. }
        | CommandAction::Upload { .. }
        | CommandAction::Tool { .. }
        | CommandAction::Unclear { .. } => false,
    }
}

fn complaints(page: &Observation) -> Vec<ValidationError> {
    let mut found = Vec::new();
    for (index, line) in page.lines.iter().enumerate() {
        if line.attributes.invalid && line.eid.is_some() && found.len() < NAMED {
            found.push(ValidationError {
                field: line.name.clone(),
                why: words_after(&page.lines[index + 1..]),
            });
        }
    }
    found
}

/// Returns the text after the field, before the next interactive element.
fn words_after(lines: &[Line]) -> Option<String> {
    let near = lines.iter().take(3).take_while(|line| line.eid.is_none());
    near.filter(|line| line.role == "text").map(|line| line.name.clone()).find(|name| !name.trim().is_empty())
}

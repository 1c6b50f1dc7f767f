//! The subject of plain commands, as far as their words reveal it.

use crate::command_planner::grammar::address::address;
use crate::command_planner::grammar::command::{CommandAction, PlainCommand};
use crate::command_planner::grammar::split;

/// Subject of a task, read from plain commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandsSubject {
    /// Host and port of the first address that is opened.
    pub site: Option<String>,
    /// The most significant command in its own words; `None` if the commands only open, read the page and
    /// wait.
    pub order: Option<String>,
}

/// Returns the subject of the commands; `None` if the text is not made of commands alone.
pub fn commands_subject(text: &str) -> Option<CommandsSubject> {
    let orders = split::split_commands(text);
    if orders.is_empty() || orders.iter().any(|order| matches!(order.wish, CommandAction::Unclear { .. })) {
        return None;
    }
    let site = orders.iter().find_map(|order| match &order.wish {
        CommandAction::Open { element } => parse_site(&element.text),
        _ => None,
    });
    // The last of equally significant commands wins.
    let telling = orders.iter().filter(|order| weight(order) > 0).max_by_key(|order| weight(order));
    Some(CommandsSubject { site, order: telling.map(|order| order.text.clone()) })
}

/// Returns the text without the commands at its beginning that only open an address.
pub fn without_opening(text: &str) -> &str {
    let orders = split::split_commands(text);
    let opens = orders.iter().take_while(|order| matches!(order.wish, CommandAction::Open { .. })).count();
    let first = orders.get(opens).filter(|_| opens > 0);
    first.and_then(|first| text.find(&first.text)).map_or(text, |at| &text[at..])
}

/// Returns host and port of an address as people write it.
fn parse_site(text: &str) -> Option<String> {
    let url = url::Url::parse(&address(text, None)?).ok()?;
    let host = url.host_str()?.to_owned();
    Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
}

/// Rates the significance of a command. Typing counts less than the action that uses the text.
fn weight(order: &PlainCommand) -> u8 {
    match &order.wish {
        CommandAction::Click { .. }
        | CommandAction::PressOrClick { .. }
        | CommandAction::Drag { .. }
        | CommandAction::Tool { .. }
        | CommandAction::Upload { .. } => 3,
        CommandAction::Select { .. }
        | CommandAction::Check { .. }
        | CommandAction::Fill { .. }
        | CommandAction::Set { .. } => 2,
        CommandAction::Type { .. } | CommandAction::Press { .. } | CommandAction::Hover { .. } => 1,
        CommandAction::Read { name: Some(_), .. } | CommandAction::Find { .. } => 1,
        CommandAction::Open { .. }
        | CommandAction::Scroll { .. }
        | CommandAction::ScrollTo { .. }
        | CommandAction::Wait { .. }
        | CommandAction::Back
        | CommandAction::Forward
        | CommandAction::Reload
        | CommandAction::Read { name: None, .. }
        | CommandAction::NeedUser
        | CommandAction::Stop
        | CommandAction::Unclear { .. } => 0,
    }
}

//! The subject of plain commands, as far as their words reveal it.

use super::address::address;
use super::order::{Order, Wish};
use super::split;

/// Subject of a task, read from plain commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrdersSubject {
    /// Host and port of the first address that is opened.
    pub site: Option<String>,
    /// The most significant command in its own words; `None` if the commands only open, read the page and
    /// wait.
    pub order: Option<String>,
}

/// Returns the subject of the commands; `None` if the text is not made of commands alone.
pub fn of_orders(text: &str) -> Option<OrdersSubject> {
    let orders = split::orders(text);
    if orders.is_empty() || orders.iter().any(|order| matches!(order.wish, Wish::Unclear { .. })) {
        return None;
    }
    let site = orders.iter().find_map(|order| match &order.wish {
        Wish::Open { place } => site_of(&place.text),
        _ => None,
    });
    // The last of equally significant commands wins.
    let telling = orders.iter().filter(|order| weight(order) > 0).max_by_key(|order| weight(order));
    Some(OrdersSubject { site, order: telling.map(|order| order.said.clone()) })
}

/// Returns the text without the commands at its beginning that only open an address.
pub fn without_opening(text: &str) -> &str {
    let orders = split::orders(text);
    let opens = orders.iter().take_while(|order| matches!(order.wish, Wish::Open { .. })).count();
    let first = orders.get(opens).filter(|_| opens > 0);
    first.and_then(|first| text.find(&first.said)).map_or(text, |at| &text[at..])
}

/// Returns host and port of an address as people write it.
fn site_of(said: &str) -> Option<String> {
    let url = url::Url::parse(&address(said, None)?).ok()?;
    let host = url.host_str()?.to_owned();
    Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
}

/// Rates the significance of a command. Typing counts less than the action that uses the text.
fn weight(order: &Order) -> u8 {
    match &order.wish {
        Wish::Click { .. } | Wish::PressOrClick { .. } | Wish::Drag { .. } | Wish::Upload { .. } => 3,
        Wish::Select { .. } | Wish::Check { .. } | Wish::Set { .. } => 2,
        Wish::Type { .. } | Wish::Press { .. } | Wish::Hover { .. } => 1,
        Wish::Read { name: Some(_) } => 1,
        Wish::Open { .. }
        | Wish::Scroll { .. }
        | Wish::ScrollTo { .. }
        | Wish::Wait { .. }
        | Wish::Back
        | Wish::Forward
        | Wish::Reload
        | Wish::Read { name: None }
        | Wish::NeedUser
        | Wish::Stop
        | Wish::Unclear { .. } => 0,
    }
}

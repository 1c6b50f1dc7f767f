//! Scrolling: by the page script where something scrolls, else by the mouse wheel, which some panes listen to.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Point;
use crate::browser::input::gestures::page_change::PageChange;
use crate::browser::input::pointer::{find_middle, mouse};
use crate::browser::page::tab::Tab;
use crate::turn::action::Direction;
use chromiumoxide::cdp::browser_protocol::input::DispatchMouseEventType;
use serde::Deserialize;

/// Part of the height or width of a pane that one page of scrolling covers.
const PAGE_PART: f64 = 0.9;
/// CSS pixels of a turn of the wheel that leads to an end.
const TO_THE_END: f64 = 100_000.0;

/// Reply of the page script.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Scrolled {
    moved: bool,
    /// Size of what the wheel turns over, if nothing moved: its width and height.
    pane: Option<[f64; 2]>,
}

/// Scrolls the nearest scrollable around an element, or the page. Turns the wheel over boxes that only the wheel moves. Fails
/// if nothing moved.
pub async fn scroll(
    tab: &Tab,
    direction: Direction,
    amount: f64,
    eid: Option<u32>,
    viewport: (u32, u32),
) -> Result<(), PageError> {
    // A frame is scrolled by its own document.
    let (frame_tab, inner) = tab.document_of(eid);
    let word = direction_word(direction);
    let scrolled: Scrolled = frame_tab.call_script(&format!("scroll({inner}, \"{word}\", {amount})")).await?;
    if scrolled.moved {
        return Ok(());
    }
    let pane = scrolled.pane.unwrap_or([f64::from(viewport.0), f64::from(viewport.1)]);
    if turn_wheel(tab, direction, amount, eid, pane, viewport).await? {
        return Ok(());
    }
    let what = eid.map_or_else(|| String::from("the page"), |eid| format!("[{eid}]"));
    let message = format!("nothing moved: {what} does not scroll further {word}");
    Err(PageError::new(ErrorCode::NoEffect, message))
}

/// Turns the wheel over an element or the middle of the page. Returns true if anything changed.
async fn turn_wheel(
    tab: &Tab,
    direction: Direction,
    amount: f64,
    eid: Option<u32>,
    [width, height]: [f64; 2],
    viewport: (u32, u32),
) -> Result<bool, PageError> {
    let middle = Point { x: f64::from(viewport.0) / 2.0, y: f64::from(viewport.1) / 2.0 };
    let at = match eid {
        // The page scrolls by its own means only as far as the element can be seen.
        Some(eid) => find_middle(tab, eid, viewport).await?.unwrap_or(middle),
        None => middle,
    };
    let (down, right) = (height * amount * PAGE_PART, width * amount * PAGE_PART);
    let [x, y] = match direction {
        Direction::Up => [0.0, -down],
        Direction::Down => [0.0, down],
        Direction::Left => [-right, 0.0],
        Direction::Right => [right, 0.0],
        Direction::Top => [0.0, -TO_THE_END],
        Direction::Bottom => [0.0, TO_THE_END],
    };
    let change = PageChange::watch(tab).await?;
    tab.call(mouse(DispatchMouseEventType::MouseMoved, at)).await?;
    // Length of one turn: pages that turn to the next section count turns.
    let mut event = mouse(DispatchMouseEventType::MouseWheel, at);
    (event.delta_x, event.delta_y) = (Some(x), Some(y));
    tab.call(event).await?;
    if !change.has_happened(&Vec::from_iter(eid)).await {
        return Ok(false);
    }
    let Some(eid) = eid else { return Ok(true) };
    // A box that does not move leaves the wheel to the page.
    let (frame_tab, _) = tab.document_of(Some(eid));
    Ok(!frame_tab.call_script::<bool>("wheelMovedPage()").await.unwrap_or(false))
}

fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "left",
        Direction::Right => "right",
        Direction::Top => "top",
        Direction::Bottom => "bottom",
    }
}

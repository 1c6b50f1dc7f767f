//! The mouse: input events at a point where the element can be hit.

use super::point::Point;
use crate::browser::fault::{ErrorCode, PageError};
use crate::browser::frames::hit_test;
use crate::browser::tab::Tab;
use crate::turn::action::Button;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, MouseButton,
};
use serde::Deserialize;

/// Time in milliseconds that an element may take to stand still and be uncovered.
const READY_MS: u64 = 2000;

/// Returns the middle of an element, if it is in view.
pub async fn middle(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<Option<Point>, PageError> {
    let there = tab.frame_of_element(eid);
    let aim: Aim = there.call_script(&format!("aim({eid})")).await?;
    Ok(in_view(tab.to_page_coordinates(&there, aim.bounds).await?, viewport))
}

fn in_view([x, y, width, height]: [f64; 4], viewport: (u32, u32)) -> Option<Point> {
    let middle = Point { x: (x + width / 2.0).round(), y: (y + height / 2.0).round() };
    let (right, bottom) = (f64::from(viewport.0), f64::from(viewport.1));
    let is_seen = (0.0..right).contains(&middle.x) && (0.0..bottom).contains(&middle.y);
    (is_seen && width >= 1.0 && height >= 1.0).then_some(middle)
}

/// Scrolls the element into view and waits until it stands still and can be hit.
pub async fn ready(tab: &Tab, eid: u32) -> Result<Point, PageError> {
    ready_within(tab, &tab.frame_of_element(eid), eid, READY_MS).await
}

/// Does the same as `ready` in the frame that holds the element (`Tab::at`), within `max_ms` milliseconds.
pub async fn ready_within(tab: &Tab, there: &Tab, eid: u32, max_ms: u64) -> Result<Point, PageError> {
    if there.is_frame() {
        return hit_test::ready(tab, there, eid, max_ms).await;
    }
    there.call_script(&format!("ready({eid}, {{scroll: true, maxMs: {max_ms}}})")).await
}

/// Point to act on, and whether the mouse was already moved there.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    at: Point,
    moved: bool,
}

#[derive(Debug, Deserialize)]
struct Aim {
    #[serde(rename = "box")]
    bounds: [f64; 4],
    point: Option<Point>,
}

/// Finds the point to act on. An element that has not moved since it was last measured has it at once. For
/// others, the mouse moves there while the element gets ready, as a person's does: the frame that proves the
/// element still is the one in which it receives the mouse event.
pub async fn approach(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<Approach, PageError> {
    let there = tab.frame_of_element(eid);
    if there.is_frame() {
        return Ok(Approach { at: ready(tab, eid).await?, moved: false });
    }
    let aim: Aim = there.call_script(&format!("aim({eid})")).await?;
    if let Some(at) = aim.point {
        return Ok(Approach { at, moved: false });
    }
    let moved = async {
        // An element out of view gets scrolled, so its current position is of no use.
        let middle = in_view(aim.bounds, viewport)?;
        tab.call(mouse(DispatchMouseEventType::MouseMoved, middle)).await.ok().map(|_| middle)
    };
    let (moved, point) = futures_util::future::join(moved, ready(tab, eid)).await;
    let point = point?;
    let near = |at: &Point| (at.x - point.x).abs() <= 1.0 && (at.y - point.y).abs() <= 1.0;
    Ok(match moved.filter(near) {
        Some(at) => Approach { at, moved: true },
        None => Approach { at: point, moved: false },
    })
}

/// Moves the mouse over the element once it stands still.
pub async fn hover(tab: &Tab, eid: u32) -> Result<(), PageError> {
    let at = ready(tab, eid).await?;
    tab.call(mouse(DispatchMouseEventType::MouseMoved, at)).await.map(|_| ())
}

/// Clicks once with the left button.
pub async fn click_on(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<(), PageError> {
    click(tab, approach(tab, eid, viewport).await?, Button::Left, 1).await
}

/// Presses and releases the button `count` times, one to three.
pub async fn click(
    tab: &Tab,
    Approach { at, moved }: Approach,
    button: Button,
    count: u32,
) -> Result<(), PageError> {
    let mut events = Vec::new();
    if !moved {
        events.push(mouse(DispatchMouseEventType::MouseMoved, at));
    }
    for nth in 1..=count.clamp(1, 3) {
        events.push(button_event(DispatchMouseEventType::MousePressed, at, button, nth));
        events.push(button_event(DispatchMouseEventType::MouseReleased, at, button, nth));
    }
    // All events are sent before the first reply is awaited, so that no button can stay down.
    let answers = futures_util::future::join_all(events.into_iter().map(|event| tab.call(event))).await;
    match answers.into_iter().find_map(Result::err) {
        // A click that closes its own tab has succeeded.
        Some(fault) if fault.code != ErrorCode::NoPage => Err(fault),
        Some(_) | None => Ok(()),
    }
}

pub fn mouse(kind: DispatchMouseEventType, at: Point) -> DispatchMouseEventParams {
    DispatchMouseEventParams::new(kind, at.x, at.y)
}

pub fn button_event(
    kind: DispatchMouseEventType,
    at: Point,
    button: Button,
    count: u32,
) -> DispatchMouseEventParams {
    let mut event = mouse(kind, at);
    event.button = Some(cdp_button(button));
    event.click_count = Some(i64::from(count));
    event
}

pub fn cdp_button(button: Button) -> MouseButton {
    match button {
        Button::Left => MouseButton::Left,
        Button::Middle => MouseButton::Middle,
        Button::Right => MouseButton::Right,
    }
}

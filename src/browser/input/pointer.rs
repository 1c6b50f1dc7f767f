//! The mouse: clicks at points where the element can be hit, also in frames.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::{FrameTransform, Point};
use crate::browser::input::isolation;
use crate::browser::input::keyboard::HeldKeys;
use crate::browser::page::frames::frame_tree::frame_gone_error;
use crate::browser::page::tab::Tab;
use crate::turn::page_input::mouse::{Button, ClickInput};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, MouseButton,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Time limit for an animation frame; a page that is busy or not displayed has none for longer.
const LONGEST_FRAME: Duration = Duration::from_millis(100);
/// Time in milliseconds that an element may take to stand still and be uncovered.
const READY_MS: u64 = 2000;

/// Returns the middle of an element, if it is in view.
pub async fn find_middle(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<Option<Point>, PageError> {
    let frame_tab = tab.frame_of_element(eid);
    let aim: AimReply = frame_tab.call_script(&format!("aim({eid})")).await?;
    Ok(in_view(tab.to_page_coordinates(&frame_tab, aim.bounds).await?, viewport))
}

fn in_view([x, y, width, height]: [f64; 4], viewport: (u32, u32)) -> Option<Point> {
    let middle = Point { x: (x + width / 2.0).round(), y: (y + height / 2.0).round() };
    let (right, bottom) = (f64::from(viewport.0), f64::from(viewport.1));
    let is_seen = (0.0..right).contains(&middle.x) && (0.0..bottom).contains(&middle.y);
    (is_seen && width >= 1.0 && height >= 1.0).then_some(middle)
}

/// Scrolls the element into view and waits until it stands still and can be hit.
pub async fn wait_until_ready(tab: &Tab, eid: u32) -> Result<Point, PageError> {
    wait_until_ready_within(tab, &tab.frame_of_element(eid), eid, READY_MS).await
}

/// Like [`wait_until_ready`], for a press that comes next: it is suppressed if it would reach another control
/// (`injected/act/press_guard.js`).
async fn wait_until_ready_to_press(tab: &Tab, eid: u32) -> Result<Point, PageError> {
    wait_for_point(tab, &tab.frame_of_element(eid), eid, ReadyOptions { max_ms: READY_MS, press: true }).await
}

/// Like [`wait_until_ready`], within `max_ms` milliseconds. `frame_tab` is the page or frame that holds the element
/// (`Tab::frame_of_element`).
pub async fn wait_until_ready_within(
    tab: &Tab,
    frame_tab: &Tab,
    eid: u32,
    max_ms: u64,
) -> Result<Point, PageError> {
    wait_for_point(tab, frame_tab, eid, ReadyOptions { max_ms, press: false }).await
}

#[derive(Clone, Copy, Debug)]
struct ReadyOptions {
    max_ms: u64,
    /// True if the element is about to be pressed.
    press: bool,
}

async fn wait_for_point(
    tab: &Tab,
    frame_tab: &Tab,
    eid: u32,
    options: ReadyOptions,
) -> Result<Point, PageError> {
    if frame_tab.is_frame() {
        return wait_for_point_in_frame(tab, frame_tab, eid, options).await;
    }
    let ReadyOptions { max_ms, press } = options;
    frame_tab.call_script(&format!("ready({eid}, {{maxMs: {max_ms}, press: {press}}})")).await
}

/// Point to act on, and whether the mouse was already moved there.
#[derive(Clone, Copy, Debug)]
struct Approach {
    at: Point,
    moved: bool,
}

#[derive(Debug, Deserialize)]
struct AimReply {
    #[serde(rename = "box")]
    bounds: [f64; 4],
    point: Option<Point>,
}

/// Finds the point to act on. An element that has not moved since it was last measured has it at once. For
/// others, the mouse moves there while the element gets ready, as a person's does: the frame that proves the
/// element still is the one in which it receives the mouse event.
async fn approach(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<Approach, PageError> {
    let frame_tab = tab.frame_of_element(eid);
    if frame_tab.is_frame() {
        return Ok(Approach { at: wait_until_ready_to_press(tab, eid).await?, moved: false });
    }
    let aim: AimReply = frame_tab.call_script(&format!("aim({eid}, {{press: true}})")).await?;
    if let Some(at) = aim.point {
        return Ok(Approach { at, moved: false });
    }
    let moved = async {
        // An element out of view gets scrolled, so its current position is of no use.
        let middle = in_view(aim.bounds, viewport)?;
        tab.call(mouse(DispatchMouseEventType::MouseMoved, middle)).await.ok().map(|_| middle)
    };
    let (moved, point) = futures_util::future::join(moved, wait_until_ready_to_press(tab, eid)).await;
    let point = point?;
    let is_near = |at: Point| (at.x - point.x).abs() <= 1.0 && (at.y - point.y).abs() <= 1.0;
    match moved {
        Some(at) if is_near(at) => Ok(Approach { at, moved: true }),
        Some(_) => {
            // The page received a move to another point and may attribute a press to it until the next frame.
            tab.call(mouse(DispatchMouseEventType::MouseMoved, point)).await?;
            let next_frame =
                tab.run::<Value>("new Promise((done) => requestAnimationFrame(() => done(null)))");
            let _ = tokio::time::timeout(LONGEST_FRAME, next_frame).await;
            Ok(Approach { at: point, moved: true })
        }
        None => Ok(Approach { at: point, moved: false }),
    }
}

/// Moves the mouse over the element once it stands still.
pub async fn hover(tab: &Tab, eid: u32) -> Result<(), PageError> {
    let at = wait_until_ready(tab, eid).await?;
    tab.call(mouse(DispatchMouseEventType::MouseMoved, at)).await.map(|_| ())
}

/// Presses and releases the button on the element.
pub async fn click(tab: &Tab, eid: u32, viewport: (u32, u32), input: &ClickInput) -> Result<(), PageError> {
    click_approached(tab, approach(tab, eid, viewport).await?, input).await
}

/// Like [`click`], and frames of other sites do not receive the press. They are shut while the pointer approaches the
/// element, which they may notice.
pub async fn click_isolated(
    tab: &Tab,
    eid: u32,
    viewport: (u32, u32),
    input: &ClickInput,
) -> Result<(), PageError> {
    let target = tab.frame_of_element(eid);
    // Boxed, since it is large.
    let find = async || Box::pin(approach(tab, eid, viewport)).await;
    let press = async |approach| click_approached(tab, approach, input).await;
    isolation::send_isolated_after(tab, std::slice::from_ref(&target), "the click", find, press).await
}

async fn click_approached(
    tab: &Tab,
    Approach { at, moved }: Approach,
    input: &ClickInput,
) -> Result<(), PageError> {
    let before = (!moved).then(|| mouse(DispatchMouseEventType::MouseMoved, at));
    click_at(tab, at, before, input).await
}

/// Presses and releases the button at a point, after the event `before`.
pub async fn click_at(
    tab: &Tab,
    at: Point,
    before: Option<DispatchMouseEventParams>,
    input: &ClickInput,
) -> Result<(), PageError> {
    let keys = HeldKeys::hold(tab, &input.modifiers).await?;
    let count = input.count.clamp(1, 3);
    let mut events = Vec::from_iter(before);
    for nth in 1..=count {
        events.push(button_event(DispatchMouseEventType::MousePressed, at, input.button, nth));
        events.push(button_event(DispatchMouseEventType::MouseReleased, at, input.button, nth));
    }
    for event in &mut events {
        event.modifiers = Some(keys.bits).filter(|bits| *bits != 0);
    }
    let hold = Duration::from_millis(u64::from(input.hold_ms));
    if hold.is_zero() {
        return send_all(tab, events).await;
    }
    let held = HeldButton { tab, release: events.pop() };
    send_all(tab, events).await?;
    tokio::time::sleep(hold).await;
    held.release().await
}

/// Sends all events before the first reply is awaited, so that no button can stay down.
async fn send_all(tab: &Tab, events: Vec<DispatchMouseEventParams>) -> Result<(), PageError> {
    let answers = futures_util::future::join_all(events.into_iter().map(|event| tab.call(event))).await;
    match answers.into_iter().find_map(Result::err) {
        // A click that closes its own tab has succeeded.
        Some(fault) if fault.code != ErrorCode::NoPage => Err(fault),
        Some(_) | None => Ok(()),
    }
}

/// Button that is held down. Dropping it releases the button.
struct HeldButton<'a> {
    tab: &'a Tab,
    release: Option<DispatchMouseEventParams>,
}

impl HeldButton<'_> {
    async fn release(mut self) -> Result<(), PageError> {
        send_all(self.tab, Vec::from_iter(self.release.take())).await
    }
}

impl Drop for HeldButton<'_> {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            self.tab.session.post(release);
        }
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

/// Number of tries: a fixed bar may cover the frame at first, and movement may end.
const TRIES: u32 = 3;

/// A frame in the document around it, and its visible part.
#[derive(Debug, Deserialize)]
struct FramePart {
    #[serde(flatten)]
    transform: FrameTransform,
    #[serde(rename = "part")]
    visible_rect: Value,
}

/// Waits until the element stands still and can be hit. Returns the point in page coordinates. `frame_tab` is its
/// frame.
async fn wait_for_point_in_frame(
    page: &Tab,
    frame_tab: &Tab,
    eid: u32,
    options: ReadyOptions,
) -> Result<Point, PageError> {
    let mut tries = TRIES;
    let mut centre = false;
    loop {
        tries -= 1;
        match attempt(page, frame_tab, eid, options, centre).await {
            Ok(None) if tries == 0 => {
                return Err(PageError::new(
                    ErrorCode::Moving,
                    "the frame does not stop moving; wait and look again",
                ));
            }
            Err(fault) if fault.code == ErrorCode::Covered && tries > 0 && !centre => centre = true,
            Ok(None) => {}
            Ok(Some(point)) => return Ok(point),
            Err(fault) => return Err(fault),
        }
    }
}

/// Makes one try. Returns `None` if a frame moved meanwhile.
async fn attempt(
    page: &Tab,
    frame_tab: &Tab,
    eid: u32,
    ReadyOptions { max_ms, press }: ReadyOptions,
    centre: bool,
) -> Result<Option<Point>, PageError> {
    let chain = page.chain(frame_tab);
    let mut bounds: [f64; 4] = frame_tab.call_script(&format!("bringIn({eid})")).await?;
    for (frame, parent_tab) in &chain {
        let call = format!("revealInFrame({}, {bounds:?}, {centre})", frame.owner);
        let transform: FrameTransform = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        bounds = transform.bounds(bounds);
    }
    let mut visible_rect = Value::Null;
    let mut to_page = FrameTransform::OWN;
    for (frame, parent_tab) in chain.iter().rev() {
        let call = format!("partOfFrame({}, {visible_rect})", frame.owner);
        let part: FramePart = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        (to_page, visible_rect) = (to_page.compose(&part.transform), part.visible_rect);
    }
    let call =
        format!("ready({eid}, {{scroll: false, maxMs: {max_ms}, part: {visible_rect}, press: {press}}})");
    let point: Point = frame_tab.call_script(&call).await?;
    let mut page_point = point;
    for (frame, parent_tab) in &chain {
        let call = format!("meetsFrame({}, {}, {})", frame.owner, page_point.x, page_point.y);
        let transform: FrameTransform = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        page_point = transform.point(page_point);
    }
    let is_still = page_point.distance(to_page.point(point)) < 1.0;
    Ok(is_still.then_some(page_point))
}

/// Converts the error: when the element that shows the frame is gone, so is the frame.
fn owner_gone(fault: PageError) -> PageError {
    if fault.code == ErrorCode::DeadEid { frame_gone_error() } else { fault }
}

//! The mouse: clicks and drags at points where the element can be hit, also in frames.

use crate::browser::cdp::message::{CdpEvents, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::{FrameTransform, Point};
use crate::browser::page::frames::frame_tree::frame_gone_error;
use crate::browser::page::tab::Tab;
use crate::turn::action::Button;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, MouseButton, SetInterceptDragsParams,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

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

/// Like [`wait_until_ready`], within `max_ms` milliseconds. `frame_tab` is the page or frame that holds the element
/// (`Tab::frame_of_element`).
pub async fn wait_until_ready_within(
    tab: &Tab,
    frame_tab: &Tab,
    eid: u32,
    max_ms: u64,
) -> Result<Point, PageError> {
    if frame_tab.is_frame() {
        return wait_until_ready_in_frame(tab, frame_tab, eid, max_ms).await;
    }
    frame_tab.call_script(&format!("ready({eid}, {{scroll: true, maxMs: {max_ms}}})")).await
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
async fn find_point(tab: &Tab, eid: u32, viewport: (u32, u32)) -> Result<Approach, PageError> {
    let frame_tab = tab.frame_of_element(eid);
    if frame_tab.is_frame() {
        return Ok(Approach { at: wait_until_ready(tab, eid).await?, moved: false });
    }
    let aim: AimReply = frame_tab.call_script(&format!("aim({eid})")).await?;
    if let Some(at) = aim.point {
        return Ok(Approach { at, moved: false });
    }
    let moved = async {
        // An element out of view gets scrolled, so its current position is of no use.
        let middle = in_view(aim.bounds, viewport)?;
        tab.call(mouse(DispatchMouseEventType::MouseMoved, middle)).await.ok().map(|_| middle)
    };
    let (moved, point) = futures_util::future::join(moved, wait_until_ready(tab, eid)).await;
    let point = point?;
    let near = |at: &Point| (at.x - point.x).abs() <= 1.0 && (at.y - point.y).abs() <= 1.0;
    Ok(match moved.filter(near) {
        Some(at) => Approach { at, moved: true },
        None => Approach { at: point, moved: false },
    })
}

/// Moves the mouse over the element once it stands still.
pub async fn hover(tab: &Tab, eid: u32) -> Result<(), PageError> {
    let at = wait_until_ready(tab, eid).await?;
    tab.call(mouse(DispatchMouseEventType::MouseMoved, at)).await.map(|_| ())
}

/// Presses and releases the button on the element, `count` times, one to three.
pub async fn click(
    tab: &Tab,
    eid: u32,
    viewport: (u32, u32),
    button: Button,
    count: u32,
) -> Result<(), PageError> {
    let Approach { at, moved } = find_point(tab, eid, viewport).await?;
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

/// Number of tries: a fixed bar may cover the frame at first, and movement may end.
const TRIES: u32 = 3;

/// A frame in the document around it, and its visible part.
#[derive(Debug, Deserialize)]
struct FramePart {
    #[serde(flatten)]
    place: FrameTransform,
    part: Value,
}

/// Waits until the element stands still and can be hit. Returns the point in page coordinates. `frame_tab` is its
/// frame.
async fn wait_until_ready_in_frame(
    page: &Tab,
    frame_tab: &Tab,
    eid: u32,
    max_ms: u64,
) -> Result<Point, PageError> {
    let mut tries = TRIES;
    let mut centre = false;
    loop {
        tries -= 1;
        match attempt(page, frame_tab, eid, max_ms, centre).await {
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
    max_ms: u64,
    centre: bool,
) -> Result<Option<Point>, PageError> {
    let chain = page.chain(frame_tab);
    let mut bounds: [f64; 4] = frame_tab.call_script(&format!("bringIn({eid})")).await?;
    for (frame, parent_tab) in &chain {
        let call = format!("revealInFrame({}, {bounds:?}, {centre})", frame.owner);
        let transform: FrameTransform = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        bounds = transform.bounds(bounds);
    }
    let mut part = Value::Null;
    let mut all = FrameTransform::OWN;
    for (frame, parent_tab) in chain.iter().rev() {
        let call = format!("partOfFrame({}, {part})", frame.owner);
        let visible: FramePart = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        (all, part) = (all.compose(&visible.place), visible.part);
    }
    let call = format!("ready({eid}, {{scroll: false, maxMs: {max_ms}, part: {part}}})");
    let point: Point = frame_tab.call_script(&call).await?;
    let mut met = point;
    for (frame, parent_tab) in &chain {
        let call = format!("meetsFrame({}, {}, {})", frame.owner, met.x, met.y);
        let transform: FrameTransform = parent_tab.call_script(&call).await.map_err(owner_gone)?;
        met = transform.point(met);
    }
    let stands = met.distance(all.point(point)) < 1.0;
    Ok(stands.then_some(met))
}

/// Converts the error: when the element that shows the frame is gone, so is the frame.
fn owner_gone(fault: PageError) -> PageError {
    if fault.code == ErrorCode::DeadEid { frame_gone_error() } else { fault }
}

/// Distances of the first steps in CSS pixels. The last exceeds every page's tolerance for an unsteady click.
const FIRST: [f64; 3] = [4.0, 9.0, 14.0];

/// CSS pixels between two mouse moves. `MOST_MOVES` limits their number.
const DRAG_STEP_PX: f64 = 20.0;

const MOST_MOVES: f64 = 24.0;

/// Time that Chromium may take to report a native drag that began.
const DRAG_REPORT_TIMEOUT: Duration = Duration::from_secs(2);

/// Drags element `from` onto element `to`. If the future is dropped at any moment, the mouse button is
/// released.
pub async fn drag(tab: &Tab, from: u32, to: u32, viewport: (u32, u32)) -> Result<(), PageError> {
    wait_until_ready(tab, to).await?;
    let start = wait_until_ready(tab, from).await?;
    let seen = find_middle(tab, to, viewport).await?;
    for eid in [from, to] {
        tab.frame_of_element(eid).call_script::<bool>(&format!("watchDrag({eid})")).await?;
    }
    let mut events = tab.session.listen();
    tab.call(SetInterceptDragsParams::new(true)).await?;
    let mut hand = DragInProgress { tab, at: start, drag: None };
    tab.call(mouse(DispatchMouseEventType::MouseMoved, start)).await?;
    tab.call(pressed_event(DispatchMouseEventType::MousePressed, start)).await?;
    let toward = seen.unwrap_or(Point { x: start.x, y: start.y + DRAG_STEP_PX });
    for step in FIRST {
        hand.move_to(toward.point_towards(start, step)).await?;
        if hand.drag.is_none()
            && tab.frame_of_element(from).call_script::<bool>(&format!("dragBegan({from})")).await?
        {
            hand.drag = Some(wait_for_drag_data(&mut events).await?);
            hand.dispatch_drag("dragEnter").await?;
        }
    }
    let end = match seen {
        Some(end) => end,
        // The target cannot be in view together with the source, so the page is scrolled while the button is
        // held.
        None => wait_until_ready(tab, to).await?,
    };
    hand.drag_to(end).await?;
    let native = hand.drag.is_some();
    hand.release().await?;
    if native && !tab.frame_of_element(to).call_script::<bool>(&format!("dropTaken({to})")).await? {
        let message = format!("[{to}] does not take what is dropped on it; drop it on another element");
        return Err(PageError::new(ErrorCode::NotTaken, message));
    }
    Ok(())
}

/// Waits for Chromium to report the data of the native drag.
async fn wait_for_drag_data(events: &mut CdpEvents) -> Result<Value, PageError> {
    let received = async {
        while let Some(event) = events.recv().await {
            if event.method == "Input.dragIntercepted" {
                return event.params.get("data").cloned();
            }
        }
        None
    };
    let received = tokio::time::timeout(DRAG_REPORT_TIMEOUT, received).await.ok().flatten();
    received.ok_or_else(|| PageError::slow("the drag that began", DRAG_REPORT_TIMEOUT))
}

/// Drag in progress, by mouse events or as a native drag with `drag` data. Dropping it releases the button.
struct DragInProgress<'a> {
    tab: &'a Tab,
    at: Point,
    drag: Option<Value>,
}

impl DragInProgress<'_> {
    async fn move_to(&mut self, to: Point) -> Result<(), PageError> {
        self.at = to;
        if self.drag.is_some() {
            return self.dispatch_drag("dragOver").await;
        }
        self.tab.call(pressed_event(DispatchMouseEventType::MouseMoved, to)).await.map(|_| ())
    }

    async fn dispatch_drag(&self, kind: &str) -> Result<(), PageError> {
        let Some(data) = &self.drag else { return Ok(()) };
        self.tab.call(drag_event(kind, self.at, data)).await.map(|_| ())
    }

    /// Moves in strides, with a small movement at the end: some pages only react to the second move over the
    /// target.
    async fn drag_to(&mut self, end: Point) -> Result<(), PageError> {
        let start = self.at;
        let moves = (start.distance(end) / DRAG_STEP_PX).ceil().clamp(2.0, MOST_MOVES);
        let mut done = 1.0;
        while done <= moves {
            self.move_to(end.point_towards(start, start.distance(end) * done / moves)).await?;
            done += 1.0;
        }
        self.move_to(Point { x: end.x + 1.0, ..end }).await?;
        self.move_to(end).await
    }

    async fn release(mut self) -> Result<(), PageError> {
        let result = match self.drag.is_some() {
            true => self.dispatch_drag("drop").await,
            false => {
                self.tab.call(pressed_event(DispatchMouseEventType::MouseReleased, self.at)).await.map(|_| ())
            }
        };
        self.drag = None;
        match result {
            // A drop that closes its own tab has succeeded.
            Err(fault) if fault.code != ErrorCode::NoPage => Err(fault),
            Err(_) | Ok(()) => Ok(()),
        }
    }
}

impl Drop for DragInProgress<'_> {
    fn drop(&mut self) {
        if let Some(data) = self.drag.take() {
            self.tab.session.post(drag_event("dragCancel", self.at, &data));
        }
        // A second release does no harm.
        self.tab.session.post(pressed_event(DispatchMouseEventType::MouseReleased, self.at));
        self.tab.session.post(SetInterceptDragsParams::new(false));
    }
}

fn pressed_event(kind: DispatchMouseEventType, at: Point) -> DispatchMouseEventParams {
    let mut event = button_event(kind, at, Button::Left, 1);
    event.buttons = Some(1);
    event
}

/// Builds the raw command, because the typed one of `chromiumoxide` omits empty lists in the data.
fn drag_event(kind: &str, Point { x, y }: Point, data: &Value) -> RawCommand {
    RawCommand::new("Input.dispatchDragEvent", json!({"type": kind, "x": x, "y": y, "data": data}))
}

//! Dragging one element onto another with the mouse. The first steps show whether the browser's native drag
//! and drop has begun or the page moves the element itself; the rest of the drag follows that.

use super::point::Point;
use super::pointer;
use crate::browser::cdp_message::{CdpEvents, RawCommand};
use crate::browser::fault::{ErrorCode, PageError};
use crate::browser::tab::Tab;
use crate::turn::action::Button;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, SetInterceptDragsParams,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Distances of the first steps in CSS pixels. The last exceeds every page's tolerance for an unsteady click.
const FIRST: [f64; 3] = [4.0, 9.0, 14.0];
/// CSS pixels between two mouse moves. `MOST_MOVES` limits their number.
const STRIDE: f64 = 20.0;
const MOST_MOVES: f64 = 24.0;
/// Time that Chromium may take to report a native drag that began.
const TOLD: Duration = Duration::from_secs(2);

/// Drags element `from` onto element `to`. If the future is dropped at any moment, the mouse button is
/// released.
pub async fn drag(tab: &Tab, from: u32, to: u32, viewport: (u32, u32)) -> Result<(), PageError> {
    pointer::ready(tab, to).await?;
    let start = pointer::ready(tab, from).await?;
    let seen = pointer::middle(tab, to, viewport).await?;
    for eid in [from, to] {
        tab.frame_of_element(eid).call_script::<bool>(&format!("watchDrag({eid})")).await?;
    }
    let mut events = tab.listen();
    tab.call(SetInterceptDragsParams::new(true)).await?;
    let mut hand = DragInProgress { tab, at: start, drag: None };
    tab.call(pointer::mouse(DispatchMouseEventType::MouseMoved, start)).await?;
    tab.call(pressed(DispatchMouseEventType::MousePressed, start)).await?;
    let toward = seen.unwrap_or(Point { x: start.x, y: start.y + STRIDE });
    for step in FIRST {
        hand.travel(toward.point_towards(start, step)).await?;
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
        None => pointer::ready(tab, to).await?,
    };
    hand.carry(end).await?;
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
    let heard = async {
        while let Some(event) = events.recv().await {
            if event.method == "Input.dragIntercepted" {
                return event.params.get("data").cloned();
            }
        }
        None
    };
    let heard = tokio::time::timeout(TOLD, heard).await.ok().flatten();
    heard.ok_or_else(|| PageError::slow("the drag that began", TOLD))
}

/// Drag in progress, by mouse events or as a native drag with `drag` data. Dropping it releases the button.
struct DragInProgress<'a> {
    tab: &'a Tab,
    at: Point,
    drag: Option<Value>,
}

impl DragInProgress<'_> {
    async fn travel(&mut self, to: Point) -> Result<(), PageError> {
        self.at = to;
        if self.drag.is_some() {
            return self.dispatch_drag("dragOver").await;
        }
        self.tab.call(pressed(DispatchMouseEventType::MouseMoved, to)).await.map(|_| ())
    }

    async fn dispatch_drag(&self, kind: &str) -> Result<(), PageError> {
        let Some(data) = &self.drag else { return Ok(()) };
        self.tab.call(drag_event(kind, self.at, data)).await.map(|_| ())
    }

    /// Moves in strides, with a small movement at the end: some pages only react to the second move over the
    /// target.
    async fn carry(&mut self, end: Point) -> Result<(), PageError> {
        let start = self.at;
        let moves = (start.distance(end) / STRIDE).ceil().clamp(2.0, MOST_MOVES);
        let mut done = 1.0;
        while done <= moves {
            self.travel(end.point_towards(start, start.distance(end) * done / moves)).await?;
            done += 1.0;
        }
        self.travel(Point { x: end.x + 1.0, ..end }).await?;
        self.travel(end).await
    }

    async fn release(mut self) -> Result<(), PageError> {
        let result = match self.drag.is_some() {
            true => self.dispatch_drag("drop").await,
            false => self.tab.call(pressed(DispatchMouseEventType::MouseReleased, self.at)).await.map(|_| ()),
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
        self.tab.session.post(pressed(DispatchMouseEventType::MouseReleased, self.at));
        self.tab.session.post(SetInterceptDragsParams::new(false));
    }
}

fn pressed(kind: DispatchMouseEventType, at: Point) -> DispatchMouseEventParams {
    let mut event = pointer::button_event(kind, at, Button::Left, 1);
    event.buttons = Some(1);
    event
}

/// Builds the raw command, because the typed one of `chromiumoxide` omits empty lists in the data.
fn drag_event(kind: &str, Point { x, y }: Point, data: &Value) -> RawCommand {
    RawCommand::new("Input.dispatchDragEvent", json!({"type": kind, "x": x, "y": y, "data": data}))
}

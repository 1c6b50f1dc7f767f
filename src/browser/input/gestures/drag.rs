//! Drags with the mouse, which pages follow by pointer events or as native drags.

use crate::browser::cdp::message::{CdpEvents, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Point;
use crate::browser::input::gestures::page_change::PageChange;
use crate::browser::input::pointer::{button_event, find_middle, mouse, wait_until_ready};
use crate::browser::page::tab::Tab;
use crate::turn::page_input::mouse::Button;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventType, SetInterceptDragsParams,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Times for which the button is held before the first move. Some pages begin a drag only after a delay, and give it up
/// if the pointer moves before. The second applies to the retry after a drag that moved nothing.
const HOLDS: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1100)];

/// Distances of the first steps in CSS pixels. The last exceeds every page's tolerance for an unsteady click.
const FIRST: [f64; 3] = [4.0, 9.0, 14.0];

/// CSS pixels between two mouse moves. `MOST_MOVES` limits their number.
const DRAG_STEP_PX: f64 = 20.0;

const MOST_MOVES: f64 = 24.0;

/// Time that Chromium may take to report a native drag that began.
const DRAG_REPORT_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of times that the pointer rests and moves once more before the button is released.
const RESTS: u32 = 2;

/// Drags element `from` onto element `to`. Fails if nothing on the page moved. If the future is dropped at any moment,
/// the mouse button is released.
pub async fn drag(tab: &Tab, from: u32, to: u32, viewport: (u32, u32)) -> Result<(), PageError> {
    for hold in HOLDS {
        let change = PageChange::watch(tab).await?;
        // A native drag that the target accepted is done, even if nothing shows it.
        let accepted = drag_once(tab, (from, to), viewport, hold).await?;
        if accepted || change.has_happened(&[from, to]).await {
            return Ok(());
        }
    }
    let message = format!(
        "[{from}] was dragged onto [{to}], and nothing moved; look whether it has a handle of its own, or use keys or \
         its menu"
    );
    Err(PageError::new(ErrorCode::NoEffect, message))
}

/// Makes one try. Returns true if it was a native drag, which the target accepted.
async fn drag_once(
    tab: &Tab,
    (from, to): (u32, u32),
    viewport: (u32, u32),
    hold: Duration,
) -> Result<bool, PageError> {
    wait_until_ready(tab, to).await?;
    let start = wait_until_ready(tab, from).await?;
    let seen = find_drop_point(tab, (from, to), viewport).await?;
    for eid in [from, to] {
        tab.frame_of_element(eid).call_script::<bool>(&format!("watchDrag({eid})")).await?;
    }
    let source = tab.frame_of_element(from);
    let waits: bool = source.call_script(&format!("dragMayWait({from})")).await?;
    let mut events = tab.session.listen();
    let _interception = DragInterception::begin(tab).await?;
    let mut drag = DragInProgress::press(tab, start).await?;
    if waits {
        tokio::time::sleep(hold).await;
    }
    let toward = seen.unwrap_or(Point { x: start.x, y: start.y + DRAG_STEP_PX });
    for step in FIRST {
        drag.move_to(toward.point_towards(start, step)).await?;
        if drag.native_data.is_none() && source.call_script::<bool>(&format!("dragBegan({from})")).await? {
            drag.native_data = Some(wait_for_drag_data(&mut events).await?);
            drag.dispatch_drag("dragEnter").await?;
        }
    }
    let end = match seen {
        Some(end) => end,
        // The target cannot be in view together with the source, so the page is scrolled while the button is
        // held.
        None => wait_until_ready(tab, to).await?,
    };
    drag.drag_onto(to, end, viewport).await?;
    let native = drag.native_data.is_some();
    drag.release().await?;
    check_drop(tab, to, native).await?;
    Ok(native)
}

/// Returns the point on which to drop, if the target is in view: its middle, or the side of it that stands for its place
/// among items of its kind.
async fn find_drop_point(
    tab: &Tab,
    (from, to): (u32, u32),
    viewport: (u32, u32),
) -> Result<Option<Point>, PageError> {
    let Some(middle) = find_middle(tab, to, viewport).await? else { return Ok(None) };
    let frame_tab = tab.frame_of_element(to);
    let [right, down]: [f64; 2] = frame_tab.call_script(&format!("dropShift({from}, {to})")).await?;
    Ok(Some(Point { x: middle.x + right, y: middle.y + down }))
}

/// Fails if a native drag was dropped where nothing takes it.
async fn check_drop(tab: &Tab, to: u32, native: bool) -> Result<(), PageError> {
    if native && !tab.frame_of_element(to).call_script::<bool>(&format!("dropTaken({to})")).await? {
        let message = format!("[{to}] does not take what is dropped on it; drop it on another element");
        return Err(PageError::new(ErrorCode::NotTaken, message));
    }
    Ok(())
}

/// Drags from one point to another, with mouse events only.
pub async fn drag_between(tab: &Tab, from: Point, to: Point) -> Result<(), PageError> {
    let mut drag = DragInProgress::press(tab, from).await?;
    tokio::time::sleep(HOLDS[0]).await;
    for step in FIRST {
        drag.move_to(to.point_towards(from, step.min(from.distance(to)))).await?;
    }
    drag.drag_to(to).await?;
    drag.release().await
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

/// Drag in progress, by mouse events or, with `native_data`, as a native drag. Dropping it releases the button.
pub(super) struct DragInProgress<'a> {
    tab: &'a Tab,
    at: Point,
    native_data: Option<Value>,
    is_down: bool,
}

impl<'a> DragInProgress<'a> {
    pub async fn press(tab: &'a Tab, start: Point) -> Result<Self, PageError> {
        let drag = Self { tab, at: start, native_data: None, is_down: true };
        tab.call(mouse(DispatchMouseEventType::MouseMoved, start)).await?;
        tab.call(pressed_event(DispatchMouseEventType::MousePressed, start)).await?;
        Ok(drag)
    }

    pub async fn move_to(&mut self, to: Point) -> Result<(), PageError> {
        self.at = to;
        if self.native_data.is_some() {
            return self.dispatch_drag("dragOver").await;
        }
        self.tab.call(pressed_event(DispatchMouseEventType::MouseMoved, to)).await.map(|_| ())
    }

    async fn dispatch_drag(&self, kind: &str) -> Result<(), PageError> {
        let Some(data) = &self.native_data else { return Ok(()) };
        self.tab.call(drag_event(kind, self.at, data)).await.map(|_| ())
    }

    /// Moves in strides, with a small movement at the end: some pages only react to the second move over the
    /// target.
    pub async fn drag_to(&mut self, end: Point) -> Result<(), PageError> {
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

    /// Moves onto the target and rests there. Pages that take the dragged element out of its list move the target: where
    /// it takes no drop, it is followed once.
    async fn drag_onto(&mut self, to: u32, end: Point, viewport: (u32, u32)) -> Result<(), PageError> {
        let frame_tab = self.tab.frame_of_element(to);
        self.drag_to(end).await?;
        self.rest(&frame_tab, end).await?;
        if self.native_data.is_none() || frame_tab.call_script::<bool>(&format!("takesDrop({to})")).await? {
            return Ok(());
        }
        match find_middle(self.tab, to, viewport).await? {
            Some(moved) => {
                self.drag_to(moved).await?;
                self.rest(&frame_tab, moved).await
            }
            None => Ok(()),
        }
    }

    /// Rests over the target until the page is still, and moves once more: libraries that sort ignore what comes shortly
    /// after each change, and while items glide to their places.
    async fn rest(&mut self, frame_tab: &Tab, end: Point) -> Result<(), PageError> {
        for _ in 0..RESTS {
            frame_tab.call_script::<bool>("awaitRest()").await?;
            self.move_to(Point { x: end.x + 1.0, ..end }).await?;
            self.move_to(end).await?;
        }
        Ok(())
    }

    pub async fn release(mut self) -> Result<(), PageError> {
        let result = match self.native_data.is_some() {
            // The button stays down in a native drag, and is released when this is dropped.
            true => self.dispatch_drag("drop").await,
            false => {
                let released = pressed_event(DispatchMouseEventType::MouseReleased, self.at);
                let result = self.tab.call(released).await.map(|_| ());
                self.is_down = false;
                result
            }
        };
        self.native_data = None;
        match result {
            // A drop that closes its own tab has succeeded.
            Err(fault) if fault.code != ErrorCode::NoPage => Err(fault),
            Err(_) | Ok(()) => Ok(()),
        }
    }
}

impl Drop for DragInProgress<'_> {
    fn drop(&mut self) {
        if let Some(data) = self.native_data.take() {
            self.tab.session.post(drag_event("dragCancel", self.at, &data));
        }
        if self.is_down {
            self.tab.session.post(pressed_event(DispatchMouseEventType::MouseReleased, self.at));
        }
    }
}

/// Interception of native drags: Chromium reports their data in place of starting them. Dropping it ends the
/// interception.
struct DragInterception<'a>(&'a Tab);

impl<'a> DragInterception<'a> {
    async fn begin(tab: &'a Tab) -> Result<Self, PageError> {
        let interception = Self(tab);
        tab.call(SetInterceptDragsParams::new(true)).await?;
        Ok(interception)
    }
}

impl Drop for DragInterception<'_> {
    fn drop(&mut self) {
        self.0.session.post(SetInterceptDragsParams::new(false));
    }
}

fn pressed_event(kind: DispatchMouseEventType, at: Point) -> DispatchMouseEventParams {
    let mut event = button_event(kind, at, Button::Left, 1);
    event.buttons = Some(1);
    event
}

/// Builds the raw command, because the typed one of `chromiumoxide` omits empty lists in the data.
pub(in crate::browser::input) fn drag_event(kind: &str, Point { x, y }: Point, data: &Value) -> RawCommand {
    RawCommand::new("Input.dispatchDragEvent", json!({"type": kind, "x": x, "y": y, "data": data}))
}

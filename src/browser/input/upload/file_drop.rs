//! Dropping files on an element, with the events of a person who drags them in from outside.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Point;
use crate::browser::input::gestures::drag::drag_event;
use crate::browser::input::pointer;
use crate::browser::page::tab::Tab;
use serde_json::{Value, json};

/// Drag operation that pages are offered: copying.
const COPY: u32 = 1;

/// Drag of files over the page. Dropping it ends the drag.
struct FileDrag<'a> {
    tab: &'a Tab,
    at: Point,
    data: Value,
    is_over: bool,
}

impl FileDrag<'_> {
    async fn dispatch(&self, kind: &str) -> Result<(), PageError> {
        self.tab.call(drag_event(kind, self.at, &self.data)).await.map(|_| ())
    }
}

impl Drop for FileDrag<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        self.tab.session.post(drag_event("dragCancel", self.at, &self.data));
    }
}

/// Drops files on an element. Returns false, and drops nothing, if it does not take them: Chromium would open the file
/// instead.
pub async fn drop_files(tab: &Tab, eid: u32, paths: &[String]) -> Result<bool, PageError> {
    let at = pointer::wait_until_ready(tab, eid).await?;
    let frame_tab = tab.frame_of_element(eid);
    frame_tab.call_script::<bool>(&format!("watchDrag({eid})")).await?;
    let data = json!({"items": [], "files": paths, "dragOperationsMask": COPY});
    let mut drag = FileDrag { tab, at, data, is_over: false };
    for kind in ["dragEnter", "dragOver", "dragOver"] {
        drag.dispatch(kind).await?;
    }
    if !frame_tab.call_script::<bool>(&format!("takesDrop({eid})")).await? {
        frame_tab.call_script::<bool>(&format!("dropTaken({eid})")).await?;
        return Ok(false);
    }
    drag.is_over = true;
    match drag.dispatch("drop").await {
        // A drop that closes its own tab has succeeded.
        Err(fault) if fault.code != ErrorCode::NoPage => Err(fault),
        Err(_) | Ok(()) => Ok(true),
    }
}

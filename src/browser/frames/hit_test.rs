//! Aiming at an element in a frame: scrolls it into view through all ancestor frames, and checks from the
//! page down that nothing covers the frame at the point.

use super::frame_gone_error;
use super::place::FrameTransform;
use crate::browser::act::point::Point;
use crate::browser::fault::{ErrorCode, PageError};
use crate::browser::tab::Tab;
use serde::Deserialize;
use serde_json::Value;

/// Number of tries: a fixed bar may cover the frame at first, and movement may end.
const TRIES: u32 = 3;

/// A frame in the document around it, and its visible part.
#[derive(Debug, Deserialize)]
struct FramePart {
    #[serde(flatten)]
    place: FrameTransform,
    part: Value,
}

/// Waits until the element stands still and can be hit. Returns the point in page coordinates. `there` is its
/// frame.
pub async fn ready(page: &Tab, there: &Tab, eid: u32, max_ms: u64) -> Result<Point, PageError> {
    let mut tries = TRIES;
    let mut centre = false;
    loop {
        tries -= 1;
        match attempt(page, there, eid, max_ms, centre).await {
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
    there: &Tab,
    eid: u32,
    max_ms: u64,
    centre: bool,
) -> Result<Option<Point>, PageError> {
    let chain = page.chain(there);
    let mut bounds: [f64; 4] = there.call_script(&format!("bringIn({eid})")).await?;
    for (frame, around) in &chain {
        let call = format!("revealInFrame({}, {bounds:?}, {centre})", frame.owner);
        let place: FrameTransform = around.call_script(&call).await.map_err(owner_gone)?;
        bounds = place.bounds(bounds);
    }
    let mut part = Value::Null;
    let mut all = FrameTransform::OWN;
    for (frame, around) in chain.iter().rev() {
        let call = format!("partOfFrame({}, {part})", frame.owner);
        let told: FramePart = around.call_script(&call).await.map_err(owner_gone)?;
        (all, part) = (all.compose(&told.place), told.part);
    }
    let call = format!("ready({eid}, {{scroll: false, maxMs: {max_ms}, part: {part}}})");
    let point: Point = there.call_script(&call).await?;
    let mut met = point;
    for (frame, around) in &chain {
        let call = format!("meetsFrame({}, {}, {})", frame.owner, met.x, met.y);
        let place: FrameTransform = around.call_script(&call).await.map_err(owner_gone)?;
        met = place.point(met);
    }
    let stands = met.distance(all.point(point)) < 1.0;
    Ok(stands.then_some(met))
}

/// Converts the error: when the element that shows the frame is gone, so is the frame.
fn owner_gone(fault: PageError) -> PageError {
    if fault.code == ErrorCode::DeadEid { frame_gone_error() } else { fault }
}

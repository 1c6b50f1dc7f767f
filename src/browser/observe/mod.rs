//! Observation: the result of the walker in the page, and the screenshot of the same moment.

pub(crate) mod closed_sheets;
pub mod crop;
mod early_walks;
pub(crate) mod event_listeners;
pub mod frames;
pub mod marks;
pub(crate) mod value_hashes;
pub(crate) mod walker_result;

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Bounds;
use crate::browser::injected::without_nulls;
use crate::browser::observe::frames::WalkTime;
use crate::browser::observe::value_hashes::hash_values;
use crate::browser::observe::walker_result::WalkerResult;
use crate::browser::page::frames::words_place;
use crate::browser::page::tab::{SCREENSHOT_QUALITY, Tab};
use crate::browser::pending_picture::TakenPicture;
use crate::browser::redaction::{motion, paint};
use crate::page::observation::Observation;
use crate::page::target::Target;
use actix_web::web::Bytes;
use futures_util::future::{try_join, try_join3};
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;

pub(in crate::browser) const PAINTED_QUALITY: u8 = 60;
/// Maximum number of tries for a page that keeps changing, after which text and picture may be one frame
/// apart. A page that changed throughout the last observation gets one try.
const TRIES: u32 = 3;

/// Observation before it gets its number.
#[derive(Debug)]
pub(in crate::browser) struct UnnumberedObservation {
    pub observation: Observation,
    pub jpeg: Bytes,
    pub next_eid: u32,
}

/// Text of an observation before it gets its number, with what a picture of the same moment needs.
#[derive(Debug)]
pub(in crate::browser) struct UnnumberedText {
    pub observation: Observation,
    pub next_eid: u32,
    pub secrets: ObservedSecrets,
}

/// Secret fields of an observation, which its picture must not show.
#[derive(Debug)]
pub(in crate::browser) struct ObservedSecrets {
    boxes: Vec<Bounds>,
    /// Width of the viewport, in CSS pixels.
    width: f64,
}

impl ObservedSecrets {
    fn from_walker(result: &WalkerResult) -> Self {
        Self { boxes: result.secrets.clone(), width: result.viewport.0 }
    }
}

/// Observes the page. The screenshot is asked for first, because a script that ran right before delays it by a frame; the
/// walker runs meanwhile. If the page changed between the two, both are repeated. The text has at
/// most `budget` tokens, not counting the elements in the viewport that can be acted on.
pub(in crate::browser) async fn observe(
    tab: &Tab,
    first_eid: u32,
    budget: usize,
) -> Result<UnnumberedObservation, PageError> {
    explain_lost_document(try_observe(tab, first_eid, budget).await)
}

/// Observes the text of the page, without a picture.
pub(in crate::browser) async fn observe_text(
    tab: &Tab,
    first_eid: u32,
    budget: usize,
) -> Result<UnnumberedText, PageError> {
    explain_lost_document(try_observe_text(tab, first_eid, budget).await)
}

/// Observes the text of the page, then its picture with the boxes of the elements in view. If the page changed between
/// them, both are repeated.
pub(in crate::browser) async fn observe_with_boxes(
    tab: &Tab,
    first_eid: u32,
    budget: usize,
) -> Result<(UnnumberedText, TakenPicture), PageError> {
    let (mut next_eid, mut tries) = (first_eid, 0);
    let most = if tab.restless.get() { 1 } else { TRIES };
    loop {
        let text = observe_text(tab, next_eid, budget).await?;
        next_eid = text.next_eid;
        let eids = marks::elements_to_mark(&text.observation);
        let taken = explain_lost_document(take_picture(tab, &text.secrets, &eids).await)?;
        tries += 1;
        if !tab.restless.get() || tries >= most {
            return Ok((text, taken));
        }
    }
}

/// Takes the picture of the observation that was made right before, with the boxes of these elements at its moment. It is
/// a few frames younger than the text.
pub(in crate::browser) async fn take_picture(
    tab: &Tab,
    secrets: &ObservedSecrets,
    eids: &[u32],
) -> Result<TakenPicture, PageError> {
    let before = boxes_or_none(tab, eids).await;
    let jpeg = tab.take_screenshot(SCREENSHOT_QUALITY).await?;
    let ((changed, boxes), after) =
        try_join(tab.check_since_observation(), async { Ok(boxes_or_none(tab, eids).await) }).await?;
    tab.restless.set(changed);
    let jpeg = redact_screenshot(secrets, &boxes, jpeg).await?;
    Ok(TakenPicture { jpeg, boxes: marks::boxes_at_rest(&before, &after) })
}

async fn boxes_or_none(tab: &Tab, eids: &[u32]) -> Vec<(u32, Bounds)> {
    if eids.is_empty() { Vec::new() } else { element_boxes(tab, eids).await.unwrap_or_default() }
}

/// Replaces Chromium's message for a lost document, which would not help the planner.
fn explain_lost_document<T>(result: Result<T, PageError>) -> Result<T, PageError> {
    result.map_err(|fault| match fault.is_lost_document() {
        true => PageError::documents_keep_changing(),
        false => fault,
    })
}

async fn try_observe(tab: &Tab, first_eid: u32, budget: usize) -> Result<UnnumberedObservation, PageError> {
    tab.ensure_world().await?;
    let (next, mut tries) = (Cell::new(first_eid), 0);
    let most = if tab.restless.get() { 1 } else { TRIES };
    let (result, jpeg, boxes) = loop {
        let again = tries > 0;
        let listeners = async { Ok(event_listeners::pass_listeners(tab).await.unwrap_or(false)) };
        let result = frames::observe(tab, &next, budget, again, walk_time(tab));
        let (jpeg, result, more) =
            try_join3(tab.take_screenshot(SCREENSHOT_QUALITY), result, listeners).await?;
        tries += 1;
        if more && !result.changed && tries < TRIES {
            // Repeats the walk for the same moment, now with the listeners known.
            match frames::observe_if_unchanged(tab, &next, budget).await? {
                Some(second) if !second.changed => {
                    tab.restless.set(false);
                    break (second, jpeg, tab.secret_boxes().await?);
                }
                Some(_) | None => continue,
            }
        }
        let (changed, boxes) = tab.check_since_observation().await?;
        let changed = changed || result.changed;
        let repeats = (changed && tries < most) || (more && tries < TRIES);
        if !repeats {
            tab.restless.set(changed);
            break (result, jpeg, boxes);
        }
    };
    let jpeg = redact_screenshot(&ObservedSecrets::from_walker(&result), &boxes, jpeg).await?;
    Ok(UnnumberedObservation { next_eid: next.get(), observation: result.into(), jpeg })
}

/// Returns when to walk a page whose picture was asked for. Walks of frames take several round trips, so they begin at once.
fn walk_time(tab: &Tab) -> WalkTime {
    if tab.frames.covered().is_empty() { WalkTime::AfterFrame } else { WalkTime::Now }
}

async fn try_observe_text(tab: &Tab, first_eid: u32, budget: usize) -> Result<UnnumberedText, PageError> {
    tab.ensure_world().await?;
    let (next, mut tries) = (Cell::new(first_eid), 0);
    let result = loop {
        let listeners = async { Ok(event_listeners::pass_listeners(tab).await.unwrap_or(false)) };
        let (result, more) =
            try_join(frames::observe(tab, &next, budget, tries > 0, WalkTime::Now), listeners).await?;
        tries += 1;
        if !(more || result.changed) || tries >= TRIES {
            break result;
        }
    };
    let secrets = ObservedSecrets::from_walker(&result);
    Ok(UnnumberedText { next_eid: next.get(), observation: result.into(), secrets })
}

/// Paints over the secret fields at their positions during the walk and now, including fields in documents
/// that the walk does not cover.
async fn redact_screenshot(
    secrets: &ObservedSecrets,
    boxes: &[Bounds],
    jpeg: Bytes,
) -> Result<Bytes, PageError> {
    let boxes = motion::boxes_for_kept_picture(&secrets.boxes, boxes);
    paint::paint_jpeg(jpeg, boxes, secrets.width, PAINTED_QUALITY).await
}

/// Reads the facts about the element at a point of the viewport; `None` if there is none.
pub async fn examine_point(tab: &Tab, x: f64, y: f64) -> Result<Option<Target>, PageError> {
    match tab.call_script::<u32>(&format!("elementAt({x}, {y})")).await? {
        0 => Ok(None),
        eid => examine(tab, eid).await.map(Some),
    }
}

/// Reads the facts about what holds the only place of words.
pub async fn examine_text(tab: &Tab, text: &str) -> Result<Target, PageError> {
    examine(tab, words_place::find_holder(tab, text).await?).await
}

/// Most elements in frames whose boxes are read: each needs queries to the documents around it.
const MOST_IN_FRAMES: usize = 40;

/// Reads the boxes of elements.
pub async fn element_boxes(tab: &Tab, eids: &[u32]) -> Result<Vec<(u32, Bounds)>, PageError> {
    let is_inner = |eid: &&u32| tab.frame_of_element(**eid).is_frame();
    let (inner, own): (Vec<&u32>, Vec<&u32>) = eids.iter().partition(is_inner);
    let box_of = |(eid, x, y, w, h): (u32, f64, f64, f64, f64)| (eid, [x, y, w, h]);
    let reply: Vec<(u32, f64, f64, f64, f64)> = tab.call_script(&format!("boxesOf({own:?})")).await?;
    let mut boxes: Vec<(u32, Bounds)> = reply.into_iter().map(box_of).collect();
    for eid in inner.into_iter().take(MOST_IN_FRAMES) {
        let frame_tab = tab.frame_of_element(*eid);
        let reply =
            frame_tab.call_script::<Vec<(u32, f64, f64, f64, f64)>>(&format!("boxesOf([{eid}])")).await;
        // A frame that does not answer has no marks.
        for (eid, bounds) in reply.unwrap_or_default().into_iter().map(box_of) {
            if let Ok(bounds) = tab.to_page_coordinates(&frame_tab, bounds).await {
                boxes.push((eid, bounds));
            }
        }
    }
    Ok(boxes)
}

/// Reads the facts about one element.
pub async fn examine(tab: &Tab, eid: u32) -> Result<Target, PageError> {
    let frame_tab = tab.frame_of_element(eid);
    let facts: Value = frame_tab.call_script(&format!("target({eid})")).await?;
    let mut target = Target::deserialize(without_nulls(facts)).map(hash_values).map_err(|fault| {
        PageError::new(ErrorCode::Protocol, format!("the reply about the element cannot be parsed: {fault}"))
    })?;
    if frame_tab.is_frame() {
        target.bounds = tab.to_page_coordinates(&frame_tab, target.bounds).await?;
        target.frame = join_names(tab.frame_names(&frame_tab).await?, &target.frame);
        target.top = tab.run("location.href").await?;
    }
    Ok(target)
}

fn join_names(parents: String, own: &str) -> String {
    if own.is_empty() { parents } else { format!("{parents} / {own}") }
}

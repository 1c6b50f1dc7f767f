//! One look: what the walker in the page saw, and the picture of the same moment.

use super::fault::{Code, Fault};
use super::frames::sight;
use super::listeners;
use super::paint::{self, Bounds};
use super::sealed::sealed;
use super::swept;
use super::tab::Tab;
use super::walked::{Walked, without_nulls};
use crate::page::Observation;
use crate::page::target::Target;
use actix_web::web::Bytes;
use base64::Engine;
use chromiumoxide::cdp::browser_protocol::page::{CaptureScreenshotFormat, CaptureScreenshotParams};
use futures_util::future::try_join3;
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;

const LOOK_QUALITY: i64 = 60;
const PAINTED_QUALITY: u8 = 60;
/// A page that changes with every frame is shown as it is, a frame apart; one that did so at the last
/// look already is not tried again.
const TRIES: u32 = 3;

/// A look as the page gave it, before it has a number.
#[derive(Debug)]
pub struct Glance {
    pub observation: Observation,
    pub jpeg: Bytes,
    pub next_eid: u32,
}

/// Walks and photographs at once. The walker runs first in the page, and the picture is the next frame;
/// if the page changed between the two, they are not of one moment and both are taken again. The page
/// text takes no more than `budget` tokens, but for what can be acted on in the viewport.
pub async fn look(tab: &Tab, first_eid: u32, budget: usize) -> Result<Glance, Fault> {
    // What Chromium calls a document that went away says nothing to who looks.
    glance(tab, first_eid, budget).await.map_err(|fault| match fault.is_lost_document() {
        true => Fault::restless_documents(),
        false => fault,
    })
}

async fn glance(tab: &Tab, first_eid: u32, budget: usize) -> Result<Glance, Fault> {
    tab.enter().await?;
    let (next, mut tries) = (Cell::new(first_eid), 0);
    let most = if tab.restless.get() { 1 } else { TRIES };
    let (walked, jpeg, boxes) = loop {
        let again = tries > 0;
        sight::watch(tab);
        let listeners = async { Ok(listeners::tell(tab).await.unwrap_or(false)) };
        let walked = sight::look(tab, &next, budget, again);
        let (walked, jpeg, more) = try_join3(walked, shoot(tab, LOOK_QUALITY), listeners).await?;
        tries += 1;
        if more && tries < TRIES {
            // The same moment once more, with what is known now of what listens.
            match sight::look_unchanged(tab, &next, budget).await? {
                Some(walked) => break (walked, jpeg, tab.secret_boxes().await?),
                None => continue,
            }
        }
        let (changed, boxes) = tab.since(&walked).await?;
        if !changed || tries >= most {
            tab.restless.set(changed);
            break (walked, jpeg, boxes);
        }
    };
    let jpeg = painted(&walked, &boxes, jpeg).await?;
    Ok(Glance { next_eid: next.get(), observation: walked.into(), jpeg })
}

/// Without what its secret fields show, where they stood at the walk and where they stand now; also those
/// that no walk goes through, of other documents than frames show.
async fn painted(walked: &Walked, boxes: &[Bounds], jpeg: Bytes) -> Result<Bytes, Fault> {
    let secrets = swept::surely(&walked.secrets, boxes);
    paint::over(jpeg, secrets, walked.viewport.0, PAINTED_QUALITY).await
}

/// The page as it is seen now, as JPEG.
pub async fn shoot(tab: &Tab, quality: i64) -> Result<Bytes, Fault> {
    let order = CaptureScreenshotParams {
        format: Some(CaptureScreenshotFormat::Jpeg),
        quality: Some(quality),
        ..Default::default()
    };
    decoded(tab.call(order).await?.data.as_ref())
}

pub fn decoded(base64: &str) -> Result<Bytes, Fault> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
    bytes
        .map(Bytes::from)
        .map_err(|fault| Fault::new(Code::Protocol, format!("the picture is not base64: {fault}")))
}

/// The facts about one element.
pub async fn examine(tab: &Tab, eid: u32) -> Result<Target, Fault> {
    let there = tab.at(eid);
    let facts: Value = there.ask(&format!("target({eid})")).await?;
    let mut target = Target::deserialize(without_nulls(facts))
        .map(sealed)
        .map_err(|fault| Fault::new(Code::Protocol, format!("the element's facts are odd: {fault}")))?;
    if there.is_frame() {
        target.bounds = tab.outward(&there, target.bounds).await?;
        target.frame = join_names(tab.frame_names(&there).await?, &target.frame);
        target.top = tab.run("location.href").await?;
    }
    Ok(target)
}

fn join_names(around: String, own: &str) -> String {
    if own.is_empty() { around } else { format!("{around} / {own}") }
}

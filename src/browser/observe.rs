//! One look: what the walker in the page saw, and the picture of the same moment.

use super::fault::{Code, Fault};
use super::frames::sight;
use super::listeners;
use super::paint::{self, Bounds};
use super::sealed::sealed;
use super::tab::Tab;
use crate::page::target::Target;
use crate::page::{Attributes, Line, Observation};
use actix_web::web::Bytes;
use base64::Engine;
use chromiumoxide::cdp::browser_protocol::page::{CaptureScreenshotFormat, CaptureScreenshotParams};
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;

const LOOK_QUALITY: i64 = 60;
const PAINTED_QUALITY: u8 = 60;
/// A page that changes with every frame is shown as it is, a frame apart; one that did so at the last
/// look already is not tried again.
const TRIES: u32 = 3;

/// What the walker answers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Walked {
    url: String,
    title: String,
    viewport: (f64, f64),
    pub scroll: (f64, f64),
    pub lines: Vec<(u32, String, String, u32, Value)>,
    pub next_eid: u32,
    #[serde(default)]
    pub left_out: LeftOut,
    /// Secret fields, to be painted over.
    #[serde(default)]
    pub secrets: Vec<Bounds>,
    /// The frames that it could not read.
    #[serde(default)]
    pub frames: Vec<Inner>,
    /// How many elements may hold something that it could not see.
    #[serde(default)]
    pub suspects: u32,
    /// The page changed since it was asked to watch, or is not seen whole yet.
    #[serde(default)]
    pub stirred: bool,
}

/// A frame that has a walker of its own.
#[derive(Debug, Deserialize)]
pub struct Inner {
    /// Number of its line.
    pub line: usize,
    pub eid: u32,
    /// Where its viewport begins.
    pub x: f64,
    pub y: f64,
    /// What of it can be seen, for its own walker.
    pub part: Value,
    /// Tokens that its text may take.
    pub room: u32,
}

impl Inner {
    /// What of it can be seen, in the coordinates of what is around it; none if nothing.
    pub fn seen(&self) -> Option<Bounds> {
        let edge = |name: &str| self.part[name].as_f64().unwrap_or_default();
        let (width, height) = (edge("right") - edge("left"), edge("bottom") - edge("top"));
        let shown = width > 0.0 && height > 0.0;
        shown.then(|| [self.x + edge("left"), self.y + edge("top"), width, height])
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    above: u32,
    below: u32,
    /// How many of both are texts.
    text: u32,
}

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
    tab.enter().await?;
    let (next, mut tries) = (Cell::new(first_eid), 0);
    let most = if tab.restless.get() { 1 } else { TRIES };
    let (walked, jpeg) = loop {
        let again = tries > 0;
        sight::watch(tab);
        let listeners = async { Ok(listeners::tell(tab).await.unwrap_or(false)) };
        let walked = sight::look(tab, &next, budget, again);
        let (walked, jpeg, more) =
            futures_util::future::try_join3(walked, shoot(tab, LOOK_QUALITY), listeners).await?;
        tries += 1;
        if more && tries < TRIES {
            // The same moment once more, with what is known now of what listens.
            match sight::look_unchanged(tab, &next, budget).await? {
                Some(walked) => break (walked, jpeg),
                None => continue,
            }
        }
        let changed = sight::changed(tab, &walked).await?;
        if !changed || tries >= most {
            tab.restless.set(changed);
            break (walked, jpeg);
        }
    };
    let jpeg = painted(tab, &walked, jpeg).await?;
    Ok(Glance { next_eid: next.get(), observation: walked.into(), jpeg })
}

/// Without what its secret fields show, where they stood at the walk and where they stand now.
async fn painted(tab: &Tab, walked: &Walked, jpeg: Bytes) -> Result<Bytes, Fault> {
    if walked.secrets.is_empty() {
        return Ok(jpeg);
    }
    let secrets = walked.secrets.iter().copied().chain(tab.secret_boxes().await?).collect();
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
        .map_err(|fault| Fault::new(Code::Protocol, format!("the picture is no base64: {fault}")))
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

/// The page script writes null where it knows nothing; our types take their default there.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

impl From<Walked> for Observation {
    fn from(walked: Walked) -> Self {
        let mut lines: Vec<Line> = walked.lines.into_iter().map(line).collect();
        lines.extend(walked.left_out.note());
        Self {
            look: 0,
            url: walked.url,
            title: walked.title,
            tab: (1, 1),
            viewport: whole(walked.viewport),
            scroll: whole(walked.scroll),
            lines,
            dialog: None,
        }
    }
}

impl LeftOut {
    pub fn add(&mut self, inner: &Self) {
        self.above += inner.above;
        self.below += inner.below;
        self.text += inner.text;
    }

    fn note(&self) -> Option<Line> {
        let (place, way) = match (self.above, self.below) {
            (0, 0) => return None,
            (above, 0) => (format!("{above} more above"), "scroll up"),
            (0, below) => (format!("{below} more below"), "scroll down"),
            (above, below) => (format!("{above} more above, {below} more below"), "scroll"),
        };
        let all = self.above.saturating_add(self.below);
        let of = match all.saturating_sub(self.text) {
            0 => String::from("texts"),
            acted if acted == all => String::from("to act on"),
            acted => format!("{acted} of them to act on"),
        };
        Some(note(format!("{place} ({of}); {way} to see them, or extract to read all")))
    }
}

/// A line that tells of something that is no element.
pub fn note(name: String) -> Line {
    Line { role: String::from("note"), name, ..Line::default() }
}

fn line((depth, role, name, eid, attributes): (u32, String, String, u32, Value)) -> Line {
    // One attribute that is not as known must not cost the line.
    let attributes = Attributes::deserialize(without_nulls(attributes)).unwrap_or_default();
    Line { depth, role, name, eid: Some(eid).filter(|eid| *eid > 0), attributes }
}

fn whole((a, b): (f64, f64)) -> (u32, u32) {
    // Float to integer casts saturate, so no page can make this wrap.
    (a.round() as u32, b.round() as u32)
}

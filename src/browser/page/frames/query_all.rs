//! Queries to a page including its frames: whether it is still, whether it shows a text, and its full text.
//! `redaction::secret_boxes` finds secret fields.

use crate::browser::error::PageError;
use crate::browser::injected::{js_string, without_nulls};
use crate::browser::page::frames::frame_tree::Frame;
use crate::browser::page::frames::{FRAME_REPLY_TIMEOUT, MAX_FRAME_DEPTH};
use crate::browser::page::tab::Tab;
use crate::page::observation::{Attributes, Line};
use crate::page::text::{quoted, write_single_line};
use futures_util::future::{LocalBoxFuture, join_all};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::rc::Rc;

/// Limit for a frame that never comes to rest, such as an advertisement; shorter than that of the page
/// itself.
const RESTLESS_MS: u64 = 600;
/// Markers of the page script around the element id where the text of a frame belongs.
const FRAME_TEXT_MARKERS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

impl Tab {
    /// Evaluates an expression in every frame of the last observation. A frame that does not answer in time
    /// is skipped until an observation finds that it answers.
    pub async fn in_frames<T: DeserializeOwned>(&self, expression: &str) -> Vec<(Self, T)> {
        let seen = self.frames.covered();
        let ask = |frame: Rc<Frame>| async move {
            let frame_tab = self.for_frame(frame);
            let reply = tokio::time::timeout(FRAME_REPLY_TIMEOUT, frame_tab.run_once(expression)).await;
            frame_tab.scripts.silent.set(reply.is_err());
            reply.ok()?.ok().map(|answer| (frame_tab, answer))
        };
        join_all(seen.into_iter().filter(|frame| !frame.scripts.silent.get()).map(ask))
            .await
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Frames of a page after a wait.
#[derive(Debug, Default)]
pub struct QuietFrames<T> {
    /// True if any of them changed.
    pub changed: bool,
    /// Traces of the action in them.
    pub traces: Vec<T>,
}

/// Waits until the frames are still too.
pub async fn wait_for_quiet_frames<T: DeserializeOwned>(page: &Tab, quiet_ms: u64) -> QuietFrames<T> {
    let call = format!(
        "askfirst.quiet({{quietMs: {quiet_ms}, maxMs: {RESTLESS_MS}}}).then((rest) => [rest.why, askfirst.traceSoFar()])"
    );
    let replies = page.in_frames::<(String, Option<T>)>(&call).await;
    let changed = replies.iter().any(|(_, (why, _))| why != "still");
    QuietFrames { changed, traces: replies.into_iter().filter_map(|(_, (_, trace))| trace).collect() }
}

/// Reports whether the page shows a text.
pub async fn has_text(page: &Tab, text: &str) -> Result<bool, PageError> {
    // Null if the text is shown, otherwise the frames still to query.
    let call = format!(
        "((shows) => shows === true ? null : askfirst.framesHere())(askfirst.hasText({}))",
        js_string(text)
    );
    has_text_in(page, page, &call, 0).await
}

fn has_text_in<'a>(
    page: &'a Tab,
    frame_tab: &'a Tab,
    call: &'a str,
    depth: u32,
) -> LocalBoxFuture<'a, Result<bool, PageError>> {
    Box::pin(async move {
        let Some(frames) = frame_tab.run::<Option<Vec<u32>>>(call).await? else { return Ok(true) };
        if depth >= MAX_FRAME_DEPTH {
            return Ok(false);
        }
        let ask = |owner| async move {
            let inner = page.frame_at(frame_tab, owner).await?;
            has_text_in(page, &inner, call, depth + 1).await
        };
        let queries = frames.into_iter().map(|owner| tokio::time::timeout(FRAME_REPLY_TIMEOUT, ask(owner)));
        // A frame that does not answer counts as not showing the text.
        Ok(join_all(queries).await.into_iter().any(|shows| matches!(shows, Ok(Ok(true)))))
    })
}

/// Returns the full text of an element or of the page.
pub async fn extract(page: &Tab, eid: u32) -> Result<String, PageError> {
    let (frame_tab, inner) = page.document_of(Some(eid));
    extract_from_frame(page, frame_tab, inner, 0).await
}

fn extract_from_frame(
    page: &Tab,
    frame_tab: Tab,
    eid: u32,
    depth: u32,
) -> LocalBoxFuture<'_, Result<String, PageError>> {
    Box::pin(async move {
        let text: String = frame_tab.call_script(&format!("extract({eid})")).await?;
        let mut parts = text.split(FRAME_TEXT_MARKERS);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        while let (Some(owner), Some(after)) = (parts.next(), parts.next()) {
            let inner = async {
                let inner = page.frame_at(&frame_tab, owner.parse().unwrap_or_default()).await?;
                extract_from_frame(page, inner, 0, depth + 1).await
            };
            if depth < MAX_FRAME_DEPTH
                && let Ok(Ok(text)) = tokio::time::timeout(FRAME_REPLY_TIMEOUT, inner).await
            {
                whole.push_str(&text);
            }
            whole.push_str(after);
        }
        Ok(whole)
    })
}

/// Most lines that `find` returns.
const MOST_FOUND: usize = 20;

/// Reply of the page script: lines as a walk has them, parts that are not shown, and how many lines there are.
#[derive(Debug, Default, Deserialize)]
struct FoundInFrame {
    lines: Vec<(String, String, u32, Value)>,
    hidden: Vec<(String, u32, String)>,
    count: usize,
}

/// Finds elements and texts by their words, in the page and its frames. Returns the lines as the page text has them, or a
/// sentence if there are none.
pub async fn find(page: &Tab, text: &str, role: Option<&str>) -> Result<String, PageError> {
    let role = role.map_or_else(|| String::from("null"), js_string);
    let call = format!("find({}, {role})", js_string(text));
    let mut found: FoundInFrame = page.call_script(&call).await?;
    for (_, inner) in page.in_frames::<FoundInFrame>(&format!("askfirst.{call}")).await {
        found.count += inner.count;
        found.lines.extend(inner.lines);
        found.hidden.extend(inner.hidden);
    }
    Ok(write_found(found, text))
}

fn write_found(found: FoundInFrame, text: &str) -> String {
    let more = found.count.saturating_sub(MOST_FOUND.min(found.lines.len()));
    let lines = found.lines.into_iter().take(MOST_FOUND).map(|(role, name, eid, attributes)| Line {
        role,
        name,
        eid: Some(eid).filter(|eid| *eid > 0),
        attributes: Attributes::deserialize(without_nulls(attributes)).unwrap_or_default(),
        ..Line::default()
    });
    let mut written: Vec<String> = lines.flat_map(|line| write_single_line(&line)).collect();
    if more > 0 {
        written.push(format!("({more} more; give more words, or a role)"));
    }
    for (words, opener, name) in found.hidden {
        let how = match opener {
            0 => String::from("not shown now"),
            eid => format!("not shown now; {} [{eid}] shows it", quoted(&name)),
        };
        written.push(format!("{} ({how})", quoted(&words)));
    }
    if written.is_empty() {
        return format!(
            "nothing on the page says {}; it may come after scrolling, opening or waiting",
            quoted(text)
        );
    }
    written.join("\n")
}

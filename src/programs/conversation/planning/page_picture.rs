//! The picture of the page for the model: whether it is sent, and with the element ids drawn on it. The stored
//! picture, which people see, stays without them.

use crate::agent_spec::types::conversation_parts::VisionMode;
use crate::browser::error::ErrorCode;
use crate::browser::geometry::Bounds;
use crate::browser::observe::marks::draw_marks;
use crate::browser::pending_picture::TakenPicture;
use crate::page::observation::{Line, Observation};
use crate::planning::{ActionStatus, HistoryEntry};
use crate::programs::conversation::acting::reading::read_file;
use crate::programs::conversation::effects;
use crate::programs::conversation::visit_context::VisitContext;
use crate::record;
use actix_web::web::Bytes;

/// Note beside a picture.
pub const MARKS_NOTE: &str =
    "the picture shows the page; the numbers drawn on it are eids, each at its element";

/// Fewest elements without a name of their own for which a picture is sent, and their least share.
const UNNAMED: usize = 4;
const UNNAMED_SHARE: usize = 4;
/// Least share of the viewport that a canvas fills if a picture is sent for it.
const CANVAS_SHARE: f64 = 0.4;

/// Returns the picture for the next request, if one is to be sent. Only then is it waited for.
pub async fn picture_for_planner(cx: &VisitContext) -> Option<Bytes> {
    let picture = match is_wanted(cx).await {
        true => marked_picture(cx).await,
        false => None,
    };
    // A replayed step has no pictures, but the same request.
    let shown = cx.deps.view.vision != VisionMode::Off
        && record::record_value("picture of the page is shown", || picture.is_some());
    cx.working_set.set_shows_picture(shown);
    picture.or_else(|| shown.then(Bytes::new))
}

/// Reports whether the model may ask for a picture: one could be sent, and none is.
pub fn may_ask(cx: &VisitContext, is_sent: bool) -> bool {
    cx.deps.view.vision == VisionMode::Auto && !is_sent && cx.working_set.observation().is_some()
}

async fn is_wanted(cx: &VisitContext) -> bool {
    let Some(observed) = cx.working_set.observation().filter(|_| cx.deps.planner.model().is_some()) else {
        return false;
    };
    match cx.deps.view.vision {
        VisionMode::Off => false,
        VisionMode::Always => true,
        VisionMode::Auto => {
            let page = &observed.observation;
            is_unclear(page, &cx.state.messages) || canvas_fills_view(cx, page).await
        }
    }
}

/// True if many elements have no name, an action had no effect, or the model asks for the picture.
fn is_unclear(page: &Observation, messages: &[HistoryEntry]) -> bool {
    has_many_unnamed(page) || had_no_effect(messages) || read_file::asks_for_page(messages)
}

/// Reports whether many of the elements in view have no name that a person sees.
fn has_many_unnamed(page: &Observation) -> bool {
    let in_view = || page.lines.iter().filter(|line| line.eid.is_some() && line.attributes.in_view());
    let is_unnamed = |line: &&Line| {
        let has_text = line.attributes.value.is_some() || line.attributes.placeholder.is_some();
        (line.name.trim().is_empty() && !has_text) || line.attributes.guessed
    };
    let unnamed = in_view().filter(is_unnamed).count();
    unnamed >= UNNAMED && unnamed * UNNAMED_SHARE >= in_view().count()
}

/// Reports whether an action of the last turn should have changed the page and did not.
fn had_no_effect(messages: &[HistoryEntry]) -> bool {
    let last = messages.iter().rev().find_map(|entry| match entry {
        HistoryEntry::Acted { results, .. } => Some(results),
        _ => None,
    });
    last.into_iter().flatten().any(
        |result| matches!(&result.outcome, ActionStatus::Failed { code, .. } if code == ErrorCode::NoEffect.word()),
    )
}

/// Reports whether canvases fill much of the viewport.
async fn canvas_fills_view(cx: &VisitContext, page: &Observation) -> bool {
    let is_canvas = |line: &&Line| line.role == "canvas" && line.attributes.in_view();
    let canvases: Vec<u32> = page.lines.iter().filter(is_canvas).filter_map(|line| line.eid).collect();
    if canvases.is_empty() {
        return false;
    }
    let Ok(Ok(boxes)) = effects::element_boxes(cx, canvases).await else { return false };
    covered_share(&boxes, page.viewport) >= CANVAS_SHARE
}

/// Returns the share of the viewport that the largest box covers.
fn covered_share(boxes: &[(u32, Bounds)], (width, height): (u32, u32)) -> f64 {
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let visible = |[x, y, w, h]: Bounds| {
        let across = (x + w).min(width) - x.max(0.0);
        let down = (y + h).min(height) - y.max(0.0);
        across.max(0.0) * down.max(0.0) / (width * height)
    };
    boxes.iter().map(|(_, bounds)| visible(*bounds)).fold(0.0, f64::max)
}

/// Waits for the picture, and draws the element ids on it.
async fn marked_picture(cx: &VisitContext) -> Option<Bytes> {
    let observed = cx.working_set.observation()?;
    let TakenPicture { jpeg, boxes } = observed.picture.wait_with_boxes().await?;
    // A page with an open dialog has none.
    if boxes.is_empty() {
        return Some(jpeg);
    }
    let marked = draw_marks(jpeg.clone(), boxes, f64::from(observed.observation.viewport.0)).await;
    Some(marked.unwrap_or_else(|fault| {
        tracing::debug!(%fault, "the picture stays without numbers");
        jpeg
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::Attributes;
    use crate::planning::ActionResult;
    use crate::turn::Turn;
    use serde_json::{Value, json};

    fn page(names: &[&str]) -> Observation {
        let line = |(at, name): (u32, &&str)| Line {
            role: String::from("button"),
            name: (*name).to_owned(),
            eid: Some(at),
            ..Line::default()
        };
        Observation { lines: (1..).zip(names).map(line).collect(), ..Observation::default() }
    }

    fn acted(call: Value, outcome: ActionStatus) -> HistoryEntry {
        let turn = Turn { actions: vec![serde_json::from_value(call).unwrap()], ..Turn::default() };
        let result = ActionResult {
            action_id: String::from("a1"),
            action: String::from("click"),
            outcome,
            returned: None,
            answer: None,
            effect_summary: None,
        };
        HistoryEntry::Acted { turn, results: vec![result] }
    }

    #[test]
    fn many_elements_without_a_name_need_a_picture() {
        assert!(has_many_unnamed(&page(&["", "", "", "", "Save", "Open"])));
        assert!(!has_many_unnamed(&page(&["", "", "", "Save"])));
        let mut names = vec!["Save"; 30];
        names.extend([""; 6]);
        assert!(!has_many_unnamed(&page(&names)), "few of many");
        let mut guessed = page(&["trash", "pencil", "star", "cog"]);
        assert!(!has_many_unnamed(&guessed));
        guessed.lines.iter_mut().for_each(|line| line.attributes.guessed = true);
        assert!(has_many_unnamed(&guessed));
        guessed.lines.iter_mut().for_each(|line| {
            line.attributes = Attributes { guessed: true, below: true, ..Attributes::default() };
        });
        assert!(!has_many_unnamed(&guessed), "none in view");
    }

    #[test]
    fn an_action_without_effect_and_a_request_need_a_picture() {
        let click = || json!({"action": "click", "params": {"eid": 3}});
        let failed = |code: &str| ActionStatus::Failed { code: code.to_owned(), message: String::new() };
        let plain = page(&["Save"]);
        assert!(is_unclear(&plain, &[acted(click(), failed("no_effect"))]));
        assert!(!is_unclear(&plain, &[acted(click(), failed("covered"))]));
        let later = [acted(click(), failed("no_effect")), acted(click(), ActionStatus::Ok)];
        assert!(!is_unclear(&plain, &later), "only the last turn counts");
        let asks = acted(json!({"action": "extract", "params": {"as": "picture"}}), ActionStatus::Ok);
        assert!(is_unclear(&plain, &[asks]));
        let reads = acted(
            json!({"action": "extract", "params": {"as": "picture", "file": "a.pdf"}}),
            ActionStatus::Ok,
        );
        assert!(!is_unclear(&plain, &[reads]));
    }

    #[test]
    fn only_the_visible_part_of_a_canvas_counts() {
        let share = |bounds: Bounds| covered_share(&[(1, bounds)], (1000, 500));
        assert!((share([0.0, 0.0, 1000.0, 250.0]) - 0.5).abs() < 1e-9);
        assert!((share([-500.0, 400.0, 1000.0, 2000.0]) - 0.1).abs() < 1e-9);
        assert!(share([0.0, 900.0, 1000.0, 500.0]) < 1e-9);
    }
}

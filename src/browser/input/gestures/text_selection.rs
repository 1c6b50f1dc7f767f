//! Selecting words in a text with the mouse, as a person marks them.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Point;
use crate::browser::input::gestures::drag::DragInProgress;
use crate::browser::input::gestures::page_change::PageChange;
use crate::browser::input::isolation;
use crate::browser::page::frames::words_place;
use crate::browser::page::tab::Tab;
use crate::protocol::action_effect::ActionEffect;
use serde::Deserialize;

/// CSS pixels of a move that surely begins a selection.
const FIRST_MOVE_PX: f64 = 14.0;

/// Points of a frame's viewport between which the mouse selects words; without `to`, their end is out of view.
#[derive(Debug, Deserialize)]
struct SelectionPoints {
    from: [f64; 2],
    to: Option<[f64; 2]>,
}

/// Reply of the page script about what the mouse has selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Selected {
    All,
    Other,
    /// Also in editors that draw a selection of their own.
    None,
}

/// Selects the words with the mouse; in a field, the caret does it.
pub async fn select(tab: &Tab, text: &str) -> Result<ActionEffect, PageError> {
    let holder = words_place::find_holder(tab, text).await?;
    let frame_tab = tab.frame_of_element(holder);
    let is_field: bool = frame_tab.call_script("readyToSelect()").await?;
    if is_field {
        frame_tab.call_script::<bool>("selectInField()").await?;
    } else {
        let dragging = drag_over_words(tab, &frame_tab);
        isolation::send_isolated(tab, std::slice::from_ref(&frame_tab), "the selection", dragging).await?;
    }
    Ok(ActionEffect::TextSelected { text: text.to_owned() })
}

async fn drag_over_words(tab: &Tab, frame_tab: &Tab) -> Result<(), PageError> {
    let points: SelectionPoints = frame_tab.call_script("selectionPoints()").await?;
    let start = to_page(tab, frame_tab, points.from).await?;
    let mut drag = DragInProgress::press(tab, start).await?;
    let end = match points.to {
        Some(end) => end,
        None => {
            // The selection has begun when the page is scrolled, with the button held.
            drag.move_to(Point { x: start.x + FIRST_MOVE_PX, ..start }).await?;
            frame_tab.call_script("showEndOfWords()").await?
        }
    };
    let change = PageChange::watch(tab).await?;
    drag.drag_to(to_page(tab, frame_tab, end).await?).await?;
    // Corrects the selection before the page receives the release.
    frame_tab.call_script::<Selected>("selectedByMouse()").await?;
    drag.release().await?;
    // The page may clear or change the selection then; one that has gone elsewhere has none.
    let selected = frame_tab.call_script("selectedByMouse()").await.unwrap_or(Selected::None);
    match selected {
        Selected::All => Ok(()),
        Selected::None if change.has_happened(&[]).await => Ok(()),
        Selected::None => Err(PageError::new(
            ErrorCode::NoEffect,
            "the page does not let its text be selected there; look for a button or key that does the same",
        )),
        Selected::Other => Err(PageError::new(
            ErrorCode::NoEffect,
            "the page selects other words than these; look what is selected now",
        )),
    }
}

async fn to_page(tab: &Tab, frame_tab: &Tab, [x, y]: [f64; 2]) -> Result<Point, PageError> {
    let [x, y, _, _] = tab.to_page_coordinates(frame_tab, [x, y, 0.0, 0.0]).await?;
    Ok(Point { x, y })
}

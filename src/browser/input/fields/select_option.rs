//! Choosing options: of a native list in the page script, of a custom list with clicks.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::action_trace::missed_press;
use crate::browser::input::fields::typing;
use crate::browser::input::pointer;
use crate::browser::page::tab::Tab;
use crate::clock::Stopwatch;
use crate::turn::page_input::mouse::ClickInput;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Options may be loaded from the network.
const OPENS_WITHIN: Duration = Duration::from_secs(2);
/// Time for all queries. A long list is scrolled through for up to five seconds (`LONGEST_SCROLLING`).
const SEARCHED_WITHIN: Duration = Duration::from_secs(8);
const CHECK: Duration = Duration::from_millis(50);
/// Number of times that a list is asked again for an option that has moved or was drawn anew.
const MOST_RETRIES: u32 = 2;

/// Reply of the page script: the clicks or the typing still to do; empty once the choice is made.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    click: Vec<u32>,
    open: Option<u32>,
    #[serde(rename = "type")]
    typed: Option<TypedChoice>,
}

#[derive(Debug, Deserialize)]
struct TypedChoice {
    eid: u32,
    text: String,
}

/// Chooses options of a list. Fails with `NoEffect` if the list then shows another option.
pub async fn choose(tab: &Tab, eid: u32, options: &[String], viewport: (u32, u32)) -> Result<(), PageError> {
    let wanted = Value::from(options);
    let mut choice: Choice =
        tab.frame_of_element(eid).act_by_script(&format!("choose({eid}, {wanted}, false)")).await?;
    if let Some(opener) = choice.open {
        pointer::click(tab, opener, viewport, &ClickInput::once()).await?;
        choice = wait_for_options(tab, eid, &wanted).await?;
    }
    if !choice.click.is_empty() {
        press_options(tab, eid, choice, &wanted, viewport).await?;
        return check_choice(tab, eid).await;
    }
    match choice.typed {
        Some(TypedChoice { eid, text }) => typing::type_text(tab, eid, &text, true).await,
        None => Ok(()),
    }
}

/// Fails if the list shows another option than the one that was chosen.
async fn check_choice(tab: &Tab, eid: u32) -> Result<(), PageError> {
    match tab.frame_of_element(eid).call_script::<Value>(&format!("checkChoice({eid})")).await {
        Err(fault) if fault.code == ErrorCode::NoEffect => Err(fault),
        // The choice may have led to another page, or closed it.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Presses options one after the other. A list may move, or draw its options anew, between the query and the press: then
/// it is asked again.
async fn press_options(
    tab: &Tab,
    eid: u32,
    mut choice: Choice,
    wanted: &Value,
    viewport: (u32, u32),
) -> Result<(), PageError> {
    let (mut tries_left, mut pressed) = (MOST_RETRIES, 0);
    while let Some(option) = choice.click.get(pressed).copied() {
        match press_option(tab, option, viewport).await {
            Ok(()) => pressed += 1,
            // In a multiple choice, the new query names only what is still to be pressed.
            Err(fault) if tries_left > 0 && is_passing(fault.code) => {
                tries_left -= 1;
                (choice, pressed) = (wait_for_options(tab, eid, wanted).await?, 0);
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

fn is_passing(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::DeadEid | ErrorCode::Covered | ErrorCode::Moving | ErrorCode::Hidden)
}

async fn press_option(tab: &Tab, option: u32, viewport: (u32, u32)) -> Result<(), PageError> {
    pointer::click(tab, option, viewport, &ClickInput::once()).await?;
    let frame_tab = tab.frame_of_element(option);
    // A choice may lead to another page, which has suppressed nothing.
    match frame_tab.call_script::<Option<String>>("missedPress()").await {
        Ok(Some(covering)) => Err(missed_press(&covering)),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Repeats the query until the options have appeared. A query may scroll through a long list, which takes longer than the
/// appearance of its first options.
async fn wait_for_options(tab: &Tab, eid: u32, wanted: &Value) -> Result<Choice, PageError> {
    let call = format!("choose({eid}, {wanted}, true)");
    let frame_tab = tab.frame_of_element(eid);
    let watch = Stopwatch::start();
    let choosing = async {
        loop {
            match frame_tab.act_by_script::<Choice>(&call).await {
                Err(fault)
                    if matches!(fault.code, ErrorCode::NotSelect | ErrorCode::InvalidOption)
                        && watch.seconds() < OPENS_WITHIN.as_secs_f64() => {}
                result => return result,
            }
            tokio::time::sleep(CHECK).await;
        }
    };
    let result = tokio::time::timeout(SEARCHED_WITHIN, choosing).await;
    result.unwrap_or_else(|_| Err(PageError::slow("the list", SEARCHED_WITHIN)))
}

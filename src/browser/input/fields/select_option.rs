//! Choosing options: of a native list in the page script, of a custom list with clicks.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::fields::typing;
use crate::browser::input::pointer::{self, ClickInput};
use crate::browser::page::tab::Tab;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Options may be loaded from the network.
const OPENS_WITHIN: Duration = Duration::from_secs(2);
const CHECK: Duration = Duration::from_millis(50);

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

pub async fn choose(tab: &Tab, eid: u32, options: &[String], viewport: (u32, u32)) -> Result<(), PageError> {
    let wanted = Value::from(options);
    let mut choice: Choice =
        tab.frame_of_element(eid).act_by_script(&format!("choose({eid}, {wanted}, false)")).await?;
    if let Some(opener) = choice.open {
        pointer::click(tab, opener, viewport, &ClickInput::once()).await?;
        choice = wait_for_options(tab, eid, &wanted).await?;
    }
    for option in choice.click {
        pointer::click(tab, option, viewport, &ClickInput::once()).await?;
    }
    match choice.typed {
        Some(TypedChoice { eid, text }) => typing::type_text(tab, eid, &text, true).await,
        None => Ok(()),
    }
}

/// Repeats the query until the options have appeared.
async fn wait_for_options(tab: &Tab, eid: u32, wanted: &Value) -> Result<Choice, PageError> {
    let call = format!("choose({eid}, {wanted}, true)");
    let frame_tab = tab.frame_of_element(eid);
    let mut last = None;
    let choosing = async {
        loop {
            match frame_tab.act_by_script::<Choice>(&call).await {
                Err(fault) if matches!(fault.code, ErrorCode::NotSelect | ErrorCode::InvalidOption) => {
                    last = Some(fault)
                }
                result => return result,
            }
            tokio::time::sleep(CHECK).await;
        }
    };
    match tokio::time::timeout(OPENS_WITHIN, choosing).await {
        Ok(result) => result,
        Err(_) => Err(last.unwrap_or_else(|| PageError::slow("the list", OPENS_WITHIN))),
    }
}

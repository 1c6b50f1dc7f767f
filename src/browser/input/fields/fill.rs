//! Filling several fields in one action.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::fields::{select_option, typing};
use crate::browser::input::keyboard;
use crate::browser::input::outcome::ActionRun;
use crate::browser::input::pointer;
use crate::browser::page::tab::Tab;
use crate::protocol::action_effect::ActionEffect;
use crate::texts::effects::describe_for_planner;
use crate::turn::action::last_field;
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use crate::turn::page_input::mouse::ClickInput;
use std::time::Duration;
use url::form_urlencoded;

/// Time within which a page tells the state of a control after a click. One that is being left may never tell it.
const STATE_TIMEOUT: Duration = Duration::from_secs(3);

/// Fills the fields in order; with `submit`, presses Enter in the last text field. An error names the field and those
/// that are filled by then. A page that sends what is filled in by itself gets nothing after that: Enter would send it
/// twice.
pub async fn fill(run: &mut ActionRun<'_>, fields: &[FieldInput], submit: bool) -> Result<(), PageError> {
    for (index, field) in fields.iter().enumerate() {
        let filled = fill_field(&run.tab, field, run.context.viewport).await;
        let rest = &fields[index + 1..];
        let has_rest = submit || !rest.is_empty();
        let is_leaving = filled.is_err() && field.text().is_none() && is_leaving(run);
        if !is_leaving {
            filled.map_err(|fault| describe_stop(&fields[..index], field, fault))?;
        }
        if is_leaving || has_rest && field.text().is_none() && has_sent(run, &fields[..=index]).await {
            let unfilled = rest.iter().map(|field| field.eid).collect();
            let sent = ActionEffect::SentByItself { eid: field.eid, unfilled, enter_left_out: submit };
            run.context.notes.add(describe_for_planner(std::slice::from_ref(&sent)));
            run.settling.effects.push(sent);
            return Ok(());
        }
    }
    let Some(last) = last_field(fields).filter(|_| submit) else { return Ok(()) };
    if fields.last().is_some_and(|field| field.eid != last.eid) {
        // Other fields have been filled since, so the focus may be elsewhere.
        let frame_tab = run.tab.frame_of_element(last.eid);
        frame_tab.call_script::<bool>(&format!("focusField({})", last.eid)).await?;
    }
    keyboard::press(&run.tab, "Enter").await
}

/// Reports whether the page sends what was chosen: it is on its way to another document, or a request of it is held. It
/// may not answer until then.
fn is_leaving(run: &mut ActionRun<'_>) -> bool {
    run.settling.drain();
    run.settling.activity.is_navigating() || run.context.held_requests.first_batch().is_some()
}

/// Reports whether the page is on its way to another document, or has sent one of the texts that were filled in.
async fn has_sent(run: &mut ActionRun<'_>, filled: &[FieldInput]) -> bool {
    // A form that a script submits begins to leave in a later task of the page.
    let _ = run.tab.call_script::<bool>("awaitFrame()").await;
    run.settling.drain();
    let activity = &run.settling.activity;
    let texts: Vec<&str> = filled.iter().filter_map(FieldInput::text).collect();
    activity.is_navigating() || activity.bodies.iter().any(|body| carries_any(body, &texts))
}

/// Reports whether a body, form-encoded or JSON, has one of the texts.
fn carries_any(body: &str, texts: &[&str]) -> bool {
    let values: Vec<_> = form_urlencoded::parse(body.as_bytes()).map(|(_, value)| value).collect();
    let is_in = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        body.contains(json.trim_matches('"')) || values.iter().any(|value| value.contains(text))
    };
    texts.iter().any(|text| !text.trim().is_empty() && is_in(text))
}

async fn fill_field(tab: &Tab, field: &FieldInput, viewport: (u32, u32)) -> Result<(), PageError> {
    match &field.value {
        FieldValue::Text(text) => typing::type_into(tab, field.eid, text, true, false).await,
        FieldValue::Options(options) => select_option::choose(tab, field.eid, options, viewport).await,
        FieldValue::Checked(checked) => set_checked(tab, field.eid, *checked, viewport).await,
    }
}

/// Clicks a checkbox, switch or radio button unless it is in that state already. Fails if it is not so afterwards.
pub async fn set_checked(tab: &Tab, eid: u32, checked: bool, viewport: (u32, u32)) -> Result<(), PageError> {
    let frame_tab = tab.frame_of_element(eid);
    let state = format!("checkedState({eid})");
    if frame_tab.call_script::<bool>(&state).await? == checked {
        return Ok(());
    }
    pointer::click(tab, eid, viewport, &ClickInput::once()).await?;
    let settled = format!("checkedWithin({eid}, {checked})");
    let settled = tokio::time::timeout(STATE_TIMEOUT, frame_tab.call_script::<bool>(&settled)).await;
    if settled.map_err(|_| PageError::unresponsive(STATE_TIMEOUT))?? {
        return Ok(());
    }
    let word = if checked { "checked" } else { "unchecked" };
    Err(PageError::new(
        ErrorCode::NoEffect,
        format!("[{eid}] was clicked and is not {word}; look what it wants"),
    ))
}

fn describe_stop(done: &[FieldInput], field: &FieldInput, fault: PageError) -> PageError {
    let filled: Vec<String> = done.iter().map(|field| format!("[{}]", field.eid)).collect();
    let before = match filled.is_empty() {
        true => String::from("nothing was filled"),
        false => format!("{} filled", filled.join(", ")),
    };
    PageError { message: format!("field [{}]: {} ({before})", field.eid, fault.message), ..fault }
}

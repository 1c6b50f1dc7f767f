//! Filling several fields in one action.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::fields::{select_option, typing};
use crate::browser::input::keyboard;
use crate::browser::input::pointer::{self, ClickInput};
use crate::browser::page::tab::Tab;
use crate::turn::action::last_field;
use crate::turn::page_input::fields::{FieldInput, FieldValue};

/// Fills the fields in order; with `submit`, presses Enter in the last text field. An error names the field and those
/// that are filled by then.
pub async fn fill(
    tab: &Tab,
    fields: &[FieldInput],
    submit: bool,
    viewport: (u32, u32),
) -> Result<(), PageError> {
    for (index, field) in fields.iter().enumerate() {
        fill_field(tab, field, viewport)
            .await
            .map_err(|fault| describe_stop(&fields[..index], field, fault))?;
    }
    let Some(last) = last_field(fields).filter(|_| submit) else { return Ok(()) };
    if fields.last().is_some_and(|field| field.eid != last.eid) {
        // Other fields have been filled since, so the focus may be elsewhere.
        tab.frame_of_element(last.eid).call_script::<bool>(&format!("focusField({})", last.eid)).await?;
    }
    keyboard::press(tab, "Enter").await
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
    if frame_tab.call_script::<bool>(&settled).await? {
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

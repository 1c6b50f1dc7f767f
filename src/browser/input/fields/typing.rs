//! Typing into fields: text of any length, values of sliders and dates, named secrets.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected::js_string;
use crate::browser::input::keyboard::{insert, key_events, press, send_events};
use crate::browser::input::pointer;
use crate::browser::page::tab::Tab;
use crate::clock::Moment;
use crate::turn::named_secret;
use serde::Deserialize;
use serde_json::Value;

/// Types into a field, a named secret too, and presses Enter if `submit`.
pub async fn type_into(tab: &Tab, eid: u32, text: &str, clear: bool, submit: bool) -> Result<(), PageError> {
    pointer::wait_until_ready(tab, eid).await?;
    match named_secret::name_in(text) {
        Some(name) => type_named(tab, eid, name, clear).await?,
        None => type_text(tab, eid, text, clear).await?,
    }
    if submit { press(tab, "Enter").await } else { Ok(()) }
}

#[derive(Debug, Deserialize)]
struct Filled {
    /// "insert": type into the element; "set": assign the value of a date, colour or range field; "slide":
    /// move a custom slider with keys.
    by: String,
    /// Type of a native field, such as "number".
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    empty: bool,
    /// True if the caret must be moved to the end by a key.
    #[serde(default)]
    end: bool,
    /// Keys to press before the text: a code editor keeps a selection of its own.
    #[serde(default)]
    keys: Vec<String>,
    /// True if the field is drawn by an editor, which keeps a selection of its own: keys make it know.
    #[serde(default)]
    rich: bool,
}

/// Focuses the element and types the text; `clear` replaces its content.
pub async fn type_text(tab: &Tab, eid: u32, text: &str, clear: bool) -> Result<(), PageError> {
    let frame_tab = tab.frame_of_element(eid);
    let filled: Filled = frame_tab.act_by_script(&format!("fill({eid}, {clear})")).await?;
    if filled.by == "set" {
        let _: Value = frame_tab.act_by_script(&format!("set({eid}, {})", js_string(text))).await?;
        return Ok(());
    }
    if filled.by == "slide" {
        return slide(tab, eid, text).await;
    }
    if !filled.keys.is_empty() {
        return type_into_editor(tab, eid, text, &filled).await;
    }
    if filled.rich {
        press(tab, if clear { "Control+A" } else { "Control+End" }).await?;
    }
    if text.is_empty() {
        return if clear && !filled.empty { press(tab, "Delete").await } else { Ok(()) };
    }
    if filled.kind == "number" && !text.contains(|letter: char| letter.is_ascii_digit()) {
        // Chromium would empty the field instead.
        let message = format!("[{eid}] takes a number, and the text has no digit; nothing was typed");
        return Err(PageError::new(ErrorCode::BadValue, message));
    }
    if filled.end {
        press(tab, "End").await?;
    }
    enter_text(tab, text, filled.rich).await
}

/// Replaces the content of a plain field by one event.
pub async fn replace_text(tab: &Tab, eid: u32, text: &str) -> Result<(), PageError> {
    let _: Value = tab.frame_of_element(eid).act_by_script(&format!("fill({eid}, true)")).await?;
    insert(tab, text).await
}

/// Replaces or appends to the text of a code editor. The text is inserted at once, since editors close brackets and
/// indent while keys are pressed.
async fn type_into_editor(tab: &Tab, eid: u32, text: &str, filled: &Filled) -> Result<(), PageError> {
    for key in &filled.keys {
        press(tab, key).await?;
    }
    let frame_tab = tab.frame_of_element(eid);
    let pasted: bool =
        frame_tab.act_by_script(&format!("insertInEditor({eid}, {})", js_string(text))).await?;
    match (pasted, text.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => press(tab, "Delete").await,
        (false, false) => insert(tab, text).await,
    }
}

/// Maximum number of line breaks at the beginning of a text that are typed into an editor.
const MAX_LEADING_BREAKS: usize = 100;

/// Types text into what has the focus: key by key if it is short, else inserted, with real keys at its end. Pages enable
/// their buttons, count and suggest on the events of keys.
pub async fn enter_text(tab: &Tab, text: &str, rich: bool) -> Result<(), PageError> {
    if let Some(events) = key_events(text) {
        return send_events(tab, events).await;
    }
    if rich && text.starts_with('\n') {
        return enter_after_breaks(tab, text).await;
    }
    // Editors draw long texts anew after they were inserted, and a key may come before that.
    let (head, last) = if rich { (text, None) } else { split_last_key(text) };
    insert(tab, head).await?;
    match last {
        Some(last) => send_events(tab, key_events(last).unwrap_or_default()).await,
        // A key that types nothing.
        None => press(tab, "Shift").await,
    }
}

/// Types text that begins with line breaks into an editor by keys: Lexical drops inserted text that begins so. `Enter`
/// alone would send a message.
async fn enter_after_breaks(tab: &Tab, text: &str) -> Result<(), PageError> {
    let rest = text.trim_start_matches('\n');
    for _ in 0..(text.len() - rest.len()).min(MAX_LEADING_BREAKS) {
        press(tab, "Shift+Enter").await?;
    }
    if rest.is_empty() { Ok(()) } else { Box::pin(enter_text(tab, rest, true)).await }
}

/// Splits off the last character, if a key types it.
pub fn split_last_key(text: &str) -> (&str, Option<&str>) {
    let last = text.char_indices().next_back().filter(|(_, last)| !last.is_control());
    match last {
        // A combining character or an emoji of several characters is not torn apart.
        Some((at, last)) if last.is_alphanumeric() || last.is_ascii() => (&text[..at], Some(&text[at..])),
        Some(_) | None => (text, None),
    }
}

/// Next key presses for a slider; `key` is `None` when the slider has reached its value.
#[derive(Debug, Deserialize)]
struct Slide {
    key: Option<String>,
    #[serde(default)]
    times: u32,
}

/// Maximum number of rounds of key presses for a slider. The first round measures the step of a key.
const MAX_SLIDE_ROUNDS: usize = 24;

async fn slide(tab: &Tab, eid: u32, text: &str) -> Result<(), PageError> {
    let frame_tab = tab.frame_of_element(eid);
    let mut last = Value::Null;
    for _ in 0..MAX_SLIDE_ROUNDS {
        last = frame_tab.act_by_script(&format!("slide({eid}, {}, {last})", js_string(text))).await?;
        let next = Slide::deserialize(&last).map_err(|fault| {
            PageError::new(ErrorCode::Protocol, format!("the slider's reply cannot be parsed: {fault}"))
        })?;
        let Some(key) = next.key else { return Ok(()) };
        for _ in 0..next.times {
            press(tab, &key).await?;
        }
    }
    let message = format!("the keys do not lead to '{text}'; look where it is now");
    Err(PageError::new(ErrorCode::NotEditable, message))
}

/// Origin and kind of the field, reported by the frame that holds it.
#[derive(Debug, Deserialize)]
struct SecretField {
    origin: String,
    /// "password" or "code"; empty for any other field.
    kind: String,
}

/// Types the secret `name` into an element. The value is sent only after origin and kind of the field were
/// checked; the page script checks both again in the same task as the filling, so that nothing can change in
/// between.
async fn type_named(tab: &Tab, eid: u32, name: &str, clear: bool) -> Result<(), PageError> {
    let keys = tab.policy.secrets();
    let frame_tab = tab.frame_of_element(eid);
    let field: SecretField = frame_tab.call_script(&format!("secretPlace({eid})")).await?;
    let placeholder = named_secret::placeholder(name);
    if field.kind.is_empty() {
        return Err(misplaced_secret_error(format!(
            "{placeholder} was not typed: secrets only go into password and one-time-code fields, and [{eid}] is neither"
        )));
    }
    let origins = keys.origins(name);
    if !origins.contains(&field.origin) {
        return Err(misplaced_secret_error(format!(
            "{placeholder} was not typed: it may only be typed at {}, and [{eid}] belongs to {}",
            origins.join(", "),
            if field.origin == "null" { "a page without an origin" } else { &field.origin }
        )));
    }
    let value = keys.value(name, Moment::now());
    let value = value.ok_or_else(|| {
        misplaced_secret_error(format!("{placeholder} was not typed: there is no such secret"))
    })?;
    let call = format!("fillSecret({eid}, {clear}, {}, {})", js_string(&value), js_string(&field.origin));
    frame_tab.act_by_script::<Value>(&call).await.map(|_| ())
}

fn misplaced_secret_error(message: String) -> PageError {
    PageError::new(ErrorCode::SecretMisplaced, message)
}

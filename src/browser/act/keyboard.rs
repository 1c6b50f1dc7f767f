//! Typing text and pressing keys.

use super::keys::{Chord, Key, SHIFT};
use crate::browser::fault::{ErrorCode, PageError};
use crate::browser::tab::Tab;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, InsertTextParams,
};
use futures_util::future::join;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of characters typed key by key; longer text is inserted as if pasted.
const KEYED: usize = 64;

#[derive(Debug, Deserialize)]
struct Filled {
    /// "insert": type into the element; "set": assign the value of a date, colour or range field; "slide":
    /// move a custom slider with keys.
    by: String,
    #[serde(default)]
    empty: bool,
}

/// Focuses the element and types the text; `clear` replaces its content.
pub async fn type_text(tab: &Tab, eid: u32, text: &str, clear: bool) -> Result<(), PageError> {
    let there = tab.frame_of_element(eid);
    let filled: Filled = there.call_script(&format!("fill({eid}, {clear})")).await?;
    if filled.by == "set" {
        let _: Value = there.call_script(&format!("set({eid}, {})", js_string(text))).await?;
        return Ok(());
    }
    if filled.by == "slide" {
        return slide(tab, eid, text).await;
    }
    if text.is_empty() {
        return if clear && !filled.empty { press(tab, "Delete").await } else { Ok(()) };
    }
    match key_events(text) {
        Some(events) => send_events(tab, events).await,
        None => insert(tab, text).await,
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
const SLIDES: usize = 24;

async fn slide(tab: &Tab, eid: u32, text: &str) -> Result<(), PageError> {
    let there = tab.frame_of_element(eid);
    let mut last = Value::Null;
    for _ in 0..SLIDES {
        last = there.call_script(&format!("slide({eid}, {}, {last})", js_string(text))).await?;
        let next = Slide::deserialize(&last).map_err(|fault| {
            PageError::new(ErrorCode::Protocol, format!("the slider's answer is odd: {fault}"))
        })?;
        let Some(key) = next.key else { return Ok(()) };
        for _ in 0..next.times {
            press(tab, &key).await?;
        }
    }
    let message = format!("the keys do not lead to '{text}'; look where it is now");
    Err(PageError::new(ErrorCode::NotEditable, message))
}

/// Returns the events for typing the text key by key, for pages that mask, count or complete input on each
/// key. Returns `None` if the text is too long, or has control characters: the Enter of a line break would
/// submit a form.
pub fn key_events(text: &str) -> Option<Vec<DispatchKeyEventParams>> {
    if text.chars().count() > KEYED || text.contains(char::is_control) {
        return None;
    }
    let named = text.chars().filter_map(|character| Key::named(character.encode_utf8(&mut [0; 4])));
    let events = named.flat_map(|key| {
        let mut down = event(DispatchKeyEventType::KeyDown, &key, 0);
        down.text = key.text.clone();
        [down, event(DispatchKeyEventType::KeyUp, &key, 0)]
    });
    Some(events.collect())
}

async fn send_events(tab: &Tab, events: Vec<DispatchKeyEventParams>) -> Result<(), PageError> {
    // All events are sent before the first reply is awaited, so that no key can stay down.
    let answers = futures_util::future::join_all(events.into_iter().map(|event| tab.call(event))).await;
    match answers.into_iter().find_map(Result::err) {
        // A key that closes its own tab has succeeded.
        Some(fault) if fault.code != ErrorCode::NoPage => Err(fault),
        Some(_) | None => Ok(()),
    }
}

/// Inserts the text as an input method does, independent of the keyboard layout.
pub async fn insert(tab: &Tab, text: &str) -> Result<(), PageError> {
    tab.call(InsertTextParams::new(text)).await.map(|_| ())
}

/// Checks that the element still has the focus, since that is where the next key goes.
pub async fn check_focus(tab: &Tab, eid: u32) -> Result<(), PageError> {
    if tab.frame_of_element(eid).call_script(&format!("hasFocus({eid})")).await? {
        return Ok(());
    }
    let message = format!("nothing was pressed: the focus is not on [{eid}] any more; look again");
    Err(PageError::new(ErrorCode::FocusMoved, message))
}

/// Resolves to true if the view's size changes within 300 ms.
const RESIZED: &str = "new Promise((done) => { addEventListener('resize', () => done(true), { once: true }); \
    setTimeout(() => done(false), 300); })";

/// Presses and releases one key or chord. If the page leaves the chord to the browser and that zooms the
/// view, the zoom is reset and an error is returned.
pub async fn press(tab: &Tab, text: &str) -> Result<(), PageError> {
    let chord = Chord::parse(text)?;
    if !chord.zooms() {
        return send_chord(tab, &chord).await;
    }
    tab.ensure_world().await?;
    let (zoomed, struck) = join(tab.run::<bool>(RESIZED), send_chord(tab, &chord)).await;
    struck?;
    if zoomed.unwrap_or_default() {
        send_chord(tab, &Chord::parse("Control+0")?).await?;
        let message =
            format!("{text} zooms the browser's view and does nothing on the page; it was taken back");
        return Err(PageError::new(ErrorCode::InvalidKey, message));
    }
    Ok(())
}

async fn send_chord(tab: &Tab, chord: &Chord) -> Result<(), PageError> {
    let mut events = Vec::new();
    let mut bits = 0;
    for (modifier, bit) in &chord.modifiers {
        bits |= bit;
        events.push(event(DispatchKeyEventType::RawKeyDown, modifier, bits));
    }
    let typed = chord.key.text.clone().filter(|_| bits & !SHIFT == 0);
    let kind = if typed.is_some() { DispatchKeyEventType::KeyDown } else { DispatchKeyEventType::RawKeyDown };
    let mut down = event(kind, &chord.key, bits);
    down.text = typed;
    events.push(down);
    events.push(event(DispatchKeyEventType::KeyUp, &chord.key, bits));
    for (modifier, bit) in chord.modifiers.iter().rev() {
        bits &= !bit;
        events.push(event(DispatchKeyEventType::KeyUp, modifier, bits));
    }
    send_events(tab, events).await
}

pub fn event(kind: DispatchKeyEventType, key: &Key, modifiers: i64) -> DispatchKeyEventParams {
    let mut event = DispatchKeyEventParams::new(kind);
    event.modifiers = Some(modifiers);
    event.key = Some(key.key.clone());
    event.code = Some(key.code.clone());
    event.windows_virtual_key_code = Some(key.virtual_code);
    event.native_virtual_key_code = Some(key.virtual_code);
    event
}

/// Returns the text as a JavaScript string literal.
pub fn js_string(text: &str) -> String {
    Value::from(text).to_string()
}

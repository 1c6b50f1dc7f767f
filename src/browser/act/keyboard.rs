//! Typing and pressing keys.

use super::keys::{Chord, Key, SHIFT};
use crate::browser::fault::{Code, Fault};
use crate::browser::tab::Tab;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, InsertTextParams,
};
use futures_util::future::join;
use serde::Deserialize;
use serde_json::Value;

/// Text up to that long is typed key by key; longer text comes as if pasted in.
const KEYED: usize = 64;

#[derive(Debug, Deserialize)]
struct Filled {
    /// "insert": type into it; "set": a date, colour or range field, whose value is set; "slide": a
    /// slider of the page's own.
    by: String,
    #[serde(default)]
    empty: bool,
}

/// Puts the caret into the element and types; `clear` replaces what it holds.
pub async fn type_text(tab: &Tab, eid: u32, text: &str, clear: bool) -> Result<(), Fault> {
    let there = tab.at(eid);
    let filled: Filled = there.ask(&format!("fill({eid}, {clear})")).await?;
    if filled.by == "set" {
        let _: Value = there.ask(&format!("set({eid}, {})", quoted(text))).await?;
        return Ok(());
    }
    if filled.by == "slide" {
        return slide(tab, eid, text).await;
    }
    if text.is_empty() {
        return if clear && !filled.empty { press(tab, "Delete").await } else { Ok(()) };
    }
    match keys(text) {
        Some(events) => sent(tab, events).await,
        None => insert(tab, text).await,
    }
}

/// What a slider wants pressed next; none: it is there.
#[derive(Debug, Deserialize)]
struct Slide {
    key: Option<String>,
    #[serde(default)]
    times: u32,
}

/// Rounds of keys until a slider is where it should be. The first tells how far a key leads.
const SLIDES: usize = 24;

async fn slide(tab: &Tab, eid: u32, text: &str) -> Result<(), Fault> {
    let there = tab.at(eid);
    let mut last = Value::Null;
    for _ in 0..SLIDES {
        last = there.ask(&format!("slide({eid}, {}, {last})", quoted(text))).await?;
        let next = Slide::deserialize(&last)
            .map_err(|fault| Fault::new(Code::Protocol, format!("the slider's answer is odd: {fault}")))?;
        let Some(key) = next.key else { return Ok(()) };
        for _ in 0..next.times {
            press(tab, &key).await?;
        }
    }
    let message = format!("the keys do not lead to '{text}'; look where it is now");
    Err(Fault::new(Code::NotEditable, message))
}

/// Key by key: pages that mask, count or complete what is typed listen to each. All are on their way at
/// once, as from a quick hand. None: it is too long for that, or has lines, whose Enter would send a form.
pub fn keys(text: &str) -> Option<Vec<DispatchKeyEventParams>> {
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

async fn sent(tab: &Tab, events: Vec<DispatchKeyEventParams>) -> Result<(), Fault> {
    // All are on their way before the first answer, so that no key can stay down.
    let answers = futures_util::future::join_all(events.into_iter().map(|event| tab.call(event))).await;
    match answers.into_iter().find_map(Result::err) {
        // A key that closes its own tab has done its work.
        Some(fault) if fault.code != Code::NoPage => Err(fault),
        Some(_) | None => Ok(()),
    }
}

/// As if pasted in by a keyboard of any language.
pub async fn insert(tab: &Tab, text: &str) -> Result<(), Fault> {
    tab.call(InsertTextParams::new(text)).await.map(|_| ())
}

/// A key goes to what has the focus, and that must be this element still.
pub async fn check_focus(tab: &Tab, eid: u32) -> Result<(), Fault> {
    if tab.at(eid).ask(&format!("hasFocus({eid})")).await? {
        return Ok(());
    }
    let message = format!("nothing was pressed: the focus is not on [{eid}] any more; look again");
    Err(Fault::new(Code::FocusMoved, message))
}

/// True once the view has another size, which comes soon or not at all.
const RESIZED: &str = "new Promise((done) => { addEventListener('resize', () => done(true), { once: true }); \
    setTimeout(() => done(false), 300); })";

/// One key or chord, down and up again. One that the page leaves to the browser, and that zooms its view, is
/// taken back.
pub async fn press(tab: &Tab, text: &str) -> Result<(), Fault> {
    let chord = Chord::parse(text)?;
    if !chord.zooms() {
        return strike(tab, &chord).await;
    }
    tab.enter().await?;
    let (zoomed, struck) = join(tab.run::<bool>(RESIZED), strike(tab, &chord)).await;
    struck?;
    if zoomed.unwrap_or_default() {
        strike(tab, &Chord::parse("Control+0")?).await?;
        let message =
            format!("{text} zooms the browser's view and does nothing on the page; it was taken back");
        return Err(Fault::new(Code::InvalidKey, message));
    }
    Ok(())
}

async fn strike(tab: &Tab, chord: &Chord) -> Result<(), Fault> {
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
    sent(tab, events).await
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

/// A JavaScript string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

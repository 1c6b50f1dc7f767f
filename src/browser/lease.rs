//! Who has the hands on the page. One controller at a time: while a person holds the lease the run
//! neither looks nor acts, and every input is checked against the holder.

use super::act::keys::Key;
use super::act::{keyboard, pointer};
use super::attended::Attended;
use super::fault::{Code, Fault};
use super::link::{PATIENCE, Session};
use super::tab::{Raw, Tab};
use super::window::Window;
use super::{Browser, Here};
use crate::ids::SessionId;
use crate::protocol::client::{Hands, Held, KeyEvent, MouseEvent};
use crate::turn::action::Button;
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    InsertTextParams, MouseButton,
};
use serde::{Deserialize, Serialize};

/// Gives the page to a person. Refused while another holds it.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), Fault>")]
pub struct Take {
    pub holder: SessionId,
}

/// Takes the page back; with a holder only from that one. Says what changed meanwhile.
#[derive(Debug, Message)]
#[rtype(result = "Result<Changes, Fault>")]
pub struct HandBack {
    pub holder: Option<SessionId>,
}

/// The person's hands. Points are in 0..1 of the viewport.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), Fault>")]
pub struct Input {
    pub holder: SessionId,
    pub hands: Hands,
}

/// What a person did, as far as the run may know: never what they typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Before and after, where they differ.
    pub url: Option<(String, String)>,
    pub title: Option<(String, String)>,
    /// Names of fields that hold something else now.
    pub fields: Vec<String>,
    pub tabs: Option<(u32, u32)>,
}

#[derive(Debug, Default)]
pub struct Lease {
    holder: Option<SessionId>,
    before: Option<Before>,
    /// The button that the person holds down, for dragging.
    down: Option<Button>,
}

/// How the page stood when it was taken. The fields' values stay in the page.
#[derive(Clone, Debug, Default)]
struct Before {
    url: String,
    title: String,
    tabs: u32,
}

/// Remembers the fields' values in our own world of the page, which the page cannot see.
const REMEMBER: &str = r#"(() => {
  const held = (el) => el.type === "checkbox" || el.type === "radio" ? el.checked : el.value;
  globalThis.askfirstTaken = new Map([...document.querySelectorAll("input, textarea, select")].map((el) => [el, held(el)]));
  return [location.href, document.title];
})()"#;

/// Names of the fields that differ, then forgets.
const COMPARE: &str = r#"(() => {
  const held = (el) => el.type === "checkbox" || el.type === "radio" ? el.checked : el.value;
  const label = (el) => (el.labels?.[0]?.innerText || el.ariaLabel || el.placeholder || el.name || el.id || el.type || "").trim().slice(0, 80);
  const before = globalThis.askfirstTaken;
  const changed = before === undefined ? [] : [...document.querySelectorAll("input, textarea, select")]
    .filter((el) => before.has(el) ? before.get(el) !== held(el) : false).map(label);
  delete globalThis.askfirstTaken;
  return [location.href, document.title, [...new Set(changed)]];
})()"#;

impl Lease {
    /// Nobody but the run may act now.
    pub fn check_free(&self) -> Result<(), Fault> {
        match self.holder {
            Some(_) => Err(Fault::lease_held()),
            None => Ok(()),
        }
    }

    fn check_held_by(&self, session: &SessionId) -> Result<(), Fault> {
        if self.holder.as_ref() == Some(session) {
            return Ok(());
        }
        Err(Fault::new(Code::NoLease, "this window does not hold the page; take it over first"))
    }
}

impl Handler<Take> for Browser {
    type Result = ResponseActFuture<Self, Result<(), Fault>>;

    fn handle(&mut self, Take { holder }: Take, _: &mut Context<Self>) -> Self::Result {
        if self.lease.holder.as_ref().is_some_and(|now| *now != holder) {
            return Box::pin(actix::fut::ready(Err(Fault::lease_held())));
        }
        // From here on nothing looks or acts; what is under way gets to its end first.
        self.lease.holder = Some(holder.clone());
        let here = self.here.clone();
        Box::pin(before(here).into_actor(self).map(move |before, this, _| match before {
            Ok(before) => {
                this.lease.before = Some(before);
                Ok(())
            }
            Err(fault) => {
                // By now it may have been handed back, and taken by another.
                this.lease.holder.take_if(|now| *now == holder);
                Err(fault)
            }
        }))
    }
}

async fn before(here: Here) -> Result<Before, Fault> {
    let window = here.window().await?;
    let _turn = here.turn.lock().await;
    let (url, title) = window.current()?.run(REMEMBER).await?;
    Ok(Before { url, title, tabs: window.place().1 })
}

impl Handler<HandBack> for Browser {
    type Result = Attended<Result<Changes, Fault>>;

    fn handle(&mut self, HandBack { holder }: HandBack, _: &mut Context<Self>) -> Self::Result {
        if let Some(Err(fault)) = holder.map(|holder| self.lease.check_held_by(&holder)) {
            return Attended::now(Err(fault));
        }
        self.lease.holder = None;
        self.lease.down = None;
        let before = self.lease.before.take().unwrap_or_default();
        let here = self.here.clone();
        Attended::by(async move {
            let window = here.window().await?;
            changes(&window, &window.current()?, before).await
        })
    }
}

async fn changes(window: &Window, tab: &Tab, before: Before) -> Result<Changes, Fault> {
    let (url, title, fields): (String, String, Vec<String>) = tab.run(COMPARE).await?;
    let differ = |was: String, is: String| (was != is).then_some((was, is));
    let tabs = window.place().1;
    Ok(Changes {
        url: differ(before.url, url),
        title: differ(before.title, title),
        fields,
        tabs: (before.tabs != tabs).then_some((before.tabs, tabs)),
    })
}

impl Handler<Input> for Browser {
    type Result = Attended<Result<(), Fault>>;

    fn handle(&mut self, Input { holder, hands }: Input, _: &mut Context<Self>) -> Self::Result {
        match self.hand(&holder, hands) {
            // Sent in the order of the messages; answered when the page has taken it.
            Ok((session, order)) => {
                let taken = session.begin(order, PATIENCE);
                Attended::by(async move { taken.await.map(|_| ()) })
            }
            Err(fault) => Attended::now(Err(fault)),
        }
    }
}

impl Browser {
    fn hand(&mut self, holder: &SessionId, hands: Hands) -> Result<(Session, Raw), Fault> {
        self.lease.check_held_by(holder)?;
        let window = self.here.window.borrow().clone();
        let session = window.ok_or_else(Fault::crashed)?.current()?.session;
        Ok((session, order(&mut self.lease.down, self.here.config.viewport, hands)))
    }
}

fn order(down: &mut Option<Button>, viewport: (u32, u32), hands: Hands) -> Raw {
    match hands {
        Hands::Mouse { event, x, y, button, count } => {
            Raw::of(&mouse(down, event, point(viewport, x, y), button, count.unwrap_or(1)))
        }
        Hands::Wheel { x, y, dx, dy } => {
            let mut order = pointer::mouse(DispatchMouseEventType::MouseWheel, point(viewport, x, y));
            order.delta_x = Some(dx);
            order.delta_y = Some(dy);
            Raw::of(&order)
        }
        Hands::Key { event, key, code, modifiers } => {
            Raw::of(&key_event(event, &key, &code, i64::from(modifiers & 15)))
        }
        Hands::Text { text } => Raw::of(&InsertTextParams::new(text)),
    }
}

fn point((width, height): (u32, u32), x: f64, y: f64) -> pointer::Point {
    let within = |part: f64, whole: u32| part.clamp(0.0, 1.0) * f64::from(whole);
    pointer::Point { x: within(x, width), y: within(y, height) }
}

fn mouse(
    down: &mut Option<Button>,
    event: MouseEvent,
    at: pointer::Point,
    held: Held,
    count: u32,
) -> DispatchMouseEventParams {
    let button = match held {
        Held::Left => Some(Button::Left),
        Held::Right => Some(Button::Right),
        Held::Middle => Some(Button::Middle),
        Held::None => None,
    };
    match (event, button) {
        // Without a button nothing is pressed.
        (MouseEvent::Move, _) | (MouseEvent::Down | MouseEvent::Up, None) => {
            let mut order = pointer::mouse(DispatchMouseEventType::MouseMoved, at);
            // A move with a button held is a drag.
            order.button = Some(down.map_or(MouseButton::None, pointer::named));
            order.buttons = down.map(bits);
            order
        }
        (MouseEvent::Down, Some(button)) => {
            *down = Some(button);
            pointer::pressed(DispatchMouseEventType::MousePressed, at, button, count.clamp(1, 3))
        }
        (MouseEvent::Up, Some(button)) => {
            *down = None;
            pointer::pressed(DispatchMouseEventType::MouseReleased, at, button, count.clamp(1, 3))
        }
    }
}

fn bits(button: Button) -> i64 {
    match button {
        Button::Left => 1,
        Button::Right => 2,
        Button::Middle => 4,
    }
}

fn key_event(event: KeyEvent, name: &str, code: &str, modifiers: i64) -> DispatchKeyEventParams {
    let mut key = Key::named(name).unwrap_or_else(|| Key {
        key: name.to_owned(),
        code: String::new(),
        virtual_code: 0,
        text: None,
    });
    if !code.is_empty() {
        code.clone_into(&mut key.code);
    }
    let typed = key.text.clone().filter(|_| modifiers & !super::act::keys::SHIFT == 0);
    let kind = match (event, &typed) {
        (KeyEvent::Up, _) => DispatchKeyEventType::KeyUp,
        (KeyEvent::Down, Some(_)) => DispatchKeyEventType::KeyDown,
        (KeyEvent::Down, None) => DispatchKeyEventType::RawKeyDown,
    };
    let mut order = keyboard::event(kind, &key, modifiers);
    order.text = typed.filter(|_| event == KeyEvent::Down);
    order
}

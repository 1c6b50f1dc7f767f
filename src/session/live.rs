//! The live view of one socket: which page it watches, and which pictures are under way to it.

use super::outbox::Pictures;
use super::{Context, Session};
use crate::browser::Browser;
use crate::browser::supervisor::{Find, Supervisor};
use crate::browser::viewer::{Picture, Unwatch, Watch};
use crate::ids::{RunId, SessionId};
use crate::metrics;
use crate::protocol::picture::{self, Header};
use crate::store::rows::FactRow;
use actix::prelude::*;

const WIDTH: u32 = 1280;
const FPS: u32 = 30;
const QUALITY: u32 = 60;

/// What `view` asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    pub on: bool,
    pub max_width: Option<u32>,
    pub max_fps: Option<u32>,
    pub quality: Option<u32>,
}

#[derive(Default)]
pub struct Live {
    /// Counts the wishes: an answer to an older one comes too late.
    wish: u64,
    /// The run tree that is watched, whether or not it has a page by now.
    watched: Option<(RunId, Wish)>,
    browser: Option<Addr<Browser>>,
    pictures: Pictures<Picture>,
}

impl Live {
    /// A page may have opened, or another one taken its place.
    pub fn noticed(&self, fact: &FactRow, browsers: &Addr<Supervisor>, ctx: &mut Context) {
        let watches = self.watched.as_ref().is_some_and(|(root, _)| *root == fact.root);
        let opens = ["\"observation\"", "\"action_started\"", "\"status\"", "\"lease\""];
        if watches && opens.iter().any(|word| fact.body.contains(word)) {
            seek(fact.root.clone(), browsers, ctx);
        }
    }

    pub fn acknowledged(&mut self, frame: u32, ctx: &mut Context) {
        if let Some((_, next)) = self.pictures.acknowledged(frame) {
            send(&next, ctx);
        }
    }

    pub fn close(&mut self, session: &SessionId) {
        self.wish += 1;
        self.watched = None;
        if let Some(browser) = self.browser.take() {
            browser.do_send(Unwatch { session: session.clone() });
        }
    }

    /// The run tree of a wish is known; whether it is still what the client wishes.
    fn found(&mut self, nth: u64, root: &RunId, wish: Wish) -> bool {
        let current = self.wish == nth;
        if current {
            self.watched = Some((root.clone(), wish));
        }
        current
    }

    fn attach(
        &mut self,
        session: &SessionId,
        root: &RunId,
        browser: Option<Addr<Browser>>,
        ctx: &mut Context,
    ) {
        let Some((watched, wish)) = &self.watched else { return };
        if watched != root || self.browser == browser {
            return;
        }
        // Another page in its place: the old one draws for nobody any more.
        if let Some(old) = self.browser.take() {
            old.do_send(Unwatch { session: session.clone() });
        }
        if let Some(browser) = &browser {
            browser.do_send(Watch {
                session: session.clone(),
                viewer: ctx.address().recipient(),
                max_width: wish.max_width.unwrap_or(WIDTH).clamp(160, 3840),
                max_fps: wish.max_fps.unwrap_or(FPS).clamp(1, 60),
                quality: wish.quality.unwrap_or(QUALITY).clamp(10, 95),
            });
        }
        self.browser = browser;
    }
}

impl Session {
    pub(super) fn view(&mut self, run: RunId, wish: Wish, ctx: &mut Context) {
        self.live.close(&self.id);
        self.live.pictures = Pictures::default();
        if !wish.on {
            return;
        }
        let (nth, found) = (self.live.wish, self.lines.engine.store.run(run.clone()));
        ctx.spawn(found.into_actor(self).map(move |row, session, ctx| match row {
            Ok(Some(row)) => {
                if session.live.found(nth, &row.root, wish) {
                    seek(row.root, &session.lines.browsers, ctx);
                }
            }
            Ok(None) => session.error("unknown_run", &format!("there is no run {run}"), ctx),
            Err(fault) => session.internal(&fault, ctx),
        }));
    }
}

/// Looks for the page of a run tree, which may not be open yet.
fn seek(root: RunId, browsers: &Addr<Supervisor>, ctx: &mut Context) {
    let found = browsers.send(Find { owner: root.clone() });
    ctx.spawn(actix::fut::wrap_future::<_, Session>(found).map(
        move |browser, session: &mut Session, ctx| {
            let browser = browser.ok().flatten();
            let id = session.id.clone();
            session.live.attach(&id, &root, browser, ctx);
        },
    ));
}

impl Handler<Picture> for Session {
    type Result = ();

    fn handle(&mut self, picture: Picture, ctx: &mut Self::Context) {
        if self.live.watched.is_none() {
            return;
        }
        if let Some((_, picture)) = self.live.pictures.offer(picture.frame, picture) {
            send(&picture, ctx);
        }
    }
}

fn send(picture: &Picture, ctx: &mut Context) {
    metrics::LIVE_FRAMES.one([]);
    let age_ms = crate::clock::Moment::now().millis() as f64 - picture.captured_at_ms;
    metrics::LIVE_FRAME_AGE.took([], age_ms.max(0.0) / 1000.0);
    let header = Header {
        frame: picture.frame,
        captured_at: picture.captured_at_ms,
        width: u16::try_from(picture.width).unwrap_or(u16::MAX),
        height: u16::try_from(picture.height).unwrap_or(u16::MAX),
    };
    ctx.binary(picture::encode(header, &picture.jpeg));
}

#[cfg(test)]
mod tests {
    use super::*;

    // PROTOCOL 1.1 `view`: the last word counts, however late the store answers to an earlier one.
    #[test]
    fn a_late_answer_to_an_older_wish_changes_nothing() {
        let (mut live, session) = (Live::default(), SessionId::from("s"));
        let wish = Wish { on: true, max_width: None, max_fps: None, quality: None };
        live.close(&session);
        let first = live.wish;
        live.close(&session);
        let second = live.wish;
        assert!(live.found(second, &RunId::from("second"), wish));
        assert!(!live.found(first, &RunId::from("first"), wish));
        assert!(live.watched.as_ref().is_some_and(|(root, _)| *root == RunId::from("second")));
        live.close(&session);
        assert!(!live.found(second, &RunId::from("second"), wish));
        assert!(live.watched.is_none());
    }
}

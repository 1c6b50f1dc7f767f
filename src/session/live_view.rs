//! Live view of one socket: the watched page and the pictures sent but not yet acknowledged.

use crate::browser::actor::Browser;
use crate::browser::pool::messages::FindBrowser;
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::screencast::viewer::{ScreencastFrame, Unwatch, Watch};
use crate::clock::Moment;
use crate::ids::{RunId, SessionId};
use crate::metrics;
use crate::protocol::picture::{self, Header};
use crate::session::outbox::Pictures;
use crate::session::state::{Context, Live, Session, ViewRequest};
use crate::store::rows::EventRow;
use actix::prelude::*;

const WIDTH: u32 = 1280;
const FPS: u32 = 30;
const QUALITY: u32 = 60;

impl Live {
    /// Looks for the page again after events that may mean that it was opened or replaced.
    pub fn noticed(&self, fact: &EventRow, browsers: &Addr<Supervisor>, ctx: &mut Context) {
        let watches = self.watched.as_ref().is_some_and(|(root, _)| *root == fact.root);
        let opens = ["\"observation\"", "\"action_started\"", "\"status\"", "\"lease\""];
        if watches && opens.iter().any(|word| fact.body.contains(word)) {
            seek(fact.root.clone(), browsers, ctx);
        }
    }

    pub fn acknowledged(&mut self, frame: u32, ctx: &mut Context) {
        let Some(tag) = self.tag() else { return };
        if let Some((_, next)) = self.pictures.acknowledged(frame) {
            send(&next, tag, ctx);
        }
    }

    /// Returns the tag of the current `view`, or `None` if no page is watched.
    fn tag(&self) -> Option<u32> {
        self.watched.as_ref().map(|(_, wish)| wish.tag)
    }

    pub fn close(&mut self, session: &SessionId) {
        if let Some(browser) = self.leave() {
            browser.do_send(Unwatch { session: session.clone() });
        }
    }

    /// Stops watching. Returns the browser that still sends pictures, if any.
    fn leave(&mut self) -> Option<Addr<Browser>> {
        self.wish += 1;
        self.watched = None;
        self.browser.take()
    }

    /// The run tree of a wish is known; whether it is still what the client wishes.
    fn found(&mut self, nth: u64, root: &RunId, wish: ViewRequest) -> bool {
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
        // The page was replaced: the old browser need not draw for this socket any more.
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
    pub(crate) fn view(&mut self, run: RunId, wish: ViewRequest, ctx: &mut Context) {
        let before = self.live.leave();
        self.live.pictures = Pictures::default();
        let left = before.map(|browser| browser.send(Unwatch { session: self.id.clone() }));
        let (nth, found) = (self.live.wish, self.lines.engine.store.run(run.clone()));
        // Wait until the browser of the previous page has stopped. Its last pictures have then arrived and
        // been dropped, so none is taken for a picture of the next page.
        let found = async move {
            if let Some(left) = left {
                let _ = left.await; // a browser that is gone sends nothing either
            }
            found.await
        };
        if !wish.on {
            ctx.spawn(found.into_actor(self).map(|_, _, _| ()));
            return;
        }
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

/// Asks the supervisor for the browser of a run tree, which may not be open yet.
fn seek(root: RunId, browsers: &Addr<Supervisor>, ctx: &mut Context) {
    let found = browsers.send(FindBrowser { owner: root.clone() });
    ctx.spawn(actix::fut::wrap_future::<_, Session>(found).map(
        move |browser, session: &mut Session, ctx| {
            let browser = browser.ok().flatten();
            let id = session.id.clone();
            session.live.attach(&id, &root, browser, ctx);
        },
    ));
}

impl Handler<ScreencastFrame> for Session {
    type Result = ();

    fn handle(&mut self, picture: ScreencastFrame, ctx: &mut Self::Context) {
        let Some(tag) = self.live.tag() else { return };
        if let Some((_, picture)) = self.live.pictures.offer(picture.frame, picture) {
            send(&picture, tag, ctx);
        }
    }
}

fn send(picture: &ScreencastFrame, tag: u32, ctx: &mut Context) {
    metrics::LIVE_FRAMES.increment([]);
    let age_ms = Moment::now().millis() as f64 - picture.captured_at_ms;
    metrics::LIVE_FRAME_AGE.observe([], age_ms.max(0.0) / 1000.0);
    let header = Header {
        frame: picture.frame,
        captured_at: picture.captured_at_ms,
        width: u16::try_from(picture.width).unwrap_or(u16::MAX),
        height: u16::try_from(picture.height).unwrap_or(u16::MAX),
        tag,
    };
    ctx.binary(picture::encode_frame(header, &picture.jpeg));
}

#[cfg(test)]
mod tests {
    use super::*;

    // The last `view` counts, however late the store answers an earlier one (docs/protocol.md).
    #[test]
    fn a_late_reply_to_an_older_view_request_changes_nothing() {
        let (mut live, session) = (Live::default(), SessionId::from("s"));
        let wish = ViewRequest { on: true, max_width: None, max_fps: None, quality: None, tag: 0 };
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

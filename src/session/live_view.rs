//! Live view of one socket: the watched page and the pictures sent but not yet acknowledged.

use crate::browser::actor::Browser;
use crate::browser::pool::messages::FindBrowser;
use crate::browser::screencast::viewer::{ScreencastFrame, Unwatch, Watch};
use crate::clock::Moment;
use crate::ids::{RunId, SessionId};
use crate::metrics;
use crate::protocol::picture::{self, Header};
use crate::session::outbox::PictureQueue;
use crate::session::state::{Context, Live, Session, ViewRequest};
use crate::store::rows::EventRow;
use actix::prelude::*;

const WIDTH: u32 = 1280;
const FPS: u32 = 30;
const QUALITY: u32 = 60;

impl Live {
    /// Returns the run tree that is watched, whether or not it has a page by now.
    pub(crate) fn watched_root(&self) -> Option<&RunId> {
        self.watched.as_ref().map(|(root, _)| root)
    }

    /// Returns the request by which a run tree is watched; `None` if it is not.
    pub(crate) fn request_for(&self, root: &RunId) -> Option<ViewRequest> {
        self.watched.as_ref().filter(|(watched, _)| watched == root).map(|(_, request)| *request)
    }

    /// Leaves the browser that sends pictures, if any.
    pub(crate) fn leave_browser(&mut self, session: &SessionId) {
        if let Some(browser) = self.browser.take() {
            browser.do_send(Unwatch { session: session.clone() });
        }
    }

    /// Handles the acknowledgement of a picture, and sends the one that waits for it.
    pub fn acknowledge(&mut self, frame: u32, ctx: &mut Context) {
        let Some(tag) = self.tag() else { return };
        if let Some((_, next)) = self.pictures.acknowledge(frame) {
            send_picture(&next, tag, ctx);
        }
    }

    /// Returns the tag of the current `view`, or `None` if no page is watched.
    fn tag(&self) -> Option<u32> {
        self.watched.as_ref().map(|(_, request)| request.tag)
    }

    /// Stops the pictures when the socket is gone.
    pub fn close(&mut self, session: &SessionId) {
        if let Some(browser) = self.stop_watching() {
            browser.do_send(Unwatch { session: session.clone() });
        }
    }

    /// Stops watching. Returns the browser that still sends pictures, if any.
    fn stop_watching(&mut self) -> Option<Addr<Browser>> {
        self.request_number += 1;
        self.watched = None;
        self.browser.take()
    }

    /// Records the run tree of view request `request_number`. Returns false if a newer request has come.
    fn set_watched(&mut self, request_number: u64, root: &RunId, request: ViewRequest) -> bool {
        let current = self.request_number == request_number;
        if current {
            self.watched = Some((root.clone(), request));
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
        let Some(request) = self.request_for(root).filter(|_| self.browser != browser) else { return };
        // The page was replaced: the old browser need not draw for this socket any more.
        self.leave_browser(session);
        if let Some(browser) = &browser {
            browser.do_send(Watch {
                session: session.clone(),
                viewer: ctx.address().recipient(),
                max_width: request.max_width.unwrap_or(WIDTH).clamp(160, 3840),
                max_fps: request.max_fps.unwrap_or(FPS).clamp(1, 60),
                quality: request.quality.unwrap_or(QUALITY).clamp(10, 95),
            });
        }
        self.browser = browser;
    }
}

impl Session {
    pub(crate) fn set_view(&mut self, run: RunId, request: ViewRequest, ctx: &mut Context) {
        let before = self.live.stop_watching();
        self.live.pictures = PictureQueue::default();
        let stopped = before.map(|browser| browser.send(Unwatch { session: self.id.clone() }));
        let (request_number, found) = (self.live.request_number, self.deps.services.store.run(run.clone()));
        // Wait until the browser of the previous page has stopped. Its last pictures have then arrived and
        // been dropped, so none is taken for a picture of the next page.
        let found = async move {
            if let Some(stopped) = stopped {
                let _ = stopped.await; // a browser that is gone sends nothing either
            }
            found.await
        };
        if !request.on {
            self.end_views_elsewhere(None);
            ctx.spawn(found.into_actor(self).map(|_, _, _| ()));
            return;
        }
        ctx.spawn(found.into_actor(self).map(move |row, session, ctx| match row {
            Ok(Some(row)) if session.may_reach(&row.root) => {
                if session.live.set_watched(request_number, &row.root, request) {
                    session.end_views_elsewhere(Some(&row.root));
                    session.attach(row.root, ctx);
                }
            }
            Ok(_) => session.send_error("unknown_run", &format!("there is no run {run}"), ctx),
            Err(fault) => session.send_internal_error(&fault, ctx),
        }));
    }
}

impl Session {
    /// Looks for the page again after events that may mean that it was opened or replaced.
    pub(crate) fn attach_if_page_changed(&mut self, fact: &EventRow, ctx: &mut Context) {
        let opens = ["\"observation\"", "\"action_started\"", "\"status\"", "\"lease\""];
        if self.live.watched_root() == Some(&fact.root) && opens.iter().any(|word| fact.body.contains(word)) {
            self.attach(fact.root.clone(), ctx);
        }
    }

    /// Has the pictures of a watched run tree sent, by its browser or by the node that owns it. It may have no page yet.
    pub(crate) fn attach(&mut self, root: RunId, ctx: &mut Context) {
        if self.is_elsewhere(&root) {
            return self.watch_elsewhere(&root, ctx);
        }
        self.end_views_elsewhere(None);
        let found = self.deps.browsers.send(FindBrowser { owner: root.clone() });
        ctx.spawn(found.into_actor(self).map(move |browser, session, ctx| {
            let id = session.id.clone();
            session.live.attach(&id, &root, browser.ok().flatten(), ctx);
        }));
    }
}

impl Handler<ScreencastFrame> for Session {
    type Result = ();

    fn handle(&mut self, picture: ScreencastFrame, ctx: &mut Self::Context) {
        let Some(tag) = self.live.tag() else { return };
        if let Some((_, picture)) = self.live.pictures.offer(picture.frame, picture) {
            send_picture(&picture, tag, ctx);
        }
    }
}

fn send_picture(picture: &ScreencastFrame, tag: u32, ctx: &mut Context) {
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
        let request = ViewRequest { on: true, max_width: None, max_fps: None, quality: None, tag: 0 };
        live.close(&session);
        let first = live.request_number;
        live.close(&session);
        let second = live.request_number;
        assert!(live.set_watched(second, &RunId::from("second"), request));
        assert!(!live.set_watched(first, &RunId::from("first"), request));
        assert!(live.watched.as_ref().is_some_and(|(root, _)| *root == RunId::from("second")));
        live.close(&session);
        assert!(!live.set_watched(second, &RunId::from("second"), request));
        assert!(live.watched.is_none());
    }
}

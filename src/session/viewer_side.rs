//! Session of a viewer whose run is of another node: opens links to the owner, and passes frames between them and the socket.

use crate::engine::error::RunRequestError;
use crate::engine::takeover::lease::LeaseRefusal;
use crate::ids::{RunId, SessionId};
use crate::protocol::picture;
use crate::session::relay::RelayedViewer;
use crate::session::relay::link::{FromOwner, LinkEnd, NewLink, OwnerFrame};
use crate::session::relay::link_table::InputResult;
use crate::session::state::{Context, Session, ViewRequest};
use crate::store::Store;
use actix::prelude::*;
use serde_json::json;
use std::sync::Arc;

impl Session {
    /// True if another node works on the tree, so that its page is reached over a link. A relayed session has no links.
    pub(crate) fn is_elsewhere(&self, root: &RunId) -> bool {
        self.relayed.is_none() && self.deps.relay.is_some() && !self.deps.services.store.owns(root)
    }

    /// Has the owner of the watched tree send pictures, unless it does or the next attempt to reach it is waited for.
    pub(crate) fn watch_elsewhere(&mut self, root: &RunId, ctx: &mut Context) {
        let Some(request) = self.live.request_for(root) else { return };
        let number = self.live.request_number;
        if self.links.is_waiting() || self.links.shows_view(root, number) {
            return;
        }
        self.live.leave_browser(&self.id);
        if !self.links.leads_to(root) {
            self.open_link(root, ctx);
        }
        self.links.set_view(root, number);
        self.send_to_owner(root, view_frame(root, &request), ctx);
    }

    /// Ends the pictures of trees of other nodes, but of this one.
    pub(crate) fn end_views_elsewhere(&mut self, except: Option<&RunId>) {
        for root in self.links.end_views(except) {
            self.links.send(&root, json!({"type": "view", "run_id": root, "on": false}).to_string());
        }
    }

    /// Asks the owner of a tree for its page.
    pub(crate) fn take_over_elsewhere(&mut self, root: &RunId, run: &RunId, ctx: &mut Context) {
        self.takeover.access = None;
        if !self.links.leads_to(root) {
            self.open_link(root, ctx);
        }
        self.links.set_takeover(root);
        let frame = json!({"type": "control", "run_id": run, "command": "take_over"});
        self.send_to_owner(root, frame.to_string(), ctx);
    }

    /// Hands a page back to its owner. Returns false if none was asked for over a link.
    pub(crate) fn hand_back_elsewhere(&mut self, run: &RunId, ctx: &mut Context) -> bool {
        let Some(root) = self.links.takeover().cloned() else { return false };
        let frame = json!({"type": "control", "run_id": run, "command": "hand_back"});
        self.send_to_owner(&root, frame.to_string(), ctx);
        true
    }

    /// Sends an input to the owner of the page that this socket has asked for there.
    pub(crate) fn send_input_elsewhere(&mut self, frame: &str, is_move: bool, ctx: &mut Context) {
        if self.links.send_input(frame, is_move) == InputResult::Dropped {
            let message = "the connection to the page does not keep up; what you did last was dropped";
            self.send_error("busy", message, ctx);
        }
    }

    /// Handles the acknowledgement of a picture. Returns false if it is of a page of this node.
    pub(crate) fn acknowledge_elsewhere(&mut self, picture: u32) -> bool {
        let Some(root) = self.live.watched_root().filter(|root| self.links.leads_to(root)).cloned() else {
            return false;
        };
        if self.links.acknowledge(&root, picture) {
            self.links.send(&root, json!({"type": "frame_ack", "frame": picture}).to_string());
        }
        true
    }

    fn send_to_owner(&self, root: &RunId, frame: String, ctx: &mut Context) {
        if !self.links.send(root, frame) {
            self.send_error(
                "busy",
                "the connection to the page does not keep up; try again in a moment",
                ctx,
            );
        }
    }

    fn open_link(&mut self, root: &RunId, ctx: &mut Context) {
        let Some(relay) = &self.deps.relay else { return };
        let (number, frames) = self.links.open(root);
        let link = NewLink {
            root: root.clone(),
            number,
            viewer: RelayedViewer { session: self.id.clone(), client: self.client.clone() },
            store: Arc::clone(&self.deps.services.store),
            client: relay.client.clone(),
            frames,
            to: ctx.address().recipient(),
        };
        let root = root.clone();
        ctx.spawn(link.run().into_actor(self).map(move |end, session, ctx| {
            session.handle_link_end(root, number, &end, ctx);
        }));
    }

    /// Connects again if the tree is watched, by then perhaps to another owner. A page that was asked for is not asked for
    /// again: its run goes on without the person, or waits for them.
    fn handle_link_end(&mut self, root: RunId, number: u64, end: &LinkEnd, ctx: &mut Context) {
        let Some(was_asked) = self.links.end(&root, number) else { return };
        tracing::debug!(session_id = %self.id, run_id = %root, ?end, "link to the owner ended");
        let is_watched = self.live.request_for(&root).is_some();
        let retry = is_watched.then(|| self.links.retry_after(end));
        if was_asked || retry.as_ref().is_some_and(|retry| retry.report) {
            self.send_refusal(&RunRequestError::NoPage(end.message()), None, ctx);
        }
        if let Some(retry) = retry {
            ctx.run_later(retry.after, move |session, ctx| {
                if session.links.begin_attempt(retry.attempt) {
                    session.attach(root, ctx);
                }
            });
        }
    }
}

impl Handler<FromOwner> for Session {
    type Result = ();

    fn handle(&mut self, FromOwner { root, link, frame }: FromOwner, ctx: &mut Self::Context) {
        if !self.links.is_current(&root, link) {
            return;
        }
        self.links.note_frame(&root);
        match frame {
            OwnerFrame::Text(text) => ctx.text(text),
            OwnerFrame::Picture(bytes) if self.live.request_for(&root).is_some() => {
                if let Some(number) = picture::frame_number(&bytes) {
                    self.links.note_picture(&root, number);
                    ctx.binary(bytes);
                }
            }
            OwnerFrame::Picture(_) => {}
        }
    }
}

/// A page that a viewer asks for.
pub(crate) struct RequestedPage {
    /// Root of its tree; `None` if there is no such run.
    pub root: Option<RunId>,
    pub has_ended: bool,
}

/// Looks up the tree of a run. Refused if the session holds the page of the tree `asked`.
pub(crate) async fn find_page(
    store: Arc<dyn Store>,
    run: RunId,
    holder: SessionId,
    asked: Option<RunId>,
) -> Result<RequestedPage, RunRequestError> {
    if let Some(asked) = asked
        && store.lease(asked).await?.is_some_and(|lease| lease.holder.as_ref() == Some(&holder))
    {
        return Err(LeaseRefusal::AlreadyHolding.into());
    }
    let row = store.run(run).await?;
    let has_ended = row.as_ref().is_some_and(|row| row.ended_at.is_some());
    Ok(RequestedPage { root: row.map(|row| row.root), has_ended })
}

/// The frame `view` of a request.
fn view_frame(root: &RunId, request: &ViewRequest) -> String {
    let ViewRequest { on, max_width, max_fps, quality, tag } = request;
    json!({
        "type": "view", "run_id": root, "on": on, "max_width": max_width, "max_fps": max_fps, "quality": quality,
        "tag": tag,
    })
    .to_string()
}

//! Session of a link, at the node that owns the run tree: sends pictures and dialogs to the viewer of another node, and takes
//! their input. It sends no events, which the viewer's own node reads from the store.

use crate::engine::registry::feed::Follow;
use crate::engine::registry::takeovers::SocketLost;
use crate::ids::RunId;
use crate::session::relay::relayed_sessions::{Enter, GiveWay, Leave};
use crate::session::relay::{MOVED, RelayedViewer};
use crate::session::state::{Context, Session};
use actix::prelude::*;
use actix_web_actors::ws;

impl Session {
    /// Makes this the session of a viewer at another node, for one run tree.
    pub fn for_viewer(self, viewer: RelayedViewer, root: RunId) -> Self {
        Self { id: viewer.session, client: viewer.client, has_greeted: true, relayed: Some(root), ..self }
    }

    /// True if the viewer may see and take over the pages of a tree.
    pub(crate) fn may_reach(&self, root: &RunId) -> bool {
        self.relayed.as_ref().is_none_or(|relayed| relayed == root)
    }

    /// Begins the work for the viewer, once an earlier link of theirs has given way.
    pub(crate) fn begin_relayed(&mut self, root: RunId, ctx: &mut Context) {
        // Events tell when a page was opened, and when the tree is no longer of this node.
        self.deps.feed.do_send(Follow { root, follower: ctx.address().recipient() });
        if let Some(relay) = &self.deps.relay {
            let enter = Enter { viewer: self.id.clone(), session: ctx.address().recipient() };
            ctx.wait(relay.sessions.send(enter).into_actor(self).map(|_, _, _| ()));
        }
    }

    /// Closes the link if the tree is no longer of this node: the viewer's node looks for the new owner.
    pub(crate) fn close_if_moved(&mut self, ctx: &mut Context) {
        let has_moved = |root: &RunId| !self.deps.services.store.owns(root);
        if self.relayed.as_ref().is_some_and(has_moved) {
            ctx.close(Some(ws::CloseCode::Other(MOVED).into()));
            ctx.stop();
        }
    }

    /// Ends the pictures and the take-over of this socket. No effect the second time.
    pub(crate) fn release_page(&mut self) {
        self.live.close(&self.id);
        if !std::mem::replace(&mut self.has_released, true) {
            self.deps.registry.do_send(SocketLost { by: self.id.clone() });
        }
    }

    /// Removes a relayed session from those of the node.
    pub(crate) fn leave_relayed(&self, ctx: &mut Context) {
        if let Some(relay) = self.deps.relay.as_ref().filter(|_| self.relayed.is_some()) {
            relay.sessions.do_send(Leave { viewer: self.id.clone(), session: ctx.address().recipient() });
        }
    }
}

impl Handler<GiveWay> for Session {
    type Result = ();

    fn handle(&mut self, _: GiveWay, ctx: &mut Self::Context) {
        self.release_page();
        ctx.close(None);
        ctx.stop();
    }
}

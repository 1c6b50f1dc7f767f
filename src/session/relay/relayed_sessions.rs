//! Relayed sessions of a node, by the viewer's session. A node that has lost its connection may connect again before the loss is
//! noticed here; the earlier session ends first then, as its end would take the page from the later one.

use crate::ids::SessionId;
use actix::prelude::*;
use futures_util::FutureExt;
use std::collections::HashMap;

/// Asks a relayed session to end its take-over and its view, and to stop. Answered when both have been told.
#[derive(Message)]
#[rtype(result = "()")]
pub struct GiveWay;

/// Registers a relayed session. Answered when an earlier one of the same viewer has given way.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Enter {
    pub viewer: SessionId,
    pub session: Recipient<GiveWay>,
}

/// Removes a relayed session that has stopped.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Leave {
    pub viewer: SessionId,
    pub session: Recipient<GiveWay>,
}

/// Actor that knows the relayed sessions of a node.
#[derive(Default)]
pub struct RelayedSessions {
    sessions: HashMap<SessionId, Recipient<GiveWay>>,
}

impl Actor for RelayedSessions {
    type Context = Context<Self>;
}

impl Handler<Enter> for RelayedSessions {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, Enter { viewer, session }: Enter, _: &mut Self::Context) -> Self::Result {
        let earlier = self.sessions.insert(viewer, session);
        async move {
            if let Some(earlier) = earlier {
                // It has given way if it has stopped.
                let _ = earlier.send(GiveWay).await;
            }
        }
        .boxed_local()
    }
}

impl Handler<Leave> for RelayedSessions {
    type Result = ();

    fn handle(&mut self, Leave { viewer, session }: Leave, _: &mut Self::Context) {
        if self.sessions.get(&viewer) == Some(&session) {
            self.sessions.remove(&viewer);
        }
    }
}

//! Sends the number of questions that wait for a person to sockets that subscribed to it. The events of a
//! socket cover its own runs only; this number covers all runs.

use crate::engine::registry::feed::{QuestionsChanged, SubscribeQuestions};
use crate::protocol::server::Reply;
use crate::session::replies::reply;
use crate::session::state::{Context, CountQuery, Session};
use actix::prelude::*;

impl Session {
    pub(crate) fn subscribe_questions(&mut self, ctx: &mut Context) {
        self.deps.feed.do_send(SubscribeQuestions(ctx.address().recipient()));
        self.send_count(ctx);
    }

    fn send_count(&mut self, ctx: &mut Context) {
        if self.count_query != CountQuery::Idle {
            self.count_query = CountQuery::Again;
            return;
        }
        self.count_query = CountQuery::UnderWay;
        let total = self.deps.services.store.count_waiting(None);
        ctx.spawn(total.into_actor(self).map(|total, session, ctx| {
            match total {
                Ok(total) => reply(&Reply::Waiting { total }, ctx),
                Err(fault) => session.send_internal_error(&fault, ctx),
            }
            if std::mem::take(&mut session.count_query) == CountQuery::Again {
                session.send_count(ctx);
            }
        }));
    }
}

impl Handler<QuestionsChanged> for Session {
    type Result = ();

    fn handle(&mut self, _: QuestionsChanged, ctx: &mut Self::Context) {
        self.send_count(ctx);
    }
}

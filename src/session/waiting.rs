//! The number of questions that wait for a person, told to sockets that asked for it. A socket hears of the facts of its
//! own runs only; this number is of all.

use super::replies::reply;
use super::{Context, Session};
use crate::protocol::server::Reply;
use crate::run::feed::{HearQuestions, QuestionsMoved};
use actix::prelude::*;

/// The counting of one socket: at most one at a time, and one more where something has moved meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    #[default]
    Idle,
    UnderWay,
    Again,
}

impl Session {
    pub(super) fn hear_questions(&mut self, ctx: &mut Context) {
        self.lines.feed.do_send(HearQuestions(ctx.address().recipient()));
        self.count(ctx);
    }

    fn count(&mut self, ctx: &mut Context) {
        if self.counting != Counting::Idle {
            self.counting = Counting::Again;
            return;
        }
        self.counting = Counting::UnderWay;
        let total = self.lines.engine.store.count_waiting(None);
        ctx.spawn(total.into_actor(self).map(|total, session, ctx| {
            match total {
                Ok(total) => reply(&Reply::Waiting { total }, ctx),
                Err(fault) => session.internal(&fault, ctx),
            }
            if std::mem::take(&mut session.counting) == Counting::Again {
                session.count(ctx);
            }
        }));
    }
}

impl Handler<QuestionsMoved> for Session {
    type Result = ();

    fn handle(&mut self, _: QuestionsMoved, ctx: &mut Self::Context) {
        self.count(ctx);
    }
}

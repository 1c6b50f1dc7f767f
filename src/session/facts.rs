//! Facts on their way to one socket: live from the feed, or read from the store where it is behind.

use super::outbox::Step;
use super::{Context, Session};
use crate::ids::RunId;
use crate::run::feed::{Follow, News};
use crate::store::rows::FactRow;
use actix::prelude::*;
use std::time::Duration;

/// Facts read from the store at once.
const PAGE: usize = 128;
/// A store that could not be read is asked again after so long.
const AGAIN: Duration = Duration::from_secs(1);

impl Handler<News> for Session {
    type Result = ();

    fn handle(&mut self, News(fact): News, ctx: &mut Self::Context) {
        match self.outbox.news(&fact.root, fact.seq) {
            Step::Send => self.send(&fact, ctx),
            Step::Read(after) => self.read_on(fact.root.clone(), after, ctx),
            Step::Nothing => {}
        }
        self.live.noticed(&fact, &self.lines.browsers, ctx);
    }
}

impl Session {
    /// From now on every fact of the run tree after `after`, in order.
    pub(super) fn follow(&mut self, root: RunId, after: u64, ctx: &mut Context) {
        self.lines.feed.do_send(Follow { root: root.clone(), follower: ctx.address().recipient() });
        if let Step::Read(after) = self.outbox.follow(&root, after) {
            self.read_on(root, after, ctx);
        }
    }

    fn read_on(&mut self, root: RunId, after: u64, ctx: &mut Context) {
        let facts = self.lines.engine.store.facts(root.clone(), after, PAGE);
        ctx.spawn(facts.into_actor(self).map(move |facts, session, ctx| match facts {
            Ok(facts) => {
                for fact in &facts {
                    if session.outbox.stored(&root, fact.seq) {
                        session.send(fact, ctx);
                    }
                }
                session.unread.remove(&root);
                if let Step::Read(after) = session.outbox.read(&root, facts.len() == PAGE) {
                    session.read_on(root, after, ctx);
                }
            }
            Err(fault) => {
                // Said once; the facts come when they can be read.
                if session.unread.insert(root.clone()) {
                    session.internal(&fault, ctx);
                }
                ctx.run_later(AGAIN, move |session, ctx| session.read_on(root, after, ctx));
            }
        }));
    }

    fn send(&self, fact: &FactRow, ctx: &mut Context) {
        ctx.text(fact.frame());
        if let Some(mark) = self.outbox.mark() {
            ctx.ping(mark.to_string().as_bytes());
        }
    }

    /// A pong with a mark: the client has taken everything up to it.
    pub(super) fn caught_up(&mut self, bytes: &[u8], ctx: &mut Context) {
        let mark = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        for (root, after) in mark.map(|mark| self.outbox.taken(mark)).unwrap_or_default() {
            self.read_on(root, after, ctx);
        }
    }
}

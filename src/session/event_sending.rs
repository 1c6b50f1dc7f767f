//! Sends the events of a run tree to one socket: live from the feed, or read from the store where the socket
//! is behind.

use crate::engine::registry::feed::{DraftWritten, Follow, FollowedEvent, SubscribeDrafts, TreeDeleted};
use crate::ids::RunId;
use crate::protocol::caller;
use crate::protocol::markdown;
use crate::protocol::server::Reply;
use crate::session::outbox::OutboxAction;
use crate::session::replies::reply;
use crate::session::state::{Context, Session};
use crate::store::rows::EventRow;
use actix::prelude::*;
use std::time::Duration;

/// Maximum number of events read from the store at once.
const READ_LIMIT: usize = 128;
/// Delay before the store is read again after an error.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Handler<FollowedEvent> for Session {
    type Result = ();

    fn handle(&mut self, FollowedEvent(fact): FollowedEvent, ctx: &mut Self::Context) {
        match self.outbox.handle_new_event(&fact.root, fact.seq) {
            OutboxAction::Send => self.send_event(&fact, ctx),
            OutboxAction::Read(after) => self.read_events(fact.root.clone(), after, ctx),
            OutboxAction::Nothing => {}
        }
        self.close_if_moved(ctx);
        self.attach_if_page_changed(&fact, ctx);
    }
}

impl Handler<TreeDeleted> for Session {
    type Result = ();

    fn handle(&mut self, TreeDeleted { root }: TreeDeleted, ctx: &mut Self::Context) {
        if self.outbox.forget(&root) {
            self.failed_reads.remove(&root);
            self.send_deleted(&root, ctx);
        }
    }
}

impl Handler<DraftWritten> for Session {
    type Result = ();

    fn handle(&mut self, draft: DraftWritten, ctx: &mut Self::Context) {
        let DraftWritten { root, run, text } = draft;
        // A socket that is behind would get the draft before events that come first.
        if self.outbox.is_current(&root) {
            let html = markdown::safe_html(&text);
            let frame = Reply::Writing { run_id: run, root_run_id: root, text: text.to_string(), html };
            reply(&frame, ctx);
        }
    }
}

impl Session {
    /// Subscribes to messages while models write them.
    pub(crate) fn subscribe_drafts(&self, ctx: &mut Context) {
        self.deps.feed.do_send(SubscribeDrafts(ctx.address().recipient()));
    }

    /// Sends every event of the run tree after number `after`, in order, and goes on with new ones.
    pub(crate) fn follow(&mut self, root: RunId, after: u64, ctx: &mut Context) {
        self.deps.feed.do_send(Follow { root: root.clone(), follower: ctx.address().recipient() });
        if let OutboxAction::Read(after) = self.outbox.follow(&root, after) {
            self.read_events(root, after, ctx);
        }
    }

    fn read_events(&mut self, root: RunId, after: u64, ctx: &mut Context) {
        let facts = self.deps.services.store.events(root.clone(), after, READ_LIMIT);
        ctx.spawn(facts.into_actor(self).map(move |facts, session, ctx| match facts {
            Ok(facts) => {
                for fact in &facts {
                    if session.outbox.handle_stored_event(&root, fact.seq) {
                        session.send_event(fact, ctx);
                    }
                }
                session.failed_reads.remove(&root);
                if let OutboxAction::Read(after) =
                    session.outbox.finish_read(&root, facts.len() == READ_LIMIT)
                {
                    session.read_events(root, after, ctx);
                }
            }
            Err(fault) => {
                // Reported once; the read is repeated until it succeeds.
                if session.failed_reads.insert(root.clone()) {
                    session.send_internal_error(&fault, ctx);
                }
                ctx.run_later(RETRY_DELAY, move |session, ctx| session.read_events(root, after, ctx));
            }
        }));
    }

    fn send_event(&self, fact: &EventRow, ctx: &mut Context) {
        ctx.text(caller::mark_own(fact.frame(), &self.client.id));
        if let Some(mark) = self.outbox.due_mark() {
            ctx.ping(mark.to_string().as_bytes());
        }
    }

    /// Handles a pong with a mark: the client has received every event up to that mark.
    pub(crate) fn handle_pong(&mut self, bytes: &[u8], ctx: &mut Context) {
        let mark = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        for (root, after) in mark.map(|mark| self.outbox.acknowledge_events(mark)).unwrap_or_default() {
            self.read_events(root, after, ctx);
        }
    }
}

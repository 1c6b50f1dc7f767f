//! Follows a run for one request: the events of its tree, and whether more can be expected. The feed only
//! signals that there are new events. The events themselves are read from the store, so none is lost or sent
//! twice, and a slow reader costs no memory.

use crate::engine::registry::feed::{Feed, Follow, FollowedEvent, Unfollow};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::error::StoreError;
use crate::store::rows::{EventRow, QuestionRow, RunRow};
use actix::prelude::*;
use std::ops::Deref;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of events read from the store at once.
const PAGE: usize = 256;

/// The feed's follower for one request; it only signals the request.
struct FeedListener(watch::Sender<u64>);

impl Actor for FeedListener {
    type Context = Context<Self>;
}

impl Handler<FollowedEvent> for FeedListener {
    type Result = ();

    fn handle(&mut self, FollowedEvent(event): FollowedEvent, _: &mut Self::Context) {
        self.0.send_replace(event.seq);
    }
}

/// A followed run; dropping it ends the subscription.
pub struct RunFollower<S> {
    service: S,
    run: RunId,
    root: RunId,
    /// Number of the last event read.
    after: u64,
    signal: watch::Receiver<u64>,
    listener: Addr<FeedListener>,
    feed: Addr<Feed>,
}

impl<S: Deref<Target = Service>> RunFollower<S> {
    /// Subscribes to the run tree. Events stored before this returns can be read from the store; later ones
    /// are signalled.
    pub async fn begin(service: S, run: &RunId, after: u64) -> Result<Self, Problem> {
        let root = service.run(run).await?.root;
        let feed = service.feed.clone();
        let (sender, signal) = watch::channel(0);
        // Callers may run outside the arbiter's own tasks, as those of rmcp do.
        let listener = FeedListener::start_in_arbiter(&Arbiter::current(), |_| FeedListener(sender));
        let follower = Self { service, run: run.clone(), root, after, signal, listener, feed };
        let follow = Follow { root: follower.root.clone(), follower: follower.listener.clone().recipient() };
        follower.feed.send(follow).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(follower)
    }

    pub fn service(&self) -> &Service {
        &self.service
    }

    pub fn root(&self) -> &RunId {
        &self.root
    }

    pub fn last_read(&self) -> u64 {
        self.after
    }

    /// Returns the next unread events of the tree, in order; empty if there are none yet.
    pub async fn next_events(&mut self) -> Result<Vec<EventRow>, StoreError> {
        let events = self.service.store().events(self.root.clone(), self.after, PAGE).await?;
        self.after = events.last().map_or(self.after, |last| last.seq);
        Ok(events)
    }

    /// Returns the status of the run. Events up to this moment can be read afterwards.
    pub async fn snapshot(&self) -> Result<RunSnapshot, Problem> {
        let row = self.service.run(&self.run).await?;
        let questions = self.service.store().open_questions(Some(self.root.clone())).await?;
        Ok(RunSnapshot { row, questions })
    }

    /// Waits until an event has been stored since the last call.
    pub async fn wait_for_event(&mut self) -> Result<(), StoreError> {
        self.signal.changed().await.map_err(|_| StoreError::Stopped)
    }

    /// Waits at most `time` for an event. Returns true if there is one.
    pub async fn wait_for_event_within(&mut self, time: Duration) -> Result<bool, StoreError> {
        match tokio::time::timeout(time, self.wait_for_event()).await {
            Ok(result) => result.map(|()| true),
            Err(_) => Ok(false),
        }
    }
}

impl<S> Drop for RunFollower<S> {
    fn drop(&mut self) {
        self.feed.do_send(Unfollow { follower: self.listener.clone().recipient() });
    }
}

/// Status of a run at a moment, with the open questions of its tree.
pub struct RunSnapshot {
    pub row: RunRow,
    pub questions: Vec<QuestionRow>,
}

/// Reason why a run makes no progress until a person does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltReason {
    Ended,
    /// The run, or a run below it, waits for an answer.
    AwaitsAnswer,
    Paused,
    /// The run waits for a message; its background work goes on.
    AwaitsMessage,
}

impl RunSnapshot {
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let is = |status: Status| self.row.status == status.word();
        if self.row.ended_at.is_some() {
            Some(HaltReason::Ended)
        } else if !self.questions.is_empty() {
            Some(HaltReason::AwaitsAnswer)
        } else if is(Status::Paused) {
            Some(HaltReason::Paused)
        } else {
            (is(Status::Waiting) && self.row.question.is_none()).then_some(HaltReason::AwaitsMessage)
        }
    }
}

pub fn has_ended(row: &RunRow) -> bool {
    Status::from_word(&row.status).is_some_and(Status::is_outcome)
}

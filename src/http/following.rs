//! Following a run for one request: what happens in its tree, and whether there is still something to wait for. The
//! feed only rings that there is more; the facts themselves are read from the store, so nothing is missed or sent
//! twice and a slow reader costs no memory.

use super::problem::Problem;
use super::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::run::feed::{Feed, Follow, News, Unfollow};
use crate::store::StoreError;
use crate::store::rows::{FactRow, QuestionRow, RunRow};
use actix::prelude::*;
use std::ops::Deref;
use std::time::Duration;
use tokio::sync::watch;

/// Facts read from the store at once.
const PAGE: usize = 256;

/// The feed's follower for one request: owns nothing but a bell that it rings.
struct Bell(watch::Sender<u64>);

impl Actor for Bell {
    type Context = Context<Self>;
}

impl Handler<News> for Bell {
    type Result = ();

    fn handle(&mut self, News(fact): News, _: &mut Self::Context) {
        self.0.send_replace(fact.seq);
    }
}

/// A run that is followed until this is dropped.
pub struct Following<S> {
    service: S,
    run: RunId,
    root: RunId,
    /// Facts up to this one have been read.
    after: u64,
    rung: watch::Receiver<u64>,
    bell: Addr<Bell>,
    feed: Addr<Feed>,
}

impl<S: Deref<Target = Service>> Following<S> {
    /// From the moment of its return on, no fact is stored without the bell being rung; whatever was stored before
    /// can be read from the store.
    pub async fn begin(service: S, run: &RunId, after: u64) -> Result<Self, Problem> {
        let root = service.run(run).await?.root;
        let feed = service.feed.clone();
        let (ring, rung) = watch::channel(0);
        // Also from a task that is none of the arbiter's own, as rmcp's are.
        let bell = Bell::start_in_arbiter(&Arbiter::current(), |_| Bell(ring));
        let following = Self { service, run: run.clone(), root, after, rung, bell, feed };
        let follow = Follow { root: following.root.clone(), follower: following.bell.clone().recipient() };
        following.feed.send(follow).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(following)
    }

    pub fn service(&self) -> &Service {
        &self.service
    }

    pub fn root(&self) -> &RunId {
        &self.root
    }

    pub fn seen(&self) -> u64 {
        self.after
    }

    /// Facts of the tree that have not been read, in order; none if there are none now.
    pub async fn facts(&mut self) -> Result<Vec<FactRow>, StoreError> {
        let facts = self.service.store().facts(self.root.clone(), self.after, PAGE).await?;
        self.after = facts.last().map_or(self.after, |last| last.seq);
        Ok(facts)
    }

    /// How it stands. All that it came to by then is told by facts that are read later.
    pub async fn stood(&self) -> Result<Stood, Problem> {
        let row = self.service.run(&self.run).await?;
        let questions = self.service.store().open_questions(Some(self.root.clone())).await?;
        Ok(Stood { row, questions })
    }

    /// Returns when a fact has been stored since the last call.
    pub async fn rung(&mut self) -> Result<(), StoreError> {
        self.rung.changed().await.map_err(|_| StoreError::Stopped)
    }

    /// The same, for so long at most; whether there is one.
    pub async fn rung_within(&mut self, time: Duration) -> Result<bool, StoreError> {
        match tokio::time::timeout(time, self.rung()).await {
            Ok(rung) => rung.map(|()| true),
            Err(_) => Ok(false),
        }
    }
}

impl<S> Drop for Following<S> {
    fn drop(&mut self) {
        self.feed.do_send(Unfollow { follower: self.bell.clone().recipient() });
    }
}

/// How a run stood at a moment, with the open questions of its tree.
pub struct Stood {
    pub row: RunRow,
    pub questions: Vec<QuestionRow>,
}

/// Why nothing more comes of a run until a person does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Ended,
    /// It, or a run below it, waits for an answer.
    Asks,
    Paused,
    /// It waits for words; its tasks go on.
    Rests,
}

impl Stood {
    pub fn over(&self) -> Option<Over> {
        let is = |status: Status| self.row.status == status.word();
        if self.row.ended_at.is_some() {
            Some(Over::Ended)
        } else if !self.questions.is_empty() {
            Some(Over::Asks)
        } else if is(Status::Paused) {
            Some(Over::Paused)
        } else {
            (is(Status::Waiting) && self.row.question.is_none()).then_some(Over::Rests)
        }
    }
}

pub fn has_ended(row: &RunRow) -> bool {
    Status::from_word(&row.status).is_some_and(Status::is_outcome)
}

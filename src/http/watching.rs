//! Following a run tree for one request. The feed only rings that there is more; the facts themselves
//! are read from the store, so nothing is missed or sent twice and a slow reader costs no memory.

use super::problem::Problem;
use super::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::run::archive::Written;
use crate::run::feed::{Feed, Follow, News, Unfollow};
use crate::store::StoreError;
use crate::store::rows::RunRow;
use actix::prelude::*;
use std::time::Duration;
use tokio::sync::watch;

/// How long a request waits where it does not say.
const PATIENCE: Duration = Duration::from_secs(600);

/// How long the files of a run that has ended are waited for, in a line with those of others.
const FILES: Duration = Duration::from_secs(2);

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

/// A run tree that is followed until this is dropped.
pub struct Watch {
    rung: watch::Receiver<u64>,
    bell: Addr<Bell>,
    feed: Addr<Feed>,
}

impl Watch {
    /// From the moment of its return on, no fact is stored without the bell being rung; whatever was
    /// stored before can be read from the store.
    pub async fn begin(feed: &Addr<Feed>, root: &RunId) -> Result<Self, Problem> {
        let (ring, rung) = watch::channel(0);
        // Also from a task that is none of the arbiter's own, as rmcp's are.
        let bell = Bell::start_in_arbiter(&Arbiter::current(), |_| Bell(ring));
        let watch = Self { rung, bell, feed: feed.clone() };
        let follow = Follow { root: root.clone(), follower: watch.bell.clone().recipient() };
        feed.send(follow).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(watch)
    }

    /// Returns when a fact has been stored since the last call.
    pub async fn rung(&mut self) -> Result<(), StoreError> {
        self.rung.changed().await.map_err(|_| StoreError::Stopped)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.feed.do_send(Unfollow { follower: self.bell.clone().recipient() });
    }
}

/// Why a wait for a run was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Ended,
    /// Or it rests, and its tasks go on.
    Asks,
    TimeUp,
}

/// Waits until the run has ended, or it (or a run below it) asks something, or it rests, or the time is up.
pub async fn settled(service: &Service, run: &RunId, timeout_ms: Option<u64>) -> Result<Over, Problem> {
    let root = service.run(run).await?.root;
    let mut watch = Watch::begin(&service.feed, &root).await?;
    let look = async {
        loop {
            let row = service.run(run).await?;
            if let Some(ended_at) = row.ended_at {
                // Whoever is told of the end finds its files.
                let written = Written { run: run.clone(), ended_at };
                let _ = tokio::time::timeout(FILES, service.engine.archive.send(written)).await;
                return Ok(Over::Ended);
            }
            let rests = row.status == Status::Waiting.word() && row.question.is_none();
            if rests || !service.store().open_questions(Some(root.clone())).await?.is_empty() {
                return Ok(Over::Asks);
            }
            watch.rung().await?;
        }
    };
    let time = timeout_ms.map_or(PATIENCE, Duration::from_millis);
    tokio::time::timeout(time, look).await.unwrap_or(Ok(Over::TimeUp))
}

/// Waits a moment for the run to stand as `wanted`, and tells how it stands then.
pub async fn stands(
    service: &Service,
    run: &RunId,
    wanted: impl Fn(&RunRow) -> bool,
    time: Duration,
) -> Result<(RunRow, bool), Problem> {
    let mut row = service.run(run).await?;
    let mut watch = Watch::begin(&service.feed, &row.root).await?;
    let look = async {
        loop {
            row = service.run(run).await?;
            if wanted(&row) {
                return Ok::<_, Problem>(());
            }
            watch.rung().await?;
        }
    };
    match tokio::time::timeout(time, look).await {
        Ok(result) => result.map(|()| (row, true)),
        Err(_) => Ok((service.run(run).await?, false)),
    }
}

pub fn has_ended(row: &RunRow) -> bool {
    Status::from_word(&row.status).is_some_and(Status::is_outcome)
}

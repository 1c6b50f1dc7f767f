//! The registry actor: which run is at work where; finding, steering and restoring runs.
//!
//! It owns the addresses of the runs at work and the orders sent to each, so that an order to a run
//! that is just leaving reaches the actor that comes after it; and the leases of pages (`takeover`
//! hears of them, `handover` does what follows). Of a run that is not at work and whose page nobody
//! has or wants it keeps nothing. It knows no state of a run. How runs are started is `starting`, what
//! people say to them `answers`.

use super::deleting::{self, Space};
use super::error::RegistryError;
use super::leases::Leases;
use super::lifecycle::{self, Refusal, Turnpoint};
use super::{Children, Do, Engine, Left, Order, Run, answers, arrears, lease, progress};
use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::Store;
use crate::store::rows::{RunRow, Wish, WishRow, Wished};
use actix::prelude::*;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Stop, pause or resume, for the run and its children. It is stored before it is answered.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Control {
    pub run: RunId,
    pub command: Steer,
}

pub use crate::store::rows::Wish as Steer;

/// The service stops: every run stays where its last checkpoint is, and none is woken any more.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SetAside;

/// Whether this run is at work: something steps it.
#[derive(Message)]
#[rtype(result = "bool")]
pub struct IsAtWork {
    pub run: RunId,
}

/// How many runs are at work.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct AtWork;

pub struct Registry {
    pub(super) engine: Arc<Engine>,
    pub(super) leases: Leases,
    at_work: HashMap<RunId, AtWorkRun>,
    /// Work beside the runs: what it does not come to is done after the next start.
    beside: Vec<SpawnHandle>,
    /// Whether the service stops.
    closed: bool,
    /// Runs from before then are nobody's to wake.
    pub(super) since: Option<Moment>,
    /// Runs of which nothing can be read: their time may be up as long as it likes.
    pub(super) unreadable: HashSet<RunId>,
    pub(super) space: Space,
}

struct AtWorkRun {
    address: Addr<Run>,
    /// Orders since this actor began, kept until it has said which of them it heard.
    orders: Vec<Do>,
}

pub(super) type Work = LocalBoxFuture<'static, Result<Vec<(RunId, Order)>, RegistryError>>;

impl Registry {
    pub fn new(engine: Arc<Engine>) -> Self {
        Self {
            engine,
            leases: Leases::default(),
            at_work: HashMap::new(),
            beside: Vec::new(),
            closed: false,
            since: None,
            unreadable: HashSet::new(),
            space: Space::default(),
        }
    }

    /// Leaves runs that were under way, and their questions, as they are.
    pub fn leaving_others(self) -> Self {
        Self { since: Some(Moment::now()), ..self }
    }

    pub(super) fn is_at_work(&self, run: &RunId) -> bool {
        self.at_work.contains_key(run)
    }

    /// Sends an order to the run's actor, or wakes one for it.
    pub(super) fn order(&mut self, run: RunId, order: Order, ctx: &mut Context<Self>) {
        let steps_on = matches!(order, Order::Wake | Order::Read(_));
        if steps_on && !self.is_at_work(&run) && self.leases.keeps_still(&run) {
            // What it is woken for is stored; without its page it could do nothing with it.
            self.leases.late.insert(run);
        } else if let Some(entry) = self.at_work.get_mut(&run) {
            let n = entry.orders.last().map_or(0, |last| last.n) + 1;
            let order = Do { n, order };
            entry.orders.push(order.clone());
            entry.address.do_send(order);
        } else {
            self.wake(run, vec![Do { n: 1, order }], ctx);
        }
    }

    fn wake(&mut self, run: RunId, orders: Vec<Do>, ctx: &mut Context<Self>) {
        if self.closed {
            return;
        }
        let address = Run::new(run.clone(), Arc::clone(&self.engine), &ctx.address(), orders.clone()).start();
        self.at_work.insert(run, AtWorkRun { address, orders });
    }

    /// Does slow work aside, then gives out the orders that come of it.
    pub(super) fn aside(&self, work: Work) -> ResponseActFuture<Self, Result<(), RegistryError>> {
        Box::pin(work.into_actor(self).map(|result, registry, ctx| {
            for (run, order) in result? {
                registry.order(run, order, ctx);
            }
            Ok(())
        }))
    }
}

impl Actor for Registry {
    type Context = Context<Self>;

    /// Everything that was under way when the process ended goes on.
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.run_interval(answers::TICK, Self::expire);
        let (engine, since) = (Arc::clone(&self.engine), self.since);
        self.beside.push(ctx.spawn(async move { progress::tell(&engine, since).await }.into_actor(self)));
        if self.since.is_some() {
            return;
        }
        self.park_all(ctx);
        let engine = Arc::clone(&self.engine);
        self.beside.push(ctx.spawn(async move { arrears::make_up(&engine).await }.into_actor(self)));
        let leftovers = deleting::at_start(Arc::clone(&self.engine));
        self.beside.push(ctx.spawn(leftovers.into_actor(self)));
        let work: Work = under_way(Arc::clone(&self.engine.store)).boxed_local();
        ctx.wait(self.aside(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::error!(%fault, "runs not restored");
            }
        }));
    }
}

impl Handler<Control> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, Control { run, command }: Control, _: &mut Self::Context) -> Self::Result {
        let store = Arc::clone(&self.engine.store);
        let row = permitted(Arc::clone(&store), run.clone(), command);
        let steered = run.clone();
        let wished = row.into_actor(self).then(move |row, registry, _| {
            // Sent to the store in the same moment in which nobody has the page.
            let sent = row.and_then(|row| match command {
                Steer::Resume if registry.leases.is_in_hands(&row.root) => Err(lease::Refusal::Held.into()),
                Steer::Stop | Steer::Pause | Steer::Resume => {
                    Ok((row.root, registry.engine.store.wish(run, command, true)))
                }
            });
            let stored = async move {
                let (root, sent) = sent?;
                Ok((root, sent.await?.ok_or(Refusal::Ended)?))
            };
            stored.into_actor(registry)
        });
        Box::pin(wished.map(move |wished: Result<_, RegistryError>, registry, ctx| {
            let (root, Wished { row, runs }) = wished?;
            if command == Steer::Resume {
                if registry.leases.is_in_hands(&root) {
                    // Somebody took the page meanwhile.
                    let withdrawn = store.unwish(row.n).into_actor(registry);
                    ctx.spawn(withdrawn.map(move |withdrawn, _, _| {
                        if let Err(fault) = withdrawn {
                            tracing::warn!(run_id = %steered, %fault, "a refused resume stays stored");
                        }
                    }));
                    return Err(lease::Refusal::Held.into());
                }
                registry.happens(&root, lease::Event::Resumed, ctx)?;
            }
            // Children stand still, go on and end with it.
            for run in runs {
                registry.order(run, Order::Wish(row), ctx);
            }
            Ok(())
        }))
    }
}

/// Runs that were under way when the process ended, each with its order.
async fn under_way(store: Arc<dyn Store>) -> Result<Vec<(RunId, Order)>, RegistryError> {
    let mut runs = store.standing(vec!["running", "queued"]).await?;
    runs.extend(store.unheard().await?);
    runs.extend(store.wishes().await?.into_iter().map(|(run, _)| run));
    for waiting in store.standing(vec!["waiting"]).await? {
        // Only those whose answer came and was not taken yet.
        let answered = match store.run(waiting.clone()).await?.and_then(|row| row.question) {
            Some(reference) => {
                store.question(reference).await?.is_some_and(|question| question.resolved_by.is_some())
            }
            None => false,
        };
        if answered {
            runs.push(waiting);
        }
    }
    let orphans = store.orphans().await?;
    let lapsed = store.ephemeral().await?;
    let mut seen = HashSet::new();
    runs.retain(|run| seen.insert(run.clone()) && !orphans.contains(run) && !lapsed.contains(run));
    let woken = runs.into_iter().map(|run| (run, Order::Wake));
    let stopped = orphans.into_iter().map(|run| (run, Order::Stop));
    Ok(woken.chain(stopped).chain(lapsed.into_iter().map(|run| (run, Order::Lapse))).collect())
}

/// The run, if it can do what is wanted of it now.
async fn permitted(store: Arc<dyn Store>, run: RunId, command: Steer) -> Result<RunRow, RegistryError> {
    let row = store.run(run.clone()).await?.ok_or_else(|| unknown(&run))?;
    let status = Status::from_word(&row.status).unwrap_or(Status::Failed);
    let event = match command {
        Steer::Stop => Turnpoint::Stop,
        // Nothing moves; only a pause that comes while it is asking holds it.
        Steer::Pause if status == Status::Waiting && row.question.is_some() => {
            return Err(Refusal::Waiting.into());
        }
        Steer::Pause => Turnpoint::Pause,
        Steer::Resume => Turnpoint::Resume,
    };
    // An answer may be on its way into a run that still stands as waiting; stop is for all.
    let Err(refusal) = lifecycle::next(status, event) else { return Ok(row) };
    // An earlier wish that it has not come to may be taken back.
    let opposite = match command {
        Steer::Stop => None,
        Steer::Pause => Some(Steer::Resume),
        Steer::Resume => Some(Steer::Pause),
    };
    let pending = store.wishes().await?.into_iter().find(|(wished, _)| *wished == run);
    if pending.is_some_and(|(_, pending)| Some(pending.wish) == opposite) {
        Ok(row)
    } else {
        Err(refusal.into())
    }
}

impl Handler<Left> for Registry {
    type Result = ();

    fn handle(&mut self, left: Left, ctx: &mut Self::Context) {
        let Left { run, heard, again, status, parent, called, passes, living, unreadable } = left;
        let resumes =
            |order: &Order| matches!(order, Order::Resume | Order::Wish(WishRow { wish: Wish::Resume, .. }));
        if passes.as_ref().is_none_or(resumes) {
            called.into_iter().for_each(|child| self.order(child, Order::Wake, ctx));
        }
        match (passes, living) {
            (None, _) => {}
            (Some(order), Some(living)) => {
                living.into_iter().for_each(|child| self.order(child, order.clone(), ctx));
            }
            (Some(order), None) => self.pass_below(run.clone(), order, ctx),
        }
        if unreadable {
            self.unreadable.insert(run.clone());
        } else {
            self.unreadable.remove(&run);
        }
        if let Some(parent) = parent {
            self.order(parent, Order::Wake, ctx);
        }
        let Some(entry) = self.at_work.remove(&run) else { return };
        let unheard: Vec<Do> = entry.orders.into_iter().filter(|order| order.n > heard).collect();
        if again || !unheard.is_empty() {
            return self.wake(run, unheard, ctx);
        }
        self.leases.rests(&run);
        if status.is_outcome()
            && let Some(root) = self.leases.root_of(&run)
        {
            // An end is never refused.
            let _ = self.happens(&root, lease::Event::Ended, ctx);
        }
    }
}

impl Handler<Children> for Registry {
    type Result = ();

    fn handle(&mut self, Children { begin, stop }: Children, ctx: &mut Self::Context) {
        begin.into_iter().for_each(|child| self.order(child, Order::Wake, ctx));
        stop.into_iter().for_each(|child| self.order(child, Order::Stop, ctx));
    }
}

impl Handler<SetAside> for Registry {
    type Result = ();

    fn handle(&mut self, _: SetAside, ctx: &mut Self::Context) {
        self.closed = true;
        for work in self.beside.drain(..) {
            ctx.cancel_future(work);
        }
        for (_, run) in self.at_work.drain() {
            run.address.do_send(super::Aside);
        }
    }
}

impl Handler<IsAtWork> for Registry {
    type Result = bool;

    fn handle(&mut self, IsAtWork { run }: IsAtWork, _: &mut Self::Context) -> bool {
        self.is_at_work(&run)
    }
}

impl Handler<AtWork> for Registry {
    type Result = usize;

    fn handle(&mut self, _: AtWork, _: &mut Self::Context) -> usize {
        self.at_work.len()
    }
}

pub(super) fn unknown(run: &RunId) -> RegistryError {
    RegistryError::UnknownRun(run.clone())
}

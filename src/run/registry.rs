//! The registry actor: which run is at work where; starting, finding and restoring runs.
//!
//! It owns the addresses of the runs at work and the orders sent to each, so that an order to a run
//! that is just leaving reaches the actor that comes after it; and the leases of pages (`takeover`
//! hears of them, `handover` does what follows). Of a run that is not at work and whose page nobody
//! has or wants it keeps nothing. It knows no state of a run and answers no question itself: it has
//! the answer stored (once) and wakes the run.

use super::aside::Begun;
use super::checkpoint;
use super::error::RegistryError;
use super::lease;
use super::leases::Leases;
use super::lifecycle::{self, Refusal, Turnpoint};
use super::resolving;
use super::{Do, Engine, Left, Order, Run, arrears};
use crate::clock::Moment;
use crate::ids::{QuestionId, RunId, SessionId};
use crate::program::bounds::Bounds;
use crate::program::{ProgramError, Programs};
use crate::protocol::Status;
use crate::protocol::client::Answer;
use crate::protocol::server::{Fact, Question, ResolvedBy};
use crate::store::StoreError;
use crate::store::rows::{Answered, NewRun, QuestionRow, Resolution};
use crate::turn::typed;
use actix::prelude::*;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// How often open questions, and runs at rest, are looked at for one whose time is up.
const EXPIRY_TICK: Duration = Duration::from_millis(500);

/// Starts a run. Replies with its id, or with that of the run that has the same idempotency key.
#[derive(Message)]
#[rtype(result = "Result<RunId, RegistryError>")]
pub struct Start {
    pub agent: String,
    pub input: Map<String, Value>,
    pub idempotency_key: Option<String>,
}

/// The next message of a run; the answer, if the run waits for words or for hands.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Say {
    pub run: RunId,
    pub text: String,
}

/// Answers a question. Only people reach this message: no program holds an address of the registry.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Reply {
    pub reference: QuestionId,
    pub answer: Answer,
    /// The socket that it came by, if it came by one.
    pub by: Option<SessionId>,
}

/// Stop, pause or resume; `stop` takes the children along.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Control {
    pub run: RunId,
    pub command: Steer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steer {
    Stop,
    Pause,
    Resume,
}

/// The service stops: every run stays where its last checkpoint is, and none is woken any more.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SetAside;

/// How many runs are at work.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct AtWork;

pub struct Registry {
    pub(super) engine: Arc<Engine>,
    pub(super) leases: Leases,
    at_work: HashMap<RunId, AtWorkRun>,
    /// Whether the service stops.
    closed: bool,
    /// Runs from before then are nobody's to wake.
    since: Option<Moment>,
    /// Runs of which nothing can be read: their time may be up as long as it likes.
    unreadable: HashSet<RunId>,
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
            closed: false,
            since: None,
            unreadable: HashSet::new(),
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
        let registry = ctx.address().recipient();
        let address = Run::new(run.clone(), Arc::clone(&self.engine), registry, orders.clone()).start();
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

    fn expire(&mut self, ctx: &mut Context<Self>) {
        let (store, since) = (Arc::clone(&self.engine.store), self.since);
        let unreadable = self.unreadable.clone();
        let work: Work = async move {
            let mut orders = Vec::new();
            for row in store.open_questions(None).await? {
                let left = since.is_some_and(|since| row.asked_at < since);
                if !left && row.expires_at.is_some_and(|at| at <= Moment::now()) {
                    let answered =
                        checkpoint::answered(&row.reference, ResolvedBy::Expired, &Answer::default(), None);
                    let resolution = resolving::resolve(&*store, &row, answered, "expired").await?;
                    if let Resolution::Resolved { run, .. } = resolution {
                        orders.push((run, Order::Wake));
                    }
                }
            }
            let overdue = store.overdue(Moment::now()).await?;
            for run in overdue.into_iter().filter(|run| !unreadable.contains(run)) {
                let row = if since.is_some() { store.run(run.clone()).await? } else { None };
                if row.is_none_or(|row| since.is_none_or(|since| row.created_at >= since)) {
                    orders.push((run, Order::TimeUp));
                }
            }
            Ok(orders)
        }
        .boxed_local();
        ctx.spawn(self.aside(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "expired questions not looked at");
            }
        }));
    }
}

impl Actor for Registry {
    type Context = Context<Self>;

    /// Everything that was under way when the process ended goes on.
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.run_interval(EXPIRY_TICK, Self::expire);
        if self.since.is_some() {
            return;
        }
        self.park_all(ctx);
        let engine = Arc::clone(&self.engine);
        ctx.spawn(async move { arrears::make_up(&engine).await }.into_actor(self));
        let store = Arc::clone(&self.engine.store);
        let work: Work = async move {
            let mut runs = store.standing(vec!["running", "queued"]).await?;
            for waiting in store.standing(vec!["waiting"]).await? {
                // Only those whose answer came and was not taken yet.
                let answered = match store.run(waiting.clone()).await?.and_then(|row| row.question) {
                    Some(reference) => store
                        .question(reference)
                        .await?
                        .is_some_and(|question| question.resolved_by.is_some()),
                    None => false,
                };
                if answered {
                    runs.push(waiting);
                }
            }
            let orphans = store.orphans().await?;
            let lapsed = store.ephemeral().await?;
            runs.retain(|run| !orphans.contains(run) && !lapsed.contains(run));
            let woken = runs.into_iter().map(|run| (run, Order::Wake));
            let stopped = orphans.into_iter().map(|run| (run, Order::Stop));
            Ok(woken.chain(stopped).chain(lapsed.into_iter().map(|run| (run, Order::Lapse))).collect())
        }
        .boxed_local();
        ctx.wait(self.aside(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::error!(%fault, "runs not restored");
            }
        }));
    }
}

impl Handler<Start> for Registry {
    type Result = ResponseActFuture<Self, Result<RunId, RegistryError>>;

    fn handle(&mut self, start: Start, _: &mut Self::Context) -> Self::Result {
        let engine = Arc::clone(&self.engine);
        let work = async move {
            let id = RunId::fresh();
            let refused = |_: &ProgramError| engine.programs.ended(&id);
            let Begun { input, beginning } = engine.begin(id.clone(), start.agent.clone(), start.input).await;
            let beginning = beginning.inspect_err(refused)?;
            let input = typed::shown_in(input);
            let fact =
                Fact::RunStarted { agent: start.agent.clone(), parent_run_id: None, input: input.clone() };
            let bounds = beginning.limits.as_ref().map(Bounds::of_root).unwrap_or_default();
            let run = NewRun {
                id: id.clone(),
                root: id.clone(),
                parent: None,
                depth: 0,
                agent: start.agent,
                program: beginning.program.to_owned(),
                title: beginning.title,
                input,
                node: beginning.node.to_owned(),
                state: beginning.state,
                idempotency_key: start.idempotency_key,
                version: beginning.version,
                bounds: json!(Bounds { ephemeral: beginning.ephemeral, ..bounds }),
                most: beginning.limits.as_ref().map(|own| own.total_steps),
                deadline: beginning.within.map(|within| Moment::now().after(within)),
            };
            let created = engine.store.create(run, vec![fact.body()]).await;
            // The store is full, or the key names another run: nothing of this one is kept.
            if created.as_ref().ok() != Some(&id) {
                engine.programs.ended(&id);
            }
            Ok(created?)
        };
        Box::pin(work.into_actor(self).map(|result: Result<RunId, RegistryError>, registry, ctx| {
            let run = result?;
            registry.order(run.clone(), Order::Wake, ctx);
            Ok(run)
        }))
    }
}

impl Handler<Say> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, say: Say, _: &mut Self::Context) -> Self::Result {
        let engine = Arc::clone(&self.engine);
        let work: Work = async move {
            let store = &engine.store;
            let row = store.run(say.run.clone()).await?.ok_or_else(|| unknown(&say.run))?;
            if !engine.programs.hears(&row.program) {
                return Err(RegistryError::Deaf(row.agent));
            }
            if let Some(reference) = row.question
                && let Some(question) = store.question(reference).await?
                && matches!(question.kind.as_str(), "manual" | "question")
                && question.resolved_by.is_none()
            {
                let text = engine.programs.conceal(&row.root, &say.text, Some(&question.frame));
                let answer = Answer { text: Some(text), ..Answer::default() };
                let answered = answered(&question, &answer);
                let resolution = resolving::resolve(&**store, &question, answered, "user").await?;
                if let Resolution::Resolved { run, .. } = resolution {
                    return Ok(vec![(run, Order::Wake)]);
                }
            }
            let text = engine.programs.conceal(&row.root, &say.text, None);
            let message = store.deliver(say.run.clone(), text).await?.ok_or_else(|| unknown(&say.run))?;
            Ok(vec![(say.run, Order::Read(message))])
        }
        .boxed_local();
        self.aside(work)
    }
}

impl Handler<Reply> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, Reply { reference, answer, by }: Reply, _: &mut Self::Context) -> Self::Result {
        let engine = Arc::clone(&self.engine);
        let others: Vec<RunId> = self.leases.held_by_others(by.as_ref()).cloned().collect();
        let work: Work = async move {
            let store = &engine.store;
            let row = store.question(reference.clone()).await?;
            let row = row.ok_or_else(|| RegistryError::UnknownReference(reference.clone()))?;
            let answer = if row.resolved_by.is_none() { accepted(&row, answer)? } else { answer };
            if answer.done == Some(true) && !others.is_empty() {
                let run = store.run(row.run.clone()).await?.ok_or_else(|| unknown(&row.run))?;
                // It is done when they hand it back.
                if others.contains(&run.root) {
                    return Err(lease::Refusal::Held.into());
                }
            }
            let answer = concealed(answer, &row, engine.programs.as_ref());
            let answered = answered(&row, &answer);
            match resolving::resolve(&**store, &row, answered, "user").await? {
                Resolution::Resolved { run, .. } => Ok(vec![(run, Order::Wake)]),
                Resolution::AlreadyResolved => Err(RegistryError::AlreadyResolved),
                Resolution::Expired => Err(RegistryError::Expired),
                Resolution::Unknown => Err(RegistryError::UnknownReference(reference)),
            }
        }
        .boxed_local();
        self.aside(work)
    }
}

impl Handler<Control> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, Control { run, command }: Control, _: &mut Self::Context) -> Self::Result {
        let store = Arc::clone(&self.engine.store);
        let work = async move {
            let row = store.run(run.clone()).await?.ok_or_else(|| unknown(&run))?;
            let status = Status::from_word(&row.status).unwrap_or(Status::Failed);
            let (event, order) = match command {
                Steer::Stop => (Turnpoint::Stop, Order::Stop),
                // Nothing moves; only a pause that comes while it is asking holds it.
                Steer::Pause if status == Status::Waiting => return Err(Refusal::Waiting.into()),
                Steer::Pause => (Turnpoint::Pause, Order::Pause),
                Steer::Resume => (Turnpoint::Resume, Order::Resume),
            };
            // An answer may be on its way into a run that still stands as waiting; stop is for all.
            lifecycle::next(status, event)?;
            let mut runs = vec![(run.clone(), order.clone())];
            // Those that it has called stand still, go on and end with it.
            runs.extend(store.living_below(run).await?.into_iter().map(|below| (below, order.clone())));
            Ok((row.root, runs))
        };
        Box::pin(work.into_actor(self).map(move |found: Result<_, RegistryError>, registry, ctx| {
            let (root, runs) = found?;
            if command == Steer::Resume {
                if registry.leases.is_in_hands(&root) {
                    return Err(lease::Refusal::Held.into());
                }
                registry.happens(&root, lease::Event::Resumed, ctx)?;
            }
            for (run, order) in runs {
                registry.order(run, order, ctx);
            }
            Ok(())
        }))
    }
}

impl Handler<Left> for Registry {
    type Result = ();

    fn handle(&mut self, left: Left, ctx: &mut Self::Context) {
        let Left { run, heard, again, status, parent, called, passes, living, unreadable } = left;
        if matches!(passes, None | Some(Order::Resume)) {
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

impl Handler<SetAside> for Registry {
    type Result = ();

    fn handle(&mut self, _: SetAside, _: &mut Self::Context) {
        self.closed = true;
        for (_, run) in self.at_work.drain() {
            run.address.do_send(super::Aside);
        }
    }
}

impl Handler<AtWork> for Registry {
    type Result = usize;

    fn handle(&mut self, _: AtWork, _: &mut Self::Context) -> usize {
        self.at_work.len()
    }
}

/// An answer as it may be stored.
fn concealed(mut answer: Answer, row: &QuestionRow, programs: &dyn Programs) -> Answer {
    let hide = |text: &mut String| *text = programs.conceal(&row.root, text, Some(&row.frame));
    [&mut answer.text, &mut answer.comment, &mut answer.message].into_iter().flatten().for_each(hide);
    answer
}

fn unknown(run: &RunId) -> RegistryError {
    RegistryError::UnknownRun(run.clone())
}

fn accepted(row: &QuestionRow, answer: Answer) -> Result<Answer, RegistryError> {
    let question: Result<Question, _> = serde_json::from_value(row.frame.clone());
    match question {
        Ok(question) => {
            question.accepts(&answer).map_err(RegistryError::BadAnswer)?;
            Ok(question.counted(answer))
        }
        Err(fault) => Err(StoreError::Corrupt {
            what: format!("question {}", row.reference),
            reason: fault.to_string(),
        }
        .into()),
    }
}

/// The answer with the row that the audit log gets for it.
pub(super) fn answered(row: &QuestionRow, answer: &Answer) -> Answered {
    let payload = &row.frame["payload"];
    let audit = json!({
        "question": row.reference,
        "kind": row.kind,
        "action_id": payload["action"]["action_id"],
        "action": payload["action"]["action"],
        "rule": payload["rule"],
        "risk": payload["risk"],
        "decision": if answer.confirmed == Some(false) { "declined" } else { "answered" },
        "remember": answer.remember,
        "by": "user",
        "picture": payload["screenshot"],
    });
    checkpoint::answered(&row.reference, ResolvedBy::User, answer, Some(audit))
}

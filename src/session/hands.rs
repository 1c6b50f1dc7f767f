//! The person's hands on the page: taking it over, using it, handing it back.
//!
//! While a person holds the page its run stands still: it waits for them already, or it is paused
//! when they take over and goes on when they hand back. A socket that is lost hands back.

use super::{Context, Session};
use crate::browser::Browser;
use crate::browser::lease::{Changes, HandBack, Input, Take};
use crate::browser::supervisor::Find;
use crate::ids::{RunId, SessionId};
use crate::protocol::Status;
use crate::protocol::client::{Answer, Hands};
use crate::protocol::server::{Event, Fact};
use crate::run::Engine;
use crate::run::registry::{Control, Registry, Reply, Steer};
use crate::store::rows::{Commit, RunRow};
use actix::prelude::*;
use std::sync::Arc;

/// What a session holds.
pub struct Held {
    pub run: RunId,
    root: RunId,
    browser: Addr<Browser>,
    /// Whether the run was paused for it.
    paused: bool,
}

/// Why the page cannot be had, as code and words.
type Refused = (&'static str, String);

impl Session {
    pub(super) fn take_over(&mut self, run: RunId, ctx: &mut Context) {
        if self.held.is_some() {
            return self.error("lease_held", "you hold a page already; hand it back first", ctx);
        }
        let (lines, holder) = (self.lines.clone(), self.id.clone());
        let take = async move {
            let row = row_of(&lines.engine, &run).await?;
            let found = lines.browsers.send(Find { owner: row.root.clone() }).await;
            let browser =
                found.ok().flatten().ok_or(("busy", String::from("the run has no page open yet")))?;
            let paused = row.status == Status::Running.word();
            if paused {
                let pause = Control { run: run.clone(), command: Steer::Pause };
                let _ = lines.registry.send(pause).await;
            }
            match browser.send(Take { holder: holder.clone() }).await {
                Ok(Ok(_)) => {}
                Ok(Err(fault)) => return Err(("lease_held", fault.message)),
                Err(_) => return Err(("busy", String::from("the browser is gone"))),
            }
            tell(&lines.engine, &row, Some(holder)).await;
            Ok(Held { run, root: row.root, browser, paused })
        };
        ctx.spawn(take.into_actor(self).map(|held: Result<Held, Refused>, session, ctx| match held {
            Ok(held) => session.held = Some(held),
            Err((code, message)) => session.error(code, &message, ctx),
        }));
    }

    pub(super) fn hands(&mut self, run: RunId, hands: Hands, ctx: &mut Context) {
        let Some(held) = self.held.as_ref().filter(|held| held.run == run || held.root == run) else {
            return self.error("no_lease", "take the page over first", ctx);
        };
        let sent = held.browser.send(Input { holder: self.id.clone(), hands });
        ctx.spawn(sent.into_actor(self).map(|result, session, ctx| {
            if let Ok(Err(fault)) = result {
                session.error("no_lease", &fault.message, ctx);
            }
        }));
    }

    pub(super) fn hand_back(&mut self, run: RunId, ctx: &mut Context) {
        match self.held.take() {
            Some(held) if held.run == run || held.root == run => self.give_back(held),
            held => {
                self.held = held;
                self.error("no_lease", "this socket does not hold the page", ctx);
            }
        }
    }

    /// Works on without the session, which may be gone.
    pub(super) fn give_back(&self, held: Held) {
        let (engine, registry) = (Arc::clone(&self.lines.engine), self.lines.registry.clone());
        let holder = self.id.clone();
        Arbiter::current().spawn(async move { returned(&engine, &registry, held, holder).await });
    }
}

async fn returned(engine: &Engine, registry: &Addr<Registry>, held: Held, holder: SessionId) {
    let changes = held.browser.send(HandBack { holder: Some(holder) }).await;
    let report = match changes {
        Ok(Ok(changes)) => words(&changes),
        // What changed cannot be told; the page is the run's again all the same.
        Ok(Err(_)) | Err(_) => words(&Changes::default()),
    };
    let Ok(row) = row_of(engine, &held.run).await else { return };
    tell(engine, &row, None).await;
    let question = match row.question.clone() {
        Some(reference) => engine.store.question(reference).await.ok().flatten(),
        None => None,
    };
    if let Some(question) = question.filter(|question| question.kind == "manual") {
        let answer = Answer { done: Some(true), message: Some(report), ..Answer::default() };
        let _ = registry.send(Reply { reference: question.reference, answer }).await;
    } else if held.paused && row.status == Status::Paused.word() {
        let _ = registry.send(Control { run: held.run, command: Steer::Resume }).await;
    }
}

async fn row_of(engine: &Engine, run: &RunId) -> Result<RunRow, Refused> {
    match engine.store.run(run.clone()).await {
        Ok(Some(row)) => Ok(row),
        Ok(None) => Err(("unknown_run", format!("there is no run {run}"))),
        Err(fault) => Err(("internal", fault.to_string())),
    }
}

async fn tell(engine: &Engine, row: &RunRow, holder: Option<SessionId>) {
    let fact = Fact::Event(Event::Lease { holder });
    let commit = Commit {
        run: Some(row.id.clone()),
        root: Some(row.root.clone()),
        facts: vec![fact.body()],
        ..Commit::default()
    };
    if let Err(fault) = engine.store.commit(commit).await {
        tracing::warn!(run_id = %row.id, %fault, "lease not told");
    }
}

/// What the agent is told: what changed, never what was typed.
fn words(changes: &Changes) -> String {
    let mut parts = Vec::new();
    if let Some((from, to)) = &changes.url {
        parts.push(format!("the page went from {from} to {to}"));
    }
    if let Some((_, to)) = &changes.title {
        parts.push(format!("its title is now \"{to}\""));
    }
    if !changes.fields.is_empty() {
        parts.push(format!("these fields were changed: {}", changes.fields.join(", ")));
    }
    if parts.is_empty() {
        parts.push(String::from("nothing on the page looks different"));
    }
    format!("The person handed the page back; {}.", parts.join("; "))
}

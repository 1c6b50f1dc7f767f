//! Runs that a run calls: it starts them with a step of its own, leaves, and is woken when one has ended.
//! What it waits for stands in its state, what became of them in theirs; so a restart needs nothing more.

use super::Run;
use super::aside::Begun;
use super::lifecycle::Turnpoint;
use crate::program::bounds::Bounds;
use crate::program::refused::Refused;
use crate::program::{Beginning, Call, Child};
use crate::protocol::Status;
use crate::protocol::server::Fact;
use crate::store::rows::{Commit, NewRun, RunRow};
use crate::turn::typed;
use actix::prelude::*;
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

impl Run {
    /// The next step, if it waits for no child or one has ended; else it leaves.
    pub(super) fn step(&mut self, ctx: &mut Context<Self>) {
        if let Some(why) = self.place.beyond() {
            return self.exhausted(why, ctx);
        }
        // A child that had no longer than it may have been quicker to say so.
        if self.place.time_left() == Some(Duration::ZERO) {
            return self.stop(Turnpoint::TimeUp, ctx);
        }
        self.looked = self.heard;
        let awaited = self.program.as_ref().map(|program| program.awaits()).unwrap_or_default();
        if awaited.is_empty() {
            return self.visit(Vec::new(), ctx);
        }
        self.minded = self.heard;
        let ended = self.engine.store.ended(awaited);
        ctx.spawn(ended.into_actor(self).map(|ended, run, ctx| match ended {
            Ok(rows) if rows.is_empty() => run.leave(ctx),
            Ok(rows) => run.visit(rows.into_iter().map(child).collect(), ctx),
            Err(fault) => run.give_up(&fault, ctx),
        }));
    }

    /// Stores a step with the children that it calls, then goes on: they may have been none.
    pub(super) fn call(&mut self, mut commit: Commit, calls: Vec<Call>, ctx: &mut Context<Self>) {
        let (engine, root) = (Arc::clone(&self.engine), self.root.clone());
        let begin = async move {
            let begin = calls.into_iter().map(|mut call| {
                let begun = engine.begin(root.clone(), call.agent.clone(), std::mem::take(&mut call.input));
                async move { (call, begun.await) }
            });
            join_all(begin).await
        };
        ctx.spawn(begin.into_actor(self).map(move |begun, run, ctx| {
            commit.children = begun.into_iter().map(|(call, begun)| run.child(call, begun)).collect();
            run.called.extend(commit.children.iter().map(|(child, _)| child.id.clone()));
            // Of a child that has ended since it looked it has heard.
            let looked = run.looked;
            let then = move |run: &mut Self, ctx: &mut Context<Self>| {
                if looked == run.minded { run.leave(ctx) } else { run.go_on(ctx) }
            };
            run.store(commit, ctx, then);
        }));
    }

    fn child(&self, call: Call, begun: Begun) -> (NewRun, Vec<String>) {
        let Call { run, agent, timeout, .. } = call;
        let Begun { input, beginning } = begun;
        let begun = match beginning {
            Ok(begun) => match self.place.too_deep().filter(|_| begun.composite) {
                Some(why) => refused(&begun, Refused::exhausted(why)),
                None => begun,
            },
            Err(fault) => nothing(&agent, Refused::by(&fault)),
        };
        let bounds = begun.limits.as_ref().map_or(self.place.bounds, |own| self.place.below(own));
        // As people may see it: the marks of secrets are for the state alone.
        let input = typed::shown_in(input);
        let within = begun.within.into_iter().chain(timeout).min();
        let fact = Fact::RunStarted {
            agent: agent.clone(),
            parent_run_id: Some(self.id.clone()),
            input: input.clone(),
        };
        let child = NewRun {
            id: run,
            root: self.root.clone(),
            parent: Some(self.id.clone()),
            depth: self.place.depth + 1,
            agent,
            program: begun.program.to_owned(),
            title: begun.title,
            input,
            node: begun.node.to_owned(),
            state: begun.state,
            idempotency_key: None,
            version: begun.version,
            bounds: json!(Bounds { ephemeral: bounds.ephemeral || begun.ephemeral, ..bounds }),
            most: begun.limits.as_ref().map(|own| own.total_steps),
            deadline: self.place.deadline_below(within),
        };
        (child, vec![fact.body()])
    }
}

fn refused(begun: &Beginning, refused: Refused) -> Beginning {
    Beginning {
        version: begun.version.clone(),
        ..Beginning::plain(Refused::NAME, "refuse", json!(refused), begun.title.clone())
    }
}

fn nothing(agent: &str, refused: Refused) -> Beginning {
    Beginning::plain(Refused::NAME, "refuse", json!(refused), agent.to_owned())
}

fn child(row: RunRow) -> Child {
    Child {
        late: row.deadline.is_some_and(|deadline| row.ended_at.is_some_and(|ended| ended >= deadline)),
        run: row.id,
        outcome: Status::from_word(&row.status).unwrap_or(Status::Failed),
        vars: row.vars,
        response: row.response,
    }
}

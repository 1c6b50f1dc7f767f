//! Pages for take-overs in tests without a browser. A take-over can be delayed or refused.

use actix::prelude::*;
use askfirst::browser::error::PageError;
use askfirst::browser::takeover::comparison::TakeoverChanges;
use askfirst::browser::takeover::input_state::HolderInput;
use askfirst::engine::takeover::pages::Pages;
use askfirst::ids::{RunId, SessionId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

pub struct FakePages {
    /// Operations in order: `taking`, `taken`, `back`, `input`.
    done: Arc<watch::Sender<Vec<&'static str>>>,
    open: Arc<watch::Sender<bool>>,
    refuses: AtomicBool,
}

impl Default for FakePages {
    fn default() -> Self {
        Self {
            done: Arc::default(),
            open: Arc::new(watch::Sender::new(true)),
            refuses: AtomicBool::new(false),
        }
    }
}

impl FakePages {
    /// Delays take-overs until [`release`](Self::release).
    pub fn hold_up(&self) {
        self.open.send_replace(false);
    }

    pub fn release(&self) {
        self.open.send_replace(true);
    }

    pub fn refuse(&self) {
        self.refuses.store(true, Ordering::SeqCst);
    }

    pub fn done(&self) -> Vec<&'static str> {
        self.done.borrow().clone()
    }

    /// Waits until this operation has happened this many times.
    pub async fn until(&self, what: &str, times: usize) {
        let so_often = |done: &Vec<&str>| done.iter().filter(|one| **one == what).count() >= times;
        self.done.subscribe().wait_for(so_often).await.unwrap();
    }
}

impl Pages for FakePages {
    fn give_to_person(
        &self,
        _: &RunId,
        _: &SessionId,
    ) -> BoxFuture<'static, Result<Recipient<HolderInput>, String>> {
        let (done, mut open) = (Arc::clone(&self.done), self.open.subscribe());
        let input = Taker(Arc::clone(&done)).start().recipient();
        let refuses = self.refuses.load(Ordering::SeqCst);
        async move {
            done.send_modify(|done| done.push("taking"));
            let _ = open.wait_for(|open| *open).await;
            if refuses {
                return Err(String::from("the run has no page open yet"));
            }
            done.send_modify(|done| done.push("taken"));
            Ok(input)
        }
        .boxed()
    }

    fn return_to_run(&self, _: &RunId, _: &SessionId) -> BoxFuture<'static, TakeoverChanges> {
        let done = Arc::clone(&self.done);
        async move {
            done.send_modify(|done| done.push("back"));
            TakeoverChanges {
                title: Some((String::from("Sign in"), String::from("Welcome"))),
                ..TakeoverChanges::default()
            }
        }
        .boxed()
    }
}

/// Accepts and records input.
struct Taker(Arc<watch::Sender<Vec<&'static str>>>);

impl Actor for Taker {
    type Context = Context<Self>;
}

impl Handler<HolderInput> for Taker {
    type Result = Result<(), PageError>;

    fn handle(&mut self, _: HolderInput, _: &mut Self::Context) -> Self::Result {
        self.0.send_modify(|done| done.push("input"));
        Ok(())
    }
}

//! The thread of the store. Connections belong to its runtime, so that they outlive the thread of a caller.

use crate::store::error::StoreError;
use crate::store::postgres::connection::errors::Fault;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// A call of the store, which sends its reply itself.
pub type StoreCall = BoxFuture<'static, ()>;

/// Handle of the thread. The thread ends once all handles are dropped and all calls have ended.
#[derive(Clone)]
pub struct Worker {
    // Unbounded: each run has at most one step under way, so the number of runs bounds the calls.
    calls: UnboundedSender<StoreCall>,
}

impl Worker {
    /// Starts the thread.
    pub fn start() -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (calls, queue) = unbounded_channel();
        std::thread::Builder::new()
            .name(String::from("store-postgres"))
            .spawn(move || runtime.block_on(run_calls(queue)))?;
        Ok(Self { calls })
    }

    /// Begins a call on the thread. Calls begin in the order in which they are sent.
    pub fn send(&self, call: StoreCall) -> Result<(), StoreError> {
        self.calls.send(call).map_err(|_| StoreError::Stopped)
    }

    /// Runs work on the thread, and blocks until it has ended.
    pub fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Fault>> + Send + 'static,
    ) -> Result<T, Fault> {
        let (reply, answer) = std::sync::mpsc::channel();
        self.send(Box::pin(async move {
            // The caller waits for it.
            let _ = reply.send(work.await);
        }))?;
        answer.recv().map_err(|_| StoreError::Stopped)?
    }
}

async fn run_calls(mut queue: UnboundedReceiver<StoreCall>) {
    let mut under_way = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            Some(_) = under_way.join_next(), if !under_way.is_empty() => {}
            call = queue.recv() => match call {
                Some(call) => drop(under_way.spawn(call)),
                None => break,
            },
        }
    }
    while under_way.join_next().await.is_some() {}
}

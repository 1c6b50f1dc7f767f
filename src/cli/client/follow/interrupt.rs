//! Ctrl-C and SIGTERM during a command: the first asks the command to end what it began, the second ends it
//! at once.

use std::future::Future;
use std::io;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Signals the first interrupt to a command.
#[derive(Clone, Debug)]
pub struct InterruptSignal(watch::Receiver<bool>);

impl InterruptSignal {
    pub fn is_interrupted(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves at the first interrupt, even if it happened before.
    pub async fn once(&mut self) {
        if self.0.wait_for(|interrupted| *interrupted).await.is_err() {
            // The sender is gone, so no interrupt can follow.
            std::future::pending::<()>().await;
        }
    }
}

/// Runs `work` and signals the first interrupt to it. Returns `None` if a second one arrives before it has
/// ended.
pub async fn run_interruptible<F: Future>(
    work: impl FnOnce(InterruptSignal) -> F,
) -> io::Result<Option<F::Output>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (sender, receiver) = watch::channel(false);
    let work = work(InterruptSignal(receiver));
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(Some(done)),
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if sender.send_replace(true) {
            return Ok(None);
        }
    }
}

//! Ctrl-C and SIGTERM, as a command hears of them: the first asks it to end what it began, the second is not
//! waited for by anybody.

use std::future::Future;
use std::io;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Whether the person wants it to end.
#[derive(Clone, Debug)]
pub struct Interrupted(watch::Receiver<bool>);

impl Interrupted {
    pub fn is_so(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns at the first interrupt, also if that was long ago.
    pub async fn once(&mut self) {
        if self.0.wait_for(|told| *told).await.is_err() {
            // Nobody listens any more.
            std::future::pending::<()>().await;
        }
    }
}

/// Does the work and tells it of the first interrupt; none if a second one came before it had ended.
pub async fn twice<F: Future>(work: impl FnOnce(Interrupted) -> F) -> io::Result<Option<F::Output>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (tell, told) = watch::channel(false);
    let work = work(Interrupted(told));
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(Some(done)),
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if tell.send_replace(true) {
            return Ok(None);
        }
    }
}

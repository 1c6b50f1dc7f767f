//! Sessions, which clients of older protocol versions have: as many as there is room for. Where there is none left,
//! the one that has been idle the longest makes room; its client begins another when it comes back.

use crate::http::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The header that names one.
pub const NAME: &str = "mcp-session-id";
const MOST: usize = 500;
/// One that says nothing for so long is forgotten. Its longest call is far shorter.
const IDLE: Duration = Duration::from_secs(60 * 60);

pub struct Sessions {
    kept: Arc<LocalSessionManager>,
    uses: Arc<Mutex<Uses>>,
}

/// Private to this file and held for a few instructions.
#[derive(Default)]
struct Uses {
    /// Counts up with each use, so that the oldest is known.
    latest: u64,
    of: HashMap<Arc<str>, Use>,
}

#[derive(Default)]
struct Use {
    last: u64,
    /// Answers that are under way: streams, and calls that take their time.
    open: usize,
}

/// While this lasts its session is in use.
pub struct InUse {
    id: Arc<str>,
    uses: Arc<Mutex<Uses>>,
}

impl Sessions {
    pub fn new() -> Self {
        let mut kept = LocalSessionManager::default();
        kept.session_config.keep_alive = Some(IDLE);
        Self { kept: Arc::new(kept), uses: Arc::default() }
    }

    /// Those that the protocol makes and ends.
    pub fn kept(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.kept)
    }

    /// The session that a request or an answer names, in use from now on; none where there is no such session.
    pub async fn used(&self, name: Option<&[u8]>) -> Option<InUse> {
        let named = std::str::from_utf8(name?).ok()?;
        let id = self.kept.sessions.read().await.get_key_value(named).map(|(id, _)| Arc::clone(id))?;
        let mut uses = locked(&self.uses);
        uses.mark(&id).open += 1;
        Some(InUse { id, uses: Arc::clone(&self.uses) })
    }

    /// Makes room for the session of a client that begins; refused where all are in use.
    pub async fn make_room(&self) -> Result<(), Problem> {
        let idle = {
            let sessions = self.kept.sessions.read().await;
            let mut uses = locked(&self.uses);
            uses.of.retain(|id, _| sessions.contains_key(id));
            if sessions.len() < MOST {
                return Ok(());
            }
            // One that is just beginning was not used yet, and is not idle.
            uses.of
                .iter()
                .filter(|(_, one)| one.open == 0)
                .min_by_key(|(_, one)| one.last)
                .map(|(id, _)| Arc::clone(id))
        };
        let Some(id) = idle else {
            let detail = format!("{MOST} clients have a session here; try again when one of them has ended");
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", detail);
            return Err(problem.retry_after(60));
        };
        tracing::info!(
            session = &*id,
            "the session of an MCP client that has been idle the longest makes room"
        );
        // One that ends by itself meanwhile is no less gone.
        let _ = self.kept.close_session(&id).await;
        Ok(())
    }
}

/// The session that a request names.
pub fn named(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(NAME).map(|name| name.as_bytes())
}

/// The session that an answer names: one that begins with it.
pub fn begun<B>(answer: &http::Response<B>) -> Option<&[u8]> {
    answer.headers().get(NAME).map(http::HeaderValue::as_bytes)
}

impl Uses {
    fn mark(&mut self, id: &Arc<str>) -> &mut Use {
        self.latest += 1;
        let one = self.of.entry(Arc::clone(id)).or_default();
        one.last = self.latest;
        one
    }
}

fn locked(uses: &Mutex<Uses>) -> MutexGuard<'_, Uses> {
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut uses = locked(&self.uses);
        let one = uses.mark(&self.id);
        one.open = one.open.saturating_sub(1);
    }
}

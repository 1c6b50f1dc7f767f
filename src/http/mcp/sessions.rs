//! Sessions of clients that use older versions of the protocol. Their number is limited: at the limit, the
//! session that has been idle the longest is closed, and its client starts another when it returns.

use crate::http::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Header with the session id.
pub const NAME: &str = "mcp-session-id";
const MOST: usize = 500;
/// Idle time after which a session is closed; the longest call is far shorter.
const IDLE: Duration = Duration::from_secs(60 * 60);

pub struct Sessions {
    kept: Arc<LocalSessionManager>,
    uses: Arc<Mutex<Uses>>,
}

/// Private to this file and locked for a few instructions.
#[derive(Default)]
struct Uses {
    /// Counter of uses, which orders them by time.
    latest: u64,
    of: HashMap<Arc<str>, Use>,
}

#[derive(Default)]
struct Use {
    last: u64,
    /// Number of responses in progress: streams and long calls.
    open: usize,
}

/// Keeps a session in use until it is dropped.
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

    /// Returns the session manager, in which rmcp opens and closes sessions.
    pub fn kept(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.kept)
    }

    /// Marks a session as in use. Returns `None` if there is no session of this name.
    pub async fn mark_in_use(&self, name: Option<&[u8]>) -> Option<InUse> {
        let named = std::str::from_utf8(name?).ok()?;
        let id = self.kept.sessions.read().await.get_key_value(named).map(|(id, _)| Arc::clone(id))?;
        let mut uses = locked(&self.uses);
        uses.mark(&id).open += 1;
        Some(InUse { id, uses: Arc::clone(&self.uses) })
    }

    /// Closes an idle session if there are too many. Fails if all are in use.
    pub async fn make_room(&self) -> Result<(), Problem> {
        let idle = {
            let sessions = self.kept.sessions.read().await;
            let mut uses = locked(&self.uses);
            uses.of.retain(|id, _| sessions.contains_key(id));
            if sessions.len() < MOST {
                return Ok(());
            }
            // A session that was just opened has no use yet and is not idle.
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
        // The session may have ended by itself meanwhile.
        let _ = self.kept.close_session(&id).await;
        Ok(())
    }
}

/// Returns the session id of a request.
pub fn named(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(NAME).map(|name| name.as_bytes())
}

/// Returns the id of the session that a response opens.
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

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
const MAX_SESSIONS: usize = 500;
/// Idle time after which a session is closed; the longest call is far shorter.
const IDLE: Duration = Duration::from_secs(60 * 60);

pub struct Sessions {
    manager: Arc<LocalSessionManager>,
    uses: Arc<Mutex<Uses>>,
}

/// Private to this file and locked for a few instructions.
#[derive(Default)]
struct Uses {
    /// Counter of uses, which orders them by time.
    counter: u64,
    by_session: HashMap<Arc<str>, Use>,
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
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IDLE);
        Self { manager: Arc::new(manager), uses: Arc::default() }
    }

    /// Returns the session manager, in which rmcp opens and closes sessions.
    pub fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Marks a session as in use. Returns `None` if there is no session of this name.
    pub async fn mark_in_use(&self, name: Option<&[u8]>) -> Option<InUse> {
        let id = std::str::from_utf8(name?).ok()?;
        let id = self.manager.sessions.read().await.get_key_value(id).map(|(id, _)| Arc::clone(id))?;
        let mut uses = lock_uses(&self.uses);
        uses.mark(&id).open += 1;
        Some(InUse { id, uses: Arc::clone(&self.uses) })
    }

    /// Closes an idle session if there are too many. Fails if all are in use.
    pub async fn make_room(&self) -> Result<(), Problem> {
        let idle = {
            let sessions = self.manager.sessions.read().await;
            let mut uses = lock_uses(&self.uses);
            uses.by_session.retain(|id, _| sessions.contains_key(id));
            if sessions.len() < MAX_SESSIONS {
                return Ok(());
            }
            // A session that was just opened has no use yet and is not idle.
            uses.by_session
                .iter()
                .filter(|(_, session_use)| session_use.open == 0)
                .min_by_key(|(_, session_use)| session_use.last)
                .map(|(id, _)| Arc::clone(id))
        };
        let Some(id) = idle else {
            let detail =
                format!("{MAX_SESSIONS} clients have a session here; try again when one of them has ended");
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", detail);
            return Err(problem.retry_after(60));
        };
        tracing::info!(
            session = &*id,
            "the session of an MCP client that has been idle the longest makes room"
        );
        // The session may have ended by itself meanwhile.
        let _ = self.manager.close_session(&id).await;
        Ok(())
    }
}

/// Returns the session id of a request.
pub fn requested_id(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(NAME).map(|name| name.as_bytes())
}

/// Returns the id of the session that a response opens.
pub fn opened_id<B>(answer: &http::Response<B>) -> Option<&[u8]> {
    answer.headers().get(NAME).map(http::HeaderValue::as_bytes)
}

impl Uses {
    fn mark(&mut self, id: &Arc<str>) -> &mut Use {
        self.counter += 1;
        let session_use = self.by_session.entry(Arc::clone(id)).or_default();
        session_use.last = self.counter;
        session_use
    }
}

fn lock_uses(uses: &Mutex<Uses>) -> MutexGuard<'_, Uses> {
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut uses = lock_uses(&self.uses);
        let session_use = uses.mark(&self.id);
        session_use.open = session_use.open.saturating_sub(1);
    }
}

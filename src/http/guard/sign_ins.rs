//! Sign-ins of browsers. A cookie holds a random value of which only the hash is kept, in memory and in the
//! store, so that reading the store gives no access. Removing an entry signs the browser out.

use crate::clock::Moment;
use crate::ids;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::sign_ins::SignInRow;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Lifetime of a sign-in, in seconds.
pub const SIGN_IN_LIFETIME_S: u64 = 30 * 24 * 60 * 60;
/// Maximum number of sign-ins; the oldest one makes room.
const MAX_SIGN_INS: usize = 1_000;

/// The sign-in of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Hash of the cookie's value.
    pub id: String,
    /// CSRF token, which the page sends in addition to the cookie (`X-Askfirst-CSRF`).
    pub csrf: String,
}

/// Private to this file and locked for a few instructions, never across an await.
type SignInTable = Mutex<HashMap<String, SignInEntry>>;

struct SignInEntry {
    expires_at: Moment,
    /// Dropped when the sign-in ends.
    ends: watch::Sender<()>,
}

pub struct SignIns {
    sign_ins: SignInTable,
    store: Option<Arc<dyn Store>>,
    /// Hash of the token with which these browsers signed in.
    token_hash: String,
}

impl SignIns {
    /// Creates an empty table in memory. `token` is the token of the settings.
    pub fn new(token: Option<&str>) -> Self {
        let token_hash = token.map_or_else(|| String::from("printed"), |token| hash("token", token));
        Self { sign_ins: SignInTable::default(), store: None, token_hash }
    }

    /// Loads the stored sign-ins that were made with this token, and stores new ones from now on.
    pub async fn keep_in(&mut self, store: Arc<dyn Store>) -> Result<(), StoreError> {
        for row in store.sign_ins(Moment::now()).await? {
            if row.token_hash == self.token_hash {
                self.lock_sign_ins().insert(
                    row.cookie_hash,
                    SignInEntry { expires_at: row.expires_at, ends: watch::Sender::new(()) },
                );
            } else {
                store.end_sign_in(row.cookie_hash).await?;
            }
        }
        self.store = Some(store);
        Ok(())
    }

    /// Creates a sign-in. Returns the value of its cookie.
    pub async fn begin(&self) -> String {
        let value = ids::token();
        let expires_at = Moment::now().plus_seconds(SIGN_IN_LIFETIME_S);
        let row = SignInRow {
            cookie_hash: hash("cookie", &value),
            token_hash: self.token_hash.clone(),
            expires_at,
        };
        let put_out = {
            let mut sign_ins = self.lock_sign_ins();
            sign_ins
                .insert(row.cookie_hash.clone(), SignInEntry { expires_at, ends: watch::Sender::new(()) });
            let oldest =
                || sign_ins.iter().min_by_key(|(_, sign_in)| sign_in.expires_at).map(|(id, _)| id.clone());
            let put_out = if sign_ins.len() > MAX_SIGN_INS { oldest() } else { None };
            put_out.inspect(|id| drop(sign_ins.remove(id)))
        };
        if let Some(store) = &self.store {
            // A person must get in to free a full disk; such a sign-in lasts until the service ends.
            let written = store.add_sign_in(row).await;
            let removed = match put_out {
                Some(id) => store.end_sign_in(id).await,
                None => Ok(()),
            };
            if let Err(fault) = written.and(removed) {
                tracing::warn!(%fault, "a browser that signed in is not remembered over a restart");
            }
        }
        value
    }

    /// Returns the sign-in of a cookie's value.
    pub fn find(&self, value: &str) -> Option<SignIn> {
        let id = hash("cookie", value);
        let lasts = self.lock_sign_ins().get(&id).is_some_and(|sign_in| sign_in.expires_at > Moment::now());
        lasts.then(|| SignIn { id, csrf: hash("csrf", value) })
    }

    /// Ends a sign-in: its cookie becomes invalid, and `wait_until_ended` resolves. If the store cannot write that, the
    /// sign-in stays, since it would be back after a restart.
    pub async fn end(&self, id: &str) -> Result<(), StoreError> {
        if let Some(store) = &self.store {
            store.end_sign_in(id.to_owned()).await?;
        }
        drop(self.lock_sign_ins().remove(id));
        Ok(())
    }

    /// Resolves when the sign-in has ended by signing out or by expiry.
    pub async fn wait_until_ended(&self, id: &str) {
        let found =
            self.lock_sign_ins().get(id).map(|sign_in| (sign_in.expires_at, sign_in.ends.subscribe()));
        let Some((expires_at, mut ends)) = found else { return };
        let left = expires_at.millis().saturating_sub(Moment::now().millis());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
        // No value is ever sent; dropping the sender ends the wait.
        let _ = tokio::time::timeout(left, ends.changed()).await;
    }

    fn lock_sign_ins(&self) -> MutexGuard<'_, HashMap<String, SignInEntry>> {
        self.sign_ins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hashes a value together with its purpose, so that the hash for one purpose reveals nothing about another.
fn hash(purpose: &str, value: &str) -> String {
    let digest = Sha256::digest(format!("askfirst {purpose}\n{value}").as_bytes());
    digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::connection::store::SqliteStore;
    use futures_util::FutureExt;

    async fn open_in_folder(folder: &std::path::Path, token: Option<&str>) -> SignIns {
        let store = SqliteStore::open(folder, Box::new(|_| {})).unwrap();
        let mut sign_ins = SignIns::new(token);
        sign_ins.keep_in(Arc::new(store)).await.unwrap();
        sign_ins
    }

    #[tokio::test]
    async fn a_sign_in_survives_a_restart_until_sign_out_or_another_token() {
        let folder = tempfile::tempdir().unwrap();
        let first = open_in_folder(folder.path(), Some("one")).await;
        let (stays, goes) = (first.begin().await, first.begin().await);
        let sign_in = first.find(&stays).unwrap();
        assert_ne!(sign_in.csrf, first.find(&goes).unwrap().csrf);
        assert!(!sign_in.id.contains(&stays) && sign_in.csrf != sign_in.id);
        let gone = first.find(&goes).unwrap().id;
        assert!(first.wait_until_ended(&gone).now_or_never().is_none());
        first.end(&gone).await.unwrap();
        assert!(first.wait_until_ended(&gone).now_or_never().is_some());
        assert_eq!(first.find(&goes), None);
        assert_eq!(first.find("made up"), None);
        drop(first);

        let second = open_in_folder(folder.path(), Some("one")).await;
        assert_eq!(second.find(&stays), Some(sign_in));
        assert_eq!(second.find(&goes), None, "what was signed out stays so");
        drop(second);
        let other = open_in_folder(folder.path(), Some("two")).await;
        assert_eq!(other.find(&stays), None, "who knew the old token is out");
        drop(other);
        assert_eq!(open_in_folder(folder.path(), Some("one")).await.find(&stays), None);
    }

    #[tokio::test]
    async fn the_end_of_a_sign_in_is_announced() {
        let sign_ins = SignIns::new(None);
        let id = sign_ins.find(&sign_ins.begin().await).unwrap().id;
        let (ended, done) = tokio::join!(sign_ins.wait_until_ended(&id), sign_ins.end(&id));
        assert_eq!((ended, done.is_ok()), ((), true));
    }
}

//! The connections of one process, with what all of its writes share: the ids of writes under way, and the leases of trees.

use crate::ids;
use crate::store::error::StoreError;
use crate::store::postgres::connection::address::PostgresAddress;
use crate::store::postgres::connection::tls::PostgresTls;
use crate::store::tree_leases::held_trees::HeldTrees;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// Time for which a call waits for a connection that others use.
const WAIT_FOR_CONNECTION: Duration = Duration::from_secs(10);

/// A pool of connections to one server.
pub struct Connections {
    pool: Pool,
    /// Trees that the process may step.
    pub(crate) trees: HeldTrees,
    writes: Mutex<BTreeSet<Uuid>>,
}

/// A write whose result is not known yet. Its token is kept on the server until this is dropped.
pub struct WriteUnderWay<'c> {
    pub token: Uuid,
    connections: &'c Connections,
}

impl Connections {
    /// Prepares connections, which are made when they are needed.
    pub fn new(address: &PostgresAddress, most: usize) -> Result<Self, StoreError> {
        // A check by a query would cost a round trip for each call; a lost connection is found by its next call.
        let settings = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), PostgresTls::new(&address.tls)?, settings);
        let pool = Pool::builder(manager)
            .max_size(most)
            .wait_timeout(Some(WAIT_FOR_CONNECTION))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build()
            .map_err(|fault| StoreError::Address { reason: fault.to_string() })?;
        Ok(Self { pool, trees: HeldTrees::default(), writes: Mutex::default() })
    }

    /// Returns a connection that nobody uses.
    pub async fn get(&self) -> Result<Object, PoolError> {
        self.pool.get().await
    }

    /// Begins a write with a token of its own.
    pub fn begin_write(&self) -> WriteUnderWay<'_> {
        let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        let token = ids::unique_uuid();
        writes.insert(token);
        WriteUnderWay { token, connections: self }
    }

    /// Returns the token of the oldest write under way. Later writes have greater ones.
    pub fn oldest_write(&self) -> Option<Uuid> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).first().copied()
    }
}

impl Drop for WriteUnderWay<'_> {
    fn drop(&mut self) {
        let mut writes = self.connections.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.remove(&self.token);
    }
}

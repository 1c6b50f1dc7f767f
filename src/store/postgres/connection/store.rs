//! The PostgreSQL store: a thread with its connections, and the folder of pictures.

use crate::blobs::BlobStore;
use crate::clock::Stopwatch;
use crate::metrics;
use crate::store::StoreObserver;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::picture_files::{PendingPictures, Pictures};
use crate::store::postgres::connection::address::PostgresAddress;
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::open::{self, ServerStatus};
use crate::store::postgres::connection::sql::Sql;
use crate::store::postgres::connection::tree_queues::TreeQueues;
use crate::store::postgres::connection::worker::Worker;
use crate::store::postgres::connection::writes;
use crate::store::rows::LogAdditions;
use crate::store::tree_leases::node_parts::{HintOrder, NodeParts};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_postgres::Row;

/// Most connections of a process. More writes at once gain nothing on a server of a few cores.
const CONNECTIONS: usize = 12;

/// A store in a database of a PostgreSQL server.
pub struct PostgresStore {
    worker: Worker,
    pub(crate) address: PostgresAddress,
    pub(crate) shared: Arc<Shared>,
}

/// Parts of the store that its calls use.
pub struct Shared {
    pub(crate) connections: Connections,
    pub(crate) queues: TreeQueues,
    observer: Mutex<StoreObserver>,
    pub(crate) node_parts: NodeParts,
    pub(crate) pictures: Arc<Pictures>,
    pub(crate) pending_pictures: Arc<PendingPictures>,
}

impl PostgresStore {
    /// Opens the store at `url`, creating or migrating it as needed. Pictures are files in `folder`. `observer` receives
    /// every event that this process stores. Blocks until the server has replied.
    pub fn open(url: &str, folder: &Path, observer: StoreObserver) -> Result<Self, StoreError> {
        let address = PostgresAddress::parse(url)?;
        let connections = Connections::new(&address, CONNECTIONS)?;
        let pictures =
            Pictures::open(folder.join("pictures")).map_err(|fault| StoreError::from_io(&fault))?;
        let worker = Worker::start().map_err(|fault| StoreError::from_io(&fault))?;
        let shared = Arc::new(Shared {
            connections,
            queues: TreeQueues::default(),
            observer: Mutex::new(observer),
            node_parts: NodeParts::default(),
            pictures: Arc::new(pictures),
            pending_pictures: Arc::default(),
        });
        let shown = address.shown();
        let store = Self { worker, address, shared };
        let shared = Arc::clone(&store.shared);
        let opened = store.worker.wait_for(async move { writes::open(&shared.connections, &shown).await });
        opened.map_err(|fault| explain(fault, &store.address))?;
        Ok(store)
    }

    /// Reads the status of a server, for `askfirst doctor`.
    pub fn server_status(url: &str) -> Result<ServerStatus, StoreError> {
        let address = PostgresAddress::parse(url)?;
        let connections = Connections::new(&address, 1)?;
        let worker = Worker::start().map_err(|fault| StoreError::from_io(&fault))?;
        let read = worker.wait_for(async move {
            let client = connections.get().await?;
            open::read_status(&client).await
        });
        read.map(|(status, _)| status).map_err(|fault| explain(fault, &address))
    }

    /// Shares pictures with other nodes.
    pub fn share_pictures(&self, blobs: BlobStore) {
        self.shared.pictures.share(blobs);
    }

    /// Returns a handle of the store's thread.
    pub(crate) fn worker(&self) -> Worker {
        self.worker.clone()
    }

    /// Begins a call on the store's thread, and records its duration for `operation`. It goes on if its future is dropped.
    pub(crate) fn call<T: Send + 'static, F>(
        &self,
        operation: &'static str,
        work: impl FnOnce(Arc<Shared>) -> F,
    ) -> StoreFuture<T>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let (watch, work) = (Stopwatch::start(), work(Arc::clone(&self.shared)));
        let sent = self.worker.send(Box::pin(async move {
            let result = work.await;
            metrics::STORE_SECONDS.observe([operation], watch.seconds());
            // The caller may have stopped waiting; the work is done all the same.
            let _ = reply.send(result);
        }));
        Box::pin(async move {
            sent?;
            answer.await.map_err(|_| StoreError::Stopped)?
        })
    }

    /// Reads with statements of one moment.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        statements: Vec<Sql>,
        decode: impl FnOnce(Vec<Vec<Row>>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<T> {
        self.call("read", async move |shared| {
            decode(writes::read_all(&shared.connections, &statements).await?)
        })
    }

    /// Reads all rows of a statement.
    pub(crate) fn read_rows<T: Send + 'static>(
        &self,
        statement: Sql,
        decode: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<Vec<T>> {
        self.read(vec![statement], move |rows| rows.iter().flatten().map(&decode).collect())
    }

    /// Reads the first row of a statement.
    pub(crate) fn read_row<T: Send + 'static>(
        &self,
        statement: Sql,
        decode: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<Option<T>> {
        self.read(vec![statement], move |rows| rows.iter().flatten().next().map(&decode).transpose())
    }

    /// Stores with statements that are sent together and tell nothing.
    pub(crate) fn store(&self, operation: &'static str, statements: Vec<Sql>) -> StoreFuture<()> {
        self.call(operation, async move |shared| {
            writes::store_once(&shared.connections, &writes::WriteOnly(statements)).await
        })
    }
}

impl Shared {
    /// Tells the observer of additions of this process, if there are any, and gives hints to other nodes.
    pub(crate) fn observe(&self, additions: LogAdditions) {
        if self.connections.trees.is_node() {
            let newest = additions.events.last().map(|event| (event.root.clone(), event.seq));
            let stored = newest.map(|(root, seq)| HintOrder::Stored { root, seq });
            let questions = additions.questions.then_some(HintOrder::Questions);
            for hint in stored.into_iter().chain(questions) {
                // The exchange may have ended.
                let _ = self.node_parts.hints.send(hint);
            }
        }
        self.observe_elsewhere(additions);
    }

    /// Tells the observer of additions of other nodes.
    pub(crate) fn observe_elsewhere(&self, additions: LogAdditions) {
        if additions != LogAdditions::default() {
            let observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
            observer(additions);
        }
    }
}

fn explain(fault: Fault, address: &PostgresAddress) -> StoreError {
    match fault {
        Fault::Lost(reason) | Fault::Retry(reason) | Fault::Final(StoreError::Unreachable(reason)) => {
            StoreError::Unreachable(format!("{} ({reason})", address.shown()))
        }
        Fault::Final(fault) => fault,
    }
}

//! A node: a service that shares the store with others. It renews one row; the trees that it owns are its own as long as the
//! row is there. A node whose time has passed is removed by another one
//! ([`claim_trees`](crate::store::tree_leases::TreeLeases::claim_trees)), and has lost all of its trees with that: whether the
//! row is renewed or removed first, the lock of the row decides, so there is no moment at which a tree has two owners.
//!
//! A row needs no session, so it holds behind a pooler in transaction mode, too.

use crate::clock::{BootTime, Moment};
use crate::ids;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, run_id, send_all};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::upkeep::{drain, hints, housekeeping};
use crate::store::tree_leases::LeaseNotice;
use deadpool_postgres::Object;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_postgres::Row;
use uuid::Uuid;

/// Pause after a failed renewal, as a part of the lease.
const RETRY_PART: u32 = 20;
/// Renewals between two looks at the trees that the database says are of this node.
const RENEWALS_UNTIL_REVIEW: u32 = 6;
/// Time after the end of a tree's last run after which another node may take it when it is woken: ten minutes.
const KEPT_AFTER_END_MS: i64 = 10 * 60 * 1_000;

/// Identity of a node, and the terms of its lease.
#[derive(Clone, Debug)]
pub struct NodeSettings {
    /// Id of the data folder. The service has locked the folder, so an earlier node with it has ended.
    pub folder: String,
    /// Name of the machine, as a folder may have been copied to another one.
    pub machine: String,
    /// Address at which other nodes reach this one; empty if they cannot.
    pub address: String,
    /// Role in the settings, for other nodes and people to see.
    pub role: &'static str,
    /// True if the node works on runs: new trees are its own, and it claims those of others.
    pub works: bool,
    /// Number of runs at work up to which the node claims trees.
    pub capacity: usize,
    /// Duration of the lease.
    pub ttl: Duration,
}

/// Handle of this node. The trees of one that is dropped without a release are taken over when its time has passed.
#[derive(Clone)]
pub struct ClusterNode {
    release: mpsc::Sender<oneshot::Sender<()>>,
}

impl ClusterNode {
    /// Gives all trees back, so that other nodes claim them at once. Gives up after two seconds: they are taken over later.
    pub async fn release(&self) {
        let (reply, released) = oneshot::channel();
        if self.release.send(reply).await.is_ok() {
            let _ = timeout(Duration::from_secs(2), released).await;
        }
    }
}

impl PostgresStore {
    /// Joins the nodes that share the store. Until then, writes are of no node.
    pub fn join(&self, settings: NodeSettings) -> StoreFuture<ClusterNode> {
        let (release, orders) = mpsc::channel(1);
        let own_connection = Connections::new(&self.address, 1);
        let (address, hint_orders) = (self.address.clone(), self.shared.node_parts.take_hints());
        self.shared.node_parts.capacity.store(settings.capacity, Ordering::Relaxed);
        self.shared.node_parts.works.store(settings.works, Ordering::Relaxed);
        let joined = self.call("claim", async move |shared| {
            let (connections, is_leaving) = (own_connection?, AtomicBool::new(false));
            let lease = NodeLease { connections, shared: Arc::clone(&shared), settings, is_leaving };
            // The folder is locked by this process, so an earlier node with it has ended.
            lease.register(true).await.map_err(as_error)?;
            Ok((lease, shared))
        });
        let worker = self.worker();
        Box::pin(async move {
            let (lease, shared) = joined.await?;
            worker.send(Box::pin(async move {
                tokio::select! {
                    () = lease.obey(orders) => {}
                    () = lease.renew_until_released() => {}
                    () = housekeeping::go_on(&shared.connections) => {}
                    () = hints::exchange(&shared, &address, hint_orders) => {}
                }
            }))?;
            Ok(ClusterNode { release })
        })
    }
}

fn as_error(fault: Fault) -> StoreError {
    match fault {
        Fault::Lost(reason) | Fault::Retry(reason) => StoreError::Unreachable(reason),
        Fault::Final(fault) => fault,
    }
}

/// The lease of this node.
struct NodeLease {
    /// A connection that no run can keep busy.
    connections: Connections,
    shared: Arc<Shared>,
    settings: NodeSettings,
    /// True when the trees are given back.
    is_leaving: AtomicBool,
}

impl NodeLease {
    /// Adds this process as a new node, if `replaces` is true in place of those with the same data folder.
    async fn register(&self, replaces: bool) -> Result<(), Fault> {
        let (node, sent) = (ids::unique_uuid(), BootTime::now());
        let NodeSettings { folder, machine, address, role, works, capacity, ttl } = &self.settings;
        let is_draining = *works && !self.shared.node_parts.works.load(Ordering::Relaxed);
        let sql = "with ended as (delete from nodes where folder = $2 and machine = $3 and $9)
            insert into nodes (id, folder, machine, address, version, capacity, started_at, until, role, draining)
            values ($1::text::uuid, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), $10, $11)";
        let insert = Sql::new(sql)
            .with(node)
            .with(folder)
            .with(machine)
            .with(address)
            .with(env!("CARGO_PKG_VERSION"))
            .with(*capacity)
            .with(Moment::now().millis())
            .with(ttl.as_secs_f64())
            .with(replaces)
            .with(*role)
            .with(is_draining);
        self.send(insert).await?;
        self.shared.connections.trees.join(node);
        self.shared.node_parts.deadline.extend(sent, *ttl);
        Ok(())
    }

    /// Renews the lease until the future is dropped.
    async fn renew_until_released(&self) {
        let ttl = self.settings.ttl;
        let mut renewals = 0_u32;
        loop {
            let sent = BootTime::now();
            let renewed = self.renew().await;
            if self.is_leaving.load(Ordering::Relaxed) {
                // Its trees were given back meanwhile.
                return std::future::pending().await;
            }
            let pause = match renewed {
                Ok(true) => {
                    self.shared.node_parts.deadline.extend(sent, ttl);
                    renewals += 1;
                    self.give_late_trees_back().await;
                    ttl / 3
                }
                Ok(false) => {
                    self.lose_all().await;
                    ttl / 3
                }
                Err(fault) => {
                    tracing::warn!(?fault, "the lease of this node was not renewed");
                    ttl / RETRY_PART
                }
            };
            if renewals >= RENEWALS_UNTIL_REVIEW {
                renewals = 0;
                if let Err(fault) = self.review_trees().await {
                    tracing::warn!(?fault, "trees of this node were not compared with the database");
                }
            }
            sleep(pause).await;
        }
    }

    /// Gives trees back that came while a drain was under way.
    async fn give_late_trees_back(&self) {
        let is_idle = self.shared.connections.trees.roots().is_empty();
        if self.shared.node_parts.works.load(Ordering::Relaxed) || is_idle {
            return;
        }
        if let Err(fault) = drain::give_trees_back(&self.shared).await {
            tracing::warn!(%fault, "trees of this node were not given back yet");
        }
    }

    /// Renews the row. Returns false if another node has removed it.
    async fn renew(&self) -> Result<bool, Fault> {
        let Some(node) = self.shared.connections.trees.node() else { return Ok(false) };
        let sql = "update nodes set until = now() + make_interval(secs => $2) where id = $1::text::uuid returning 1";
        let rows = self.send(Sql::new(sql).with(node).with(self.settings.ttl.as_secs_f64())).await?;
        Ok(!rows.is_empty())
    }

    /// Sends a statement of its own, within the time between two renewals.
    async fn send(&self, statement: Sql) -> Result<Vec<Row>, Fault> {
        let limit = self.settings.ttl / 3;
        let silent = || Fault::Lost(String::from("the server does not answer"));
        let client = timeout(limit, self.connections.get()).await.map_err(|_| silent())??;
        let sent = timeout(limit, send_all(&client, &[&statement])).await;
        if !matches!(sent, Ok(Ok(_))) {
            drop(Object::take(client));
        }
        Ok(sent.map_err(|_| silent())??.pop().unwrap_or_default())
    }

    /// Ends all work on the trees of this node, which are of others now, and joins as a new node.
    async fn lose_all(&self) {
        tracing::error!("this node was taken for dead: its runs go on elsewhere, and it begins anew");
        self.shared.node_parts.deadline.end();
        self.shared.connections.trees.lose_all();
        let (ended, all_ended) = oneshot::channel();
        if self.shared.node_parts.notices.send(LeaseNotice::Lost(ended)).is_ok() {
            // Fails if the registry has ended, and all runs with it.
            let _ = all_ended.await;
        }
        while let Err(fault) = self.register(false).await {
            tracing::warn!(?fault, "this node could not begin anew");
            sleep(self.settings.ttl / RETRY_PART).await;
        }
    }

    /// Compares the trees with those in the database: forgets trees that were deleted, gives back those that the node does not
    /// know of because a reply was lost, and gives up those that ended a while ago.
    async fn review_trees(&self) -> Result<(), Fault> {
        let trees = &self.shared.connections.trees;
        let (Some(node), held) = (trees.node(), trees.roots()) else { return Ok(()) };
        let owned = Sql::new("select root_id from trees where owner = $1::text::uuid").with(node);
        let owned: HashSet<RunId> = read_roots(&self.send(owned).await?)?.into_iter().collect();
        let deleted: Vec<RunId> = held.into_iter().filter(|root| !owned.contains(root)).collect();
        deleted.iter().for_each(|root| trees.remove(root));
        if !deleted.is_empty() {
            let _ = self.shared.node_parts.notices.send(LeaseNotice::Deleted(deleted));
        }
        let unknown: Vec<String> =
            owned.iter().filter(|root| !trees.owns(root)).map(RunId::to_string).collect();
        if !unknown.is_empty() {
            let sql = "update trees set owner = null, wanted = true where owner = $1::text::uuid and root_id = any ($2)";
            self.send(Sql::new(sql).with(node).with(unknown)).await?;
        }
        let ended =
            "update trees set owner = null where owner = $1::text::uuid and not wanted and not exists (
                select 1 from runs where runs.root_id = trees.root_id and (ended_at is null or ended_at > $2)
            ) returning root_id";
        let before = Moment::now().millis() - KEPT_AFTER_END_MS;
        let ended = self.send(Sql::new(ended).with(node).with(before)).await?;
        read_roots(&ended)?.iter().for_each(|root| trees.remove(root));
        Ok(())
    }

    /// Gives the trees back when told to, and ends.
    async fn obey(&self, mut orders: mpsc::Receiver<oneshot::Sender<()>>) {
        let Some(reply) = orders.recv().await else {
            // The handle was dropped: the lease goes on as long as the process.
            return std::future::pending().await;
        };
        let node = self.shared.connections.trees.node();
        self.is_leaving.store(true, Ordering::Relaxed);
        self.shared.node_parts.deadline.end();
        self.shared.connections.trees.lose_all();
        if let Some(node) = node
            && let Err(fault) = self.release(node).await
        {
            tracing::warn!(?fault, "the trees of this node were not given back");
        }
        let _ = reply.send(());
    }

    async fn release(&self, node: Uuid) -> Result<(), Fault> {
        let trees = "update trees set owner = null, wanted = true where owner = $1::text::uuid";
        self.send(Sql::new(trees).with(node)).await?;
        self.send(Sql::new("delete from nodes where id = $1::text::uuid").with(node)).await?;
        Ok(())
    }
}

/// Reads the first column of rows as roots of trees.
fn read_roots(rows: &[Row]) -> Result<Vec<RunId>, Fault> {
    Ok(rows.iter().map(|row| run_id(row, 0)).collect::<Result<_, _>>()?)
}

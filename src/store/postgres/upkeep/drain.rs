//! The nodes of the store, and the drain of this one: it gives its trees to the others and goes on serving people.

use crate::clock::Moment;
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{Sql, unsigned};
use crate::store::postgres::connection::store::Shared;
use crate::store::postgres::connection::writes::{WriteOnly, read_all, send_apart, store_once};
use crate::store::tree_leases::{Drained, LeaseNotice, NodeRow};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_postgres::Row;
use uuid::Uuid;

const NODES: &str = "select id::text, machine, address, version, role, draining, capacity, started_at,
        (extract(epoch from until - now()) * 1000)::bigint, coalesce(id = $1::text::uuid, false),
        (select count(*) from trees where owner = nodes.id),
        (select count(*) from trees join runs on runs.root_id = trees.root_id
            where owner = nodes.id and runs.ended_at is null)
    from nodes where until > now() order by started_at, id";

const TAKERS: &str = "select count(*) from nodes
    where id <> $1::text::uuid and until > now() and capacity > 0 and role <> 'web' and not draining";

const GIVE_BACK: &str =
    "update trees set owner = null, wanted = true where owner = $1::text::uuid returning root_id";

/// Reads the nodes that are alive.
pub async fn nodes(shared: &Shared) -> Result<Vec<NodeRow>, StoreError> {
    let statement = Sql::new(NODES).with(shared.connections.trees.node());
    read_all(&shared.connections, &[statement]).await?.iter().flatten().map(node_row).collect()
}

fn node_row(row: &Row) -> Result<NodeRow, StoreError> {
    let millis: i64 = row.try_get(8)?;
    Ok(NodeRow {
        id: row.try_get(0)?,
        machine: row.try_get(1)?,
        address: row.try_get(2)?,
        version: row.try_get(3)?,
        role: row.try_get(4)?,
        is_draining: row.try_get(5)?,
        capacity: unsigned(row, 6)?,
        started_at: Moment::from_millis(row.try_get(7)?),
        time_left: Duration::from_millis(u64::try_from(millis).unwrap_or(0)),
        is_self: row.try_get(9)?,
        trees: unsigned(row, 10)?,
        runs: unsigned(row, 11)?,
    })
}

/// Gives all trees of this node to others.
pub async fn drain(shared: &Shared) -> Result<Drained, StoreError> {
    let node = shared.connections.trees.node().ok_or(StoreError::NoOtherNode)?;
    let counted = read_all(&shared.connections, &[Sql::new(TAKERS).with(node)]).await?;
    let takers = counted.iter().flatten().next().map(|row| unsigned(row, 0)).transpose()?.unwrap_or(0);
    if takers == 0 {
        return Err(StoreError::NoOtherNode);
    }
    set_draining(shared, node, true).await?;
    shared.node_parts.works.store(false, Ordering::Relaxed);
    let trees = give_trees_back(shared).await?;
    Ok(Drained { trees, takers })
}

/// Takes trees again, if the node's role allows it.
pub async fn end_drain(shared: &Shared) -> Result<(), StoreError> {
    let Some(node) = shared.connections.trees.node() else { return Ok(()) };
    set_draining(shared, node, false).await?;
    let role = Sql::new("select role from nodes where id = $1::text::uuid").with(node);
    let rows = read_all(&shared.connections, &[role]).await?;
    let role = rows.iter().flatten().next().map(|row| row.try_get::<_, String>(0)).transpose()?;
    shared.node_parts.works.store(role.as_deref() != Some("web"), Ordering::Relaxed);
    let _ = shared.node_parts.notices.send(LeaseNotice::Unowned);
    Ok(())
}

/// Ends the work on all trees of this node and gives them back. Returns their number.
pub async fn give_trees_back(shared: &Shared) -> Result<u64, StoreError> {
    let Some(node) = shared.connections.trees.node() else { return Ok(0) };
    // Steps under way store nothing from here on.
    shared.connections.trees.give_up_all();
    let (ended, all_ended) = oneshot::channel();
    if shared.node_parts.notices.send(LeaseNotice::Lost(ended)).is_ok() {
        // Fails if the registry has ended, and all runs with it.
        let _ = all_ended.await;
    }
    let given = send_apart(&shared.connections, &[&Sql::new(GIVE_BACK).with(node)]).await?;
    Ok(given.iter().map(|roots| roots.len() as u64).sum())
}

async fn set_draining(shared: &Shared, node: Uuid, draining: bool) -> Result<(), StoreError> {
    let update =
        Sql::new("update nodes set draining = $2 where id = $1::text::uuid").with(node).with(draining);
    store_once(&shared.connections, &WriteOnly(vec![update])).await
}

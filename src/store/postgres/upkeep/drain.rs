//! The nodes of the store, and the drain of this one: it gives its trees to the others and goes on serving people.

use crate::clock::Moment;
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{Sql, unsigned};
use crate::store::postgres::connection::store::Shared;
use crate::store::postgres::connection::writes::{read_all, send_apart};
use crate::store::tree_leases::{Drained, LeaseNotice, NodeRow};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_postgres::Row;

const NODES: &str = "select id::text, machine, address, version, role, draining, capacity, started_at,
        (extract(epoch from until - now()) * 1000)::bigint, coalesce(id = $1::text::uuid, false),
        (select count(*) from trees where owner = nodes.id),
        (select count(*) from trees join runs on runs.root_id = trees.root_id
            where owner = nodes.id and runs.ended_at is null)
    from nodes where until > now() order by started_at, id";

/// Marks this node as draining if another one would take its trees. All nodes are locked, so that of two drains at once the
/// second sees the first.
const BEGIN_DRAIN: &str = "with nodes_now as materialized (
        select id, until, capacity, role, draining from nodes order by id for update
    ), takers as (
        select count(*) as number from nodes_now
        where id <> $1::text::uuid and until > now() and capacity > 0 and role <> 'web' and not draining
    ) update nodes set draining = true from takers where id = $1::text::uuid and number > 0 returning number";

const END_DRAIN: &str = "update nodes set draining = false where id = $1::text::uuid returning role <> 'web'";

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
    let begun = send_apart(&shared.connections, &[&Sql::new(BEGIN_DRAIN).with(node)]).await?;
    let takers = begun.iter().flatten().next().map(|row| unsigned(row, 0)).transpose()?;
    let takers = takers.ok_or(StoreError::NoOtherNode)?;
    shared.node_parts.works.store(false, Ordering::Relaxed);
    let trees = give_trees_back(shared).await?;
    Ok(Drained { trees, takers })
}

/// Takes trees again, if the node's role allows it.
pub async fn end_drain(shared: &Shared) -> Result<(), StoreError> {
    let Some(node) = shared.connections.trees.node() else { return Ok(()) };
    let ended = send_apart(&shared.connections, &[&Sql::new(END_DRAIN).with(node)]).await?;
    let works = ended.iter().flatten().next().map(|row| row.try_get(0)).transpose()?;
    shared.node_parts.works.store(works.unwrap_or(false), Ordering::Relaxed);
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

//! Claims of run trees, and the runs of them that have something to do.

use crate::ids;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::{Sql, run_id};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{
    AsWrite, ReadThenWrite, Work, read_all, send_apart, store_once,
};
use crate::store::postgres::upkeep::drain;
use crate::store::tree_leases::deadline::LeaseDeadline;
use crate::store::tree_leases::node_parts::HintOrder;
use crate::store::tree_leases::{
    ClaimedTrees, Drained, LeaseNotice, NodeRow, OwnerTicket, RedeemedTicket, RunTask, TreeLeases, TreeWorker,
};
use std::sync::atomic::Ordering;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_postgres::Row;
use uuid::Uuid;

/// Most trees claimed at once, so that several nodes share those of one that has ended.
const CLAIMED_AT_ONCE: usize = 16;

/// Removes the nodes whose time has passed.
const REMOVE_DEAD_NODES: &str =
    "delete from nodes where id in (select id from nodes where until < now() for update skip locked)";

/// Gives this node trees that nobody has, or only those of them that a person has stopped. A node that was removed itself is
/// given none.
const CLAIM: &str = "with unowned as (
        select root_id from trees where wanted and owner is null and ($3 or root_id in (
            select run_id from user_commands where command = 'stop'
        )) limit $2 for update skip locked
    ), orphaned as (
        select root_id from trees where owner is not null and owner <> all (array(select id from nodes))
            and ($3 or root_id in (select run_id from user_commands where command = 'stop'))
        limit $2 for update skip locked
    ) update trees set owner = $1::text::uuid, epoch = epoch + 1, wanted = false
    where root_id in (select root_id from unowned union all select root_id from orphaned limit $2)
        and exists (select 1 from nodes where id = $1::text::uuid)
    returning root_id, epoch";

/// Gives trees back whose runs have all ended; a message that none of them has read is for the next node.
const GIVE_STOPPED_BACK: &str = "update trees set owner = null, wanted = wanted or exists (
        select 1 from inbox join runs on runs.id = inbox.run_id where runs.root_id = trees.root_id
    ) where owner = $1::text::uuid and root_id = any ($2)
        and not exists (select 1 from runs where runs.root_id = trees.root_id and ended_at is null)
    returning root_id";

/// Returns whether a node owns the tree, and whether one would take it.
const TREE_WORKER: &str = "select
    exists (select 1 from trees join nodes on nodes.id = owner where root_id = $1 and until > now()),
    exists (select 1 from nodes where until > now() and capacity > 0 and role <> 'web' and not draining)";

/// Runs of trees that have something to do after the end of their node. Runs of a parent that has ended are stopped; those
/// that must not outlive a restart are ended.
const RUNS_OF_CLAIMED: &str = "select run.id, case
        when run.ended_at is null and run.bounds::json ->> 'ephemeral' = 'true' then 'end'
        when run.ended_at is null and (run.stopping or parent.ended_at is not null) then 'stop'
        when run.ended_at is null and run.status in ('running', 'queued') then 'go on'
        when run.ended_at is null and run.status = 'waiting' and run.question_reference is null then 'go on'
        when exists (select 1 from inbox where run_id = run.id) then 'go on'
        when exists (select 1 from user_commands where run_id = run.id) then 'go on'
        when run.ended_at is null and run.status in ('waiting', 'paused') and exists (
            select 1 from runs child where child.parent_id = run.id and child.ended_at >= run.updated_at) then 'go on'
        when run.ended_at is null and run.status = 'waiting' and exists (
            select 1 from questions where reference = run.question_reference and resolved_at is not null) then 'go on'
    end
    from runs run left join runs parent on parent.id = run.parent_id
    where run.root_id = any ($1) order by run.status, run.id";

/// Runs of trees for which something was stored that they have not read.
const WOKEN_RUNS: &str = "select id from runs where root_id = any ($1) and (
        exists (select 1 from inbox where run_id = runs.id)
        or exists (select 1 from user_commands where run_id = runs.id)
        or ended_at is null and exists (
            select 1 from questions where reference = runs.question_reference and resolved_at is not null))
    order by depth, id";

const REMOVE_OLD_TICKETS: &str = "delete from relay_tickets where until < now()";

/// Returns the address of the owner, and stores a ticket for it if there is one. Only hashes of tickets are stored.
const ISSUE_TICKET: &str = "with owner as (
        select nodes.id, nodes.address from trees join nodes on nodes.id = trees.owner
        where root_id = $2 and nodes.until > now() and nodes.id <> $4::text::uuid
    ), issued as (
        insert into relay_tickets (hash, node, root_id, viewer, until)
        select sha256($1::text::bytea), id, $2, $3, now() + interval '30 seconds' from owner where address <> ''
    ) select address from owner";

const REDEEM_TICKET: &str = "delete from relay_tickets
    where hash = sha256($1::text::bytea) and node = $2::text::uuid and until > now() returning root_id, viewer";

impl TreeLeases for PostgresStore {
    fn is_shared(&self) -> bool {
        self.shared.connections.trees.is_node()
    }

    fn owns(&self, root: &RunId) -> bool {
        self.shared.connections.trees.owns(root)
    }

    fn tree_worker(&self, root: RunId) -> StoreFuture<TreeWorker> {
        if self.owns(&root) {
            return Box::pin(async { Ok(TreeWorker::ThisNode) });
        }
        self.call("read", async move |shared| {
            let rows = read_all(&shared.connections, &[Sql::new(TREE_WORKER).with(&root)]).await?;
            let Some(row) = rows.iter().flatten().next() else { return Ok(TreeWorker::Nobody) };
            Ok(match (row.try_get(0)?, row.try_get(1)?) {
                (true, _) => TreeWorker::OtherNode,
                (false, true) => TreeWorker::NextTaker,
                (false, false) => TreeWorker::Nobody,
            })
        })
    }

    fn lease_deadline(&self) -> LeaseDeadline {
        self.shared.node_parts.deadline.clone()
    }

    fn lease_notices(&self) -> Option<UnboundedReceiver<LeaseNotice>> {
        self.shared.node_parts.take_notices()
    }

    fn nodes(&self) -> StoreFuture<Vec<NodeRow>> {
        self.call("read", async move |shared| drain::nodes(&shared).await)
    }

    fn drain(&self) -> StoreFuture<Drained> {
        self.call("claim", async move |shared| drain::drain(&shared).await)
    }

    fn end_drain(&self) -> StoreFuture<()> {
        self.call("claim", async move |shared| drain::end_drain(&shared).await)
    }

    fn claim_trees(&self, runs_at_work: usize) -> StoreFuture<ClaimedTrees> {
        self.call("claim", async move |shared| {
            let Some(node) = shared.connections.trees.node() else { return Ok(ClaimedTrees::default()) };
            let works = shared.node_parts.works.load(Ordering::Relaxed);
            if !works {
                give_stopped_trees_back(&shared, node).await?;
            }
            let room = shared.node_parts.capacity.load(Ordering::Relaxed).saturating_sub(runs_at_work);
            let wanted = match works {
                true if room > 0 => WantedTrees::All { most: room.min(CLAIMED_AT_ONCE) },
                _ => WantedTrees::Stopped,
            };
            let roots = claim(&shared, node, wanted).await?;
            if roots.is_empty() {
                return Ok(ClaimedTrees::default());
            }
            let read = read_all(&shared.connections, &[Sql::new(RUNS_OF_CLAIMED).with(names(&roots))]).await;
            let runs = read.and_then(|rows| rows.iter().flatten().filter_map(run_task).collect());
            match runs {
                Ok(runs) => Ok(ClaimedTrees { roots, runs: wanted.tasks_of(runs) }),
                Err(fault) => {
                    // Trees that the node does not hold are given back at the next review.
                    roots.iter().for_each(|root| shared.connections.trees.remove(root));
                    Err(fault)
                }
            }
        })
    }

    fn take_woken_runs(&self) -> StoreFuture<Vec<RunId>> {
        self.call("claim", async move |shared| {
            // A message for a tree of a node that works on none waits for the one that takes it next.
            let works = shared.node_parts.works.load(Ordering::Relaxed);
            let Some(node) = shared.connections.trees.node().filter(|_| works) else { return Ok(Vec::new()) };
            let any = "select 1 from trees where owner = $1::text::uuid and wanted limit 1";
            let found = read_all(&shared.connections, &[Sql::new(any).with(node)]).await?;
            if found.iter().flatten().next().is_none() {
                return Ok(Vec::new());
            }
            let woken = store_once(&shared.connections, &AsWrite(WokenTrees { node })).await?;
            Ok(woken.into_iter().map(RunId::from).collect())
        })
    }

    fn wake_owner(&self, root: &RunId) {
        if self.is_shared() {
            // Both ends may be gone while the service ends.
            let _ = self.shared.node_parts.hints.send(HintOrder::Wake(root.clone()));
            let _ = self.shared.node_parts.notices.send(LeaseNotice::Unowned);
        }
    }

    fn issue_ticket(&self, root: RunId, viewer: String) -> StoreFuture<Option<OwnerTicket>> {
        self.call("relay", async move |shared| {
            let Some(node) = shared.connections.trees.node() else { return Ok(None) };
            let ticket = ids::token();
            let issue =
                Sql::new(ISSUE_TICKET).with(ticket.as_str()).with(&root).with(viewer.as_str()).with(node);
            let rows = send_apart(&shared.connections, &[&Sql::new(REMOVE_OLD_TICKETS), &issue]).await?;
            let Some(row) = rows.get(1).and_then(|rows| rows.first()) else { return Ok(None) };
            Ok(Some(OwnerTicket { address: row.try_get(0)?, ticket }))
        })
    }

    fn redeem_ticket(&self, ticket: String) -> StoreFuture<Option<RedeemedTicket>> {
        self.call("relay", async move |shared| {
            let Some(node) = shared.connections.trees.node() else { return Ok(None) };
            let rows =
                send_apart(&shared.connections, &[&Sql::new(REDEEM_TICKET).with(ticket.as_str()).with(node)])
                    .await?;
            let Some(row) = rows.iter().flatten().next() else { return Ok(None) };
            Ok(Some(RedeemedTicket { root: run_id(row, 0)?, viewer: row.try_get(1)? }))
        })
    }

    fn follow_tree(&self, root: &RunId, follows: bool) {
        if self.is_shared() {
            let _ = self.shared.node_parts.hints.send(HintOrder::Follow { root: root.clone(), follows });
        }
    }
}

/// Trees that a node would take.
#[derive(Clone, Copy)]
enum WantedTrees {
    All {
        most: usize,
    },
    /// Only those that a person has stopped.
    Stopped,
}

impl WantedTrees {
    /// Stops what is claimed for that alone.
    fn tasks_of(self, mut runs: Vec<(RunId, RunTask)>) -> Vec<(RunId, RunTask)> {
        if let Self::Stopped = self {
            runs.iter_mut()
                .filter(|(_, task)| *task == RunTask::GoOn)
                .for_each(|(_, task)| *task = RunTask::Stop);
        }
        runs
    }
}

/// Gives trees back that the node has claimed to stop them, once all their runs have ended.
async fn give_stopped_trees_back(shared: &Shared, node: Uuid) -> Result<(), StoreError> {
    let held = shared.connections.trees.roots();
    if held.is_empty() {
        return Ok(());
    }
    let given =
        send_apart(&shared.connections, &[&Sql::new(GIVE_STOPPED_BACK).with(node).with(names(&held))])
            .await?;
    for row in given.iter().flatten() {
        shared.connections.trees.remove(&run_id(row, 0)?);
    }
    Ok(())
}

async fn claim(shared: &Shared, node: Uuid, wanted: WantedTrees) -> Result<Vec<RunId>, StoreError> {
    let (most, all) = match wanted {
        WantedTrees::All { most } => (most, true),
        WantedTrees::Stopped => (CLAIMED_AT_ONCE, false),
    };
    let claim = Sql::new(CLAIM).with(node).with(most).with(all);
    // Repeated soon: a lost reply is cleared up by the review of the node's trees.
    let rows = send_apart(&shared.connections, &[&Sql::new(REMOVE_DEAD_NODES), &claim]).await?;
    let mut roots = Vec::new();
    for row in rows.get(1).into_iter().flatten() {
        let root = run_id(row, 0)?;
        shared.connections.trees.add(node, root.clone(), row.try_get(1)?);
        roots.push(root);
    }
    Ok(roots)
}

fn names(roots: &[RunId]) -> Vec<String> {
    roots.iter().map(RunId::to_string).collect()
}

/// Reads a run with what it has to do; `None` if that is nothing.
fn run_task(row: &Row) -> Option<Result<(RunId, RunTask), StoreError>> {
    let read = || {
        let task = match row.try_get::<_, Option<&str>>(1)? {
            Some("end") => RunTask::EndAfterRestart,
            Some("stop") => RunTask::Stop,
            Some(_) => RunTask::GoOn,
            None => return Ok(None),
        };
        Ok(Some((run_id(row, 0)?, task)))
    };
    read().transpose()
}

/// Trees of a node for which others have stored something.
struct WokenTrees {
    node: Uuid,
}

impl ReadThenWrite for WokenTrees {
    /// Ids of the runs.
    type Outcome = Vec<String>;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Vec<String>> {
        Box::pin(async {
            let sql =
                "update trees set wanted = false where owner = $1::text::uuid and wanted returning root_id";
            let roots = transaction.send(&[Sql::new(sql).with(self.node)]).await?;
            let roots =
                roots.iter().flatten().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
            // A statement of its own, which sees what was stored while the trees were waited for.
            let rows = transaction.send(&[Sql::new(WOKEN_RUNS).with(roots)]).await?;
            let runs = rows.iter().flatten().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            Ok((Vec::new(), runs))
        })
    }
}

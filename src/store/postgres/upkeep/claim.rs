//! The claim of a service on the store. Two services on one store would both step the same runs, so a second one is refused.
//!
//! The claim is a row with a beat, not a lock of a session: a pooler in transaction mode gives a session to many clients. A row
//! whose beat stands still is taken over, and each write of a claimed store first checks that its row is there
//! ([`WriteTransaction`](crate::store::postgres::connection::transaction::WriteTransaction)), so a service that was suspended
//! for longer stores nothing when it goes on.

use crate::clock::{Moment, Stopwatch};
use crate::ids;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::{NODES_LOCK, WriteTransaction};
use crate::store::postgres::connection::writes::{AsWrite, ReadThenWrite, Work, store_once};
use crate::store::postgres::upkeep::housekeeping;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_postgres::Row;
use uuid::Uuid;

/// Looks after which a claim whose beat stands still is taken over: ten seconds.
const STALE_AFTER: u32 = 20;
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Seconds after which a look begins the count anew: a server that was away could not be told of a beat.
const LONGEST_LOOK: f64 = 2.0;
/// Time between two beats: a third, so that two may be lost.
const BEAT: Duration = Duration::from_millis(3_333);

/// Identity of a service that claims the store.
#[derive(Clone, Debug)]
pub struct ServiceIdentity {
    /// Id of the data folder. The service has locked the folder, so an earlier claim from it is of a service that has ended.
    pub folder: String,
    /// Name of the machine, as a folder may have been copied to another one.
    pub machine: String,
}

/// A claim on the store. It ends when it is released; when it is dropped, its beat ends, as in a crash.
pub struct StoreClaim {
    release: oneshot::Sender<()>,
    released: oneshot::Receiver<()>,
    lost: watch::Receiver<bool>,
}

impl StoreClaim {
    /// Returns a future that ends when another service has taken over the store.
    pub fn lost(&self) -> impl Future<Output = ()> + use<> {
        let mut lost = self.lost.clone();
        async move {
            if lost.wait_for(|lost| *lost).await.is_err() {
                // The claim was released.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Gives the store back, so that another service need not wait. Gives up after two seconds: a claim that stays becomes
    /// stale.
    pub async fn release(self) {
        if self.release.send(()).is_ok() {
            let _ = timeout(Duration::from_secs(2), self.released).await;
        }
    }
}

impl PostgresStore {
    /// Claims the store for this process, which alone works on its runs from then on. Waits ten seconds for a claim that may
    /// be of a service that has died; refuses one that is renewed.
    pub fn claim(&self, identity: ServiceIdentity) -> StoreFuture<StoreClaim> {
        let address = self.address.clone();
        let (release, told_to_release) = oneshot::channel();
        let (reply, released) = oneshot::channel();
        let (tell_lost, lost) = watch::channel(false);
        let own_connection = Connections::new(&address, 1);
        let claimed = self.call("claim", async move |shared| {
            let node = take(&shared, &identity, &address.shown()).await?;
            shared.connections.bind_to(node);
            Ok((shared, Beat { connections: own_connection?, node, lost: tell_lost }))
        });
        let worker = self.worker();
        Box::pin(async move {
            let (shared, beat) = claimed.await?;
            worker.send(Box::pin(async move {
                tokio::select! {
                    told = told_to_release => if told.is_ok() { beat.release().await },
                    () = beat.go_on() => {}
                    () = housekeeping::go_on(&shared.connections) => {}
                }
                let _ = reply.send(());
            }))?;
            Ok(StoreClaim { release, released, lost })
        })
    }
}

/// Claims the store, and returns the id of the node that the process is from then on.
async fn take(shared: &Shared, identity: &ServiceIdentity, address: &str) -> Result<Uuid, StoreError> {
    let node = ids::unique_uuid();
    let mut seen: Option<(OtherNode, u32)> = None;
    loop {
        let (watch, stale) = (Stopwatch::start(), seen.as_ref().filter(|(_, looks)| *looks >= STALE_AFTER));
        let wanted = WantedClaim { node, identity, stale: stale.map(|(other, _)| other.clone()) };
        let Some(other) = store_once(&shared.connections, &AsWrite(wanted)).await? else { return Ok(node) };
        seen = match seen {
            Some((earlier, looks)) if earlier == other && watch.seconds() < LONGEST_LOOK => {
                Some((other, looks + 1))
            }
            // It was renewed meanwhile.
            Some((earlier, _)) if earlier != other && earlier.id == other.id => {
                return Err(other.in_use(address));
            }
            Some(_) | None => Some((other, 0)),
        };
        sleep(LOOK_AGAIN).await;
    }
}

/// A claim that is wanted.
struct WantedClaim<'i> {
    node: Uuid,
    identity: &'i ServiceIdentity,
    /// Node whose beat has stood still for long enough.
    stale: Option<OtherNode>,
}

/// Another node that holds the claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OtherNode {
    id: String,
    machine: String,
    started_at: i64,
    beat: i64,
}

impl OtherNode {
    fn in_use(&self, address: &str) -> StoreError {
        StoreError::InUse {
            address: address.to_owned(),
            machine: self.machine.clone(),
            since: Moment::from_millis(self.started_at).rfc3339(),
        }
    }
}

impl ReadThenWrite for WantedClaim<'_> {
    /// The node that holds the claim; `None` if this one does now.
    type Outcome = Option<OtherNode>;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Self::Outcome> {
        Box::pin(async {
            // Waits for writes of the earlier node, and keeps later ones from being stored.
            let lock = Sql::new("select pg_advisory_xact_lock($1)").with(NODES_LOCK);
            let find = "select id::text, machine, started_at, beat, folder from nodes";
            let rows = transaction.send(&[lock, Sql::new(find)]).await?;
            for row in rows.get(1).into_iter().flatten() {
                let other = other_node(row)?;
                if !self.may_replace(&other, &row.try_get::<_, String>(4)?) {
                    return Ok((Vec::new(), Some(other)));
                }
            }
            Ok((self.statements().into(), None))
        })
    }
}

impl WantedClaim<'_> {
    fn may_replace(&self, other: &OtherNode, folder: &str) -> bool {
        let is_own = folder == self.identity.folder && other.machine == self.identity.machine;
        is_own || self.stale.as_ref() == Some(other)
    }

    fn statements(&self) -> [Sql; 2] {
        let insert = "insert into nodes (id, folder, machine, version, started_at)
                      values ($1::text::uuid, $2, $3, $4, $5)";
        [
            Sql::new("delete from nodes"),
            Sql::new(insert)
                .with(self.node)
                .with(&self.identity.folder)
                .with(&self.identity.machine)
                .with(env!("CARGO_PKG_VERSION"))
                .with(Moment::now().millis()),
        ]
    }
}

fn other_node(row: &Row) -> Result<OtherNode, Fault> {
    Ok(OtherNode {
        id: row.try_get(0)?,
        machine: row.try_get(1)?,
        started_at: row.try_get(2)?,
        beat: row.try_get(3)?,
    })
}

/// The beat of a claim.
struct Beat {
    /// A connection that no run can keep busy.
    connections: Connections,
    node: Uuid,
    lost: watch::Sender<bool>,
}

impl Beat {
    /// Renews the claim until another service has taken it over.
    async fn go_on(&self) {
        let mut ticks = interval(BEAT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match timeout(BEAT, self.renew()).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => break,
                // The claim is still there if the server comes back before another service has seen it stand still.
                Ok(Err(fault)) => tracing::warn!(?fault, "the claim on the store was not renewed"),
                Err(_) => tracing::warn!("the claim on the store was not renewed in time"),
            }
        }
        self.lost.send_replace(true);
    }

    async fn renew(&self) -> Result<bool, Fault> {
        let sql = "update nodes set beat = beat + 1 where id = $1::text::uuid returning 1";
        let client = self.connections.get().await?;
        let rows = send_all(&client, &[&Sql::new(sql).with(self.node)]).await?;
        Ok(rows.iter().flatten().next().is_some())
    }

    async fn release(&self) {
        let released = async {
            let client = self.connections.get().await?;
            let delete = Sql::new("delete from nodes where id = $1::text::uuid").with(self.node);
            send_all(&client, &[&delete]).await?;
            Ok::<_, Fault>(())
        };
        if let Err(fault) = released.await {
            tracing::warn!(?fault, "the claim on the store was not released");
        }
    }
}

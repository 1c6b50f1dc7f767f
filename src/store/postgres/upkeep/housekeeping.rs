//! Removal of rows that only repeated requests need.

use crate::clock::Moment;
use crate::ids;
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use tokio_postgres::Row;
use uuid::Uuid;

/// Time between two removals.
const EVERY: Duration = Duration::from_secs(60);
/// Lifetime of the tokens of writes: one hour, in milliseconds. A write of another process is tried again for ten minutes, and
/// clocks may differ. Those of this process stay as long as they are under way, whatever the clock says after a suspension.
const TOKENS_KEPT_MS: i64 = 60 * 60 * 1_000;
/// Lifetime of idempotency records: one day.
const RECORDS_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// Most rows removed by one statement. More would delay other writes.
const AT_ONCE: usize = 10_000;

/// Removes old rows at once and then each minute.
pub async fn go_on(connections: &Connections) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // A removal that fails is made up for by the next one.
        if let Err(fault) = remove_old(connections, Moment::now()).await {
            tracing::warn!(?fault, "old rows of the store were not removed");
        }
    }
}

async fn remove_old(connections: &Connections, now: Moment) -> Result<(), Fault> {
    let tokens = "with gone as (
            delete from applied_writes where token in (
                select token from applied_writes where token < $1::text::uuid order by token limit $2)
            returning 1
        ) select count(*) from gone";
    let records = "with gone as (
            delete from idempotency_records where key in (
                select key from idempotency_records where created_at < $1 limit $2)
            returning 1
        ) select count(*) from gone";
    loop {
        let first_token = oldest_kept(connections, now);
        let statements = [
            Sql::new(tokens).with(first_token).with(AT_ONCE),
            Sql::new(records).with(now.millis() - RECORDS_KEPT_MS).with(AT_ONCE),
        ];
        let client = connections.get().await?;
        let rows = send_all(&client, &[&statements[0], &statements[1]]).await?;
        let counts: Vec<i64> = rows.iter().flatten().map(removed).collect::<Result<_, _>>()?;
        if counts.iter().all(|count| usize::try_from(*count).unwrap_or(0) < AT_ONCE) {
            return Ok(());
        }
    }
}

fn oldest_kept(connections: &Connections, now: Moment) -> Uuid {
    let by_time = ids::first_uuid_at(now.millis() - TOKENS_KEPT_MS);
    connections.oldest_write().map_or(by_time, |oldest| oldest.min(by_time))
}

fn removed(row: &Row) -> Result<i64, Fault> {
    Ok(row.try_get(0)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::postgres::connection::address::PostgresAddress;

    // The clock jumps over a suspension; the time for which a write is tried again does not pass meanwhile.
    #[test]
    fn the_token_of_a_write_under_way_is_kept_however_old_it_is() {
        let address = PostgresAddress::parse("postgres://db.test/a").unwrap();
        let connections = Connections::new(&address, 1).unwrap();
        let now = Moment::now();
        let next_day = now.plus_seconds(24 * 60 * 60);
        let write = connections.begin_write();
        assert!(oldest_kept(&connections, next_day) <= write.token);
        let token = write.token;
        drop(write);
        assert!(oldest_kept(&connections, next_day) > token);
        assert!(oldest_kept(&connections, now) < token, "it is not an hour old");
    }
}

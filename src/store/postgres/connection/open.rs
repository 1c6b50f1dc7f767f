//! Opening of the store: checks of the server, and migrations.

use crate::store::error::StoreError;
use crate::store::postgres::connection::errors::Fault;
use tokio_postgres::Client;

/// Migrations in order. A released one never changes; a new one is added at the end.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_start.sql"),
    include_str!("../../migrations/postgres/0002_relay_tickets.sql"),
    include_str!("../../migrations/postgres/0003_node_roles.sql"),
];

/// Oldest version of the server that is tested.
const OLDEST_SERVER: i32 = 150_000;

/// Key of the lock under which one process at a time migrates: `askfirst` in ASCII.
const MIGRATION_LOCK: i64 = 0x6173_6b66_6972_7374;

/// Facts of a server, of its replication, and of the role and the database of the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// Version as a number, such as 150018.
    pub version: i32,
    pub read_only: bool,
    pub encoding: String,
    /// True if the role may create tables.
    pub creates_tables: bool,
    /// True if the server's end of the connection is encrypted. Behind a pooler it is the pooler's connection.
    pub is_encrypted: bool,
    /// True if commits are on the disk before their replies (`fsync` and `synchronous_commit`).
    pub keeps_commits: bool,
    /// True if a standby confirms each commit before its reply.
    pub is_synchronous: bool,
    /// Standbys that are connected.
    pub standbys: i64,
    /// Schema version of the store; `None` if there is no store yet.
    pub schema: Option<i32>,
}

impl ServerStatus {
    /// Reports why the server cannot hold the store.
    pub fn check_usable(&self, address: &str) -> Result<(), StoreError> {
        let address = address.to_owned();
        if self.version < OLDEST_SERVER {
            let found = self.version / 10_000;
            return Err(StoreError::OldServer { address, found, oldest: OLDEST_SERVER / 10_000 });
        }
        if self.read_only {
            return Err(StoreError::ReadOnly(String::from(
                "it is a standby, or its transactions are read-only",
            )));
        }
        if self.encoding != "UTF8" {
            return Err(StoreError::Encoding { address, found: self.encoding.clone() });
        }
        match self.schema.and_then(|version| usize::try_from(version).ok()) {
            Some(found) if found > MIGRATIONS.len() => {
                Err(StoreError::Newer { path: address, found, known: MIGRATIONS.len() })
            }
            Some(_) | None => Ok(()),
        }
    }
}

const STATUS: &str = "select current_setting('server_version_num')::int, pg_is_in_recovery() or
        current_setting('transaction_read_only')::bool,
    current_setting('fsync')::bool and current_setting('synchronous_commit') <> 'off',
    current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local'),
    (select count(*) from pg_stat_replication),
    to_regclass('askfirst_schema') is not null, to_regclass('runs') is not null,
    current_setting('server_encoding'), coalesce(has_schema_privilege(current_schema(), 'create'), false),
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)";

/// Reads the status of the server. The flag is true if there are tables named like those of a store, but no store.
pub async fn read_status(client: &Client) -> Result<(ServerStatus, bool), Fault> {
    let row = client.query_typed_one(STATUS, &[]).await?;
    let (has_schema, has_runs): (bool, bool) = (row.try_get(5)?, row.try_get(6)?);
    let mut status = ServerStatus {
        version: row.try_get(0)?,
        read_only: row.try_get(1)?,
        keeps_commits: row.try_get(2)?,
        is_synchronous: row.try_get(3)?,
        standbys: row.try_get(4)?,
        encoding: row.try_get(7)?,
        creates_tables: row.try_get(8)?,
        is_encrypted: row.try_get(9)?,
        schema: None,
    };
    if has_schema {
        status.schema =
            Some(client.query_typed_one("select version from askfirst_schema", &[]).await?.try_get(0)?);
    }
    Ok((status, has_runs && !has_schema))
}

/// Checks the server and applies the migrations that the store lacks, in one transaction.
pub async fn migrate(client: &Client, address: &str) -> Result<(), Fault> {
    let (status, is_foreign) = read_status(client).await?;
    check(&status, is_foreign, address)?;
    if status.schema == Some(newest_version()) {
        return Ok(());
    }
    let begin = format!(
        "begin; select pg_advisory_xact_lock({MIGRATION_LOCK});
         create table if not exists askfirst_schema (version integer not null, only_row boolean primary key default true check (only_row));
         insert into askfirst_schema (version) values (0) on conflict do nothing"
    );
    let migrated = async {
        client.batch_execute(&begin).await?;
        // Read again under the lock: another process may have migrated meanwhile.
        let (status, _) = read_status(client).await?;
        check(&status, false, address)?;
        let found = usize::try_from(status.schema.unwrap_or(0)).unwrap_or(0);
        for sql in MIGRATIONS.iter().skip(found) {
            client.batch_execute(sql).await?;
        }
        let reached = newest_version();
        client.batch_execute(&format!("update askfirst_schema set version = {reached}; commit")).await?;
        Ok::<_, Fault>(())
    };
    let result = migrated.await;
    if result.is_err() {
        // The first error is the one to report.
        let _ = client.batch_execute("rollback").await;
    }
    result
}

fn newest_version() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

fn check(status: &ServerStatus, is_foreign: bool, address: &str) -> Result<(), StoreError> {
    status.check_usable(address)?;
    match is_foreign {
        true => Err(StoreError::ForeignDatabase { address: address.to_owned() }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_cannot_hold_the_store_is_refused_with_the_reason() {
        let encoding = String::from("UTF8");
        let good = ServerStatus { version: 150_018, schema: Some(1), encoding, ..ServerStatus::default() };
        assert!(check(&good, false, "db").is_ok());
        let refused =
            |status: ServerStatus, is_foreign| check(&status, is_foreign, "db").unwrap_err().to_string();
        let old = refused(ServerStatus { version: 140_011, ..good.clone() }, false);
        assert!(old.contains("14") && old.contains("15"), "{old}");
        assert!(refused(ServerStatus { read_only: true, ..good.clone() }, false).contains("standby"));
        let latin = ServerStatus { encoding: String::from("LATIN1"), ..good.clone() };
        assert!(refused(latin, false).contains("LATIN1"));
        assert!(refused(ServerStatus { schema: None, ..good.clone() }, true).contains("another program"));
        assert!(refused(ServerStatus { schema: Some(99), ..good }, false).contains("newer version"));
    }
}

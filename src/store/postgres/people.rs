//! Grants, the audit log, sign-ins, and the check that the store accepts writes.

use crate::clock::Moment;
use crate::ids::{GrantId, RunId};
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::Sql;
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{AsWrite, ReadThenWrite, Work, WriteOnly, store_once};
use crate::store::postgres::statements::columns::{GRANT, grant_row, value};
use crate::store::postgres::statements::run_changes;
use crate::store::rows::{AuditRow, GrantRow};
use crate::store::sign_ins::{SignInRow, SignInRows};
use crate::store::{PermissionRows, Store};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::Row;

impl PermissionRows for PostgresStore {
    fn grants(&self, now: Moment) -> StoreFuture<Vec<GrantRow>> {
        let sql = format!(
            "select {GRANT} from grants where revoked_at is null and expires_at > $1 order by created_at"
        );
        self.read_rows(Sql::new(sql).with(now.millis()), grant_row)
    }

    fn revoke(&self, grant: GrantId) -> StoreFuture<bool> {
        self.call("revoke", async move |shared| {
            store_once(&shared.connections, &AsWrite(Revocation(grant))).await
        })
    }

    fn audit(&self, run: Option<RunId>, before: Option<i64>, limit: usize) -> StoreFuture<Vec<Value>> {
        let sql = "select at, run_id, entry, id, title from audit_log
                   where ($1 is null or run_id = $1) and ($2 is null or id < $2) order by id desc limit $3";
        self.read_rows(Sql::new(sql).with(run.as_ref()).with(before).with(limit), audit_entry)
    }

    fn add_audit(&self, row: AuditRow) -> StoreFuture<()> {
        self.store("audit", vec![run_changes::insert_audit(&row.run, &row.root, &row.entry)])
    }
}

fn audit_entry(row: &Row) -> Result<Value, StoreError> {
    let mut entry: Map<String, Value> = Map::new();
    entry.insert("id".into(), row.try_get::<_, i64>(3)?.into());
    entry.insert("title".into(), row.try_get::<_, Option<String>>(4)?.into());
    entry.insert("at".into(), Moment::from_millis(row.try_get(0)?).rfc3339().into());
    entry.insert("run_id".into(), row.try_get::<_, String>(1)?.into());
    if let Value::Object(rest) = value(row, 2)? {
        entry.extend(rest);
    }
    Ok(Value::Object(entry))
}

/// A grant to revoke.
struct Revocation(GrantId);

impl ReadThenWrite for Revocation {
    /// False if there is no such grant, or if it was revoked before.
    type Outcome = bool;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, bool> {
        Box::pin(async {
            let sql = "update grants set revoked_at = $1 where id = $2 and revoked_at is null returning 1";
            let revoke = Sql::new(sql).with(Moment::now().millis()).with(&self.0);
            let rows = transaction.send(&[revoke]).await?;
            Ok((Vec::new(), rows.iter().flatten().next().is_some()))
        })
    }
}

impl SignInRows for PostgresStore {
    fn sign_ins(&self, now: Moment) -> StoreFuture<Vec<SignInRow>> {
        let sql = "select cookie_hash, token_hash, expires_at from sign_ins where expires_at > $1";
        self.read_rows(Sql::new(sql).with(now.millis()), |row| {
            let expires_at = Moment::from_millis(row.try_get(2)?);
            Ok(SignInRow { cookie_hash: row.try_get(0)?, token_hash: row.try_get(1)?, expires_at })
        })
    }

    fn add_sign_in(&self, row: SignInRow) -> StoreFuture<()> {
        let insert = "insert into sign_ins (cookie_hash, token_hash, expires_at) values ($1, $2, $3)
                      on conflict (cookie_hash) do update
                      set token_hash = excluded.token_hash, expires_at = excluded.expires_at";
        let now = Moment::now().millis();
        let delete = Sql::new("delete from sign_ins where expires_at <= $1").with(now);
        let insert =
            Sql::new(insert).with(row.cookie_hash).with(row.token_hash).with(row.expires_at.millis());
        self.store("sign_in", vec![delete, insert])
    }

    fn end_sign_in(&self, cookie_hash: String) -> StoreFuture<()> {
        self.store(
            "sign_out",
            vec![Sql::new("delete from sign_ins where cookie_hash = $1").with(cookie_hash)],
        )
    }
}

/// Time after which a server that does not answer is reported.
const LONGEST_CHECK: Duration = Duration::from_secs(5);

async fn write_and_delete(shared: &Shared) -> Result<(), StoreError> {
    let insert = "insert into write_checks (padding) values (repeat('x', 16384))";
    // In transactions of their own; otherwise the deletion would undo the write before it reaches the disk.
    for sql in [insert, "delete from write_checks"] {
        store_once(&shared.connections, &WriteOnly(vec![Sql::new(sql)])).await?;
    }
    Ok(())
}

impl Store for PostgresStore {
    fn check_writable(&self) -> StoreFuture<()> {
        self.call("check", async move |shared| {
            // A write that may have been stored is tried for long, but whoever checks wants to know now.
            let checked = timeout(LONGEST_CHECK, write_and_delete(&shared)).await;
            let silent = || StoreError::Unreachable(String::from("it has not answered for five seconds"));
            checked.unwrap_or_else(|_| Err(silent()))
        })
    }
}

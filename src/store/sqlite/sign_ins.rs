//! Statements on sign-ins.

use crate::clock::Moment;
use crate::store::error::StoreFuture;
use crate::store::sign_ins::{SignInRow, SignInRows};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading;
use rusqlite::params;

impl SignInRows for SqliteStore {
    fn sign_ins(&self, now: Moment) -> StoreFuture<Vec<SignInRow>> {
        self.read(move |connection| {
            let sql = "select cookie_hash, token_hash, expires_at from sign_ins where expires_at > ?";
            row_reading::query_all(connection, sql, [now.millis()], |row| {
                let expires_at = Moment::from_millis(row.get(2)?);
                Ok(SignInRow { cookie_hash: row.get(0)?, token_hash: row.get(1)?, expires_at })
            })
        })
    }

    fn add_sign_in(&self, row: SignInRow) -> StoreFuture<()> {
        self.writer.write_timed("sign_in", move |connection, _| {
            let now = Moment::now().millis();
            connection.prepare_cached("delete from sign_ins where expires_at <= ?")?.execute([now])?;
            connection
                .prepare_cached(
                    "insert or replace into sign_ins (cookie_hash, token_hash, expires_at) values (?, ?, ?)",
                )?
                .execute(params![row.cookie_hash, row.token_hash, row.expires_at.millis()])?;
            Ok(())
        })
    }

    fn end_sign_in(&self, cookie_hash: String) -> StoreFuture<()> {
        self.writer.write_timed("sign_out", move |connection, _| {
            connection
                .prepare_cached("delete from sign_ins where cookie_hash = ?")?
                .execute([cookie_hash])?;
            Ok(())
        })
    }
}

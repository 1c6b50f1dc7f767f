//! Pages of run trees: snapshots, leases, and pictures, which are files.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::PageRows;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::picture_files::{NO_HASH, ensure_file, read_file};
use crate::store::postgres::connection::sql::{Sql, unsigned};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{
    AsWrite, ReadThenWrite, Work, WriteOnly, read_all, store_once,
};
use crate::store::postgres::statements::columns::{LEASE, lease_row, value};
use crate::store::postgres::statements::lock;
use crate::store::rows::LeaseRow;
use crate::store::tree_leases::held_trees::LeasedTree;
use serde_json::Value;
use std::sync::Arc;

impl PageRows for PostgresStore {
    fn browser(&self, root: RunId) -> StoreFuture<Option<Value>> {
        let sql = "select snapshot from page_snapshots where root_id = $1";
        self.read_row(Sql::new(sql).with(&root), |row| value(row, 0))
    }

    fn lease(&self, root: RunId) -> StoreFuture<Option<LeaseRow>> {
        self.read_row(
            Sql::new(format!("select {LEASE} from leases where root_id = $1")).with(&root),
            lease_row,
        )
    }

    fn leases(&self) -> StoreFuture<Vec<LeaseRow>> {
        self.read_rows(Sql::new(format!("select {LEASE} from leases order by root_id")), lease_row)
    }

    fn add_picture(&self, run: RunId, jpeg: Vec<u8>) -> StoreFuture<u64> {
        self.call("picture", async move |shared| {
            let jpeg = Arc::new(jpeg);
            let hash = ensure_file(&shared.pictures, &jpeg, None).await?;
            let n = number(&shared, &run, &hash).await?;
            // A deletion of the last run with this picture may have removed the file. From here on the row protects it.
            ensure_file(&shared.pictures, &jpeg, Some(hash)).await?;
            n.ok_or(StoreError::NoRun)
        })
    }

    fn reserve_picture(&self, run: RunId) -> StoreFuture<u64> {
        self.call("picture", async move |shared| {
            let n = number(&shared, &run, NO_HASH).await?.ok_or(StoreError::NoRun)?;
            shared.pending_pictures.add(&run, n);
            Ok(n)
        })
    }

    fn fill_picture(&self, run: RunId, n: u64, jpeg: Option<Vec<u8>>) -> StoreFuture<()> {
        self.call("picture", async move |shared| {
            let _filled = Arc::clone(&shared.pending_pictures).remove_on_drop(run.clone(), n);
            let Some(jpeg) = jpeg.map(Arc::new) else { return Ok(()) };
            let hash = ensure_file(&shared.pictures, &jpeg, None).await?;
            let fill = "update pictures set hash = $1 where run_id = $2 and n = $3";
            let forget = "insert into leftover_files (kind, name)
                          select 'picture', $1 where not exists (select 1 from pictures where run_id = $2 and n = $3)
                          on conflict do nothing";
            let statements = [fill, forget].map(|sql| Sql::new(sql).with(&hash).with(&run).with(n));
            store_once(&shared.connections, &WriteOnly(statements.into())).await?;
            // The row protects the file from here on, as in `add_picture`.
            ensure_file(&shared.pictures, &jpeg, Some(hash)).await.map(|_| ())
        })
    }

    fn picture(&self, run: RunId, n: u64) -> StoreFuture<Option<Vec<u8>>> {
        self.call("picture", async move |shared| {
            shared.pending_pictures.wait_until_filled(&run, n).await;
            let sql = "select hash from pictures where run_id = $1 and n = $2 and hash <> ''";
            let rows = read_all(&shared.connections, &[Sql::new(sql).with(&run).with(n)]).await?;
            let Some(row) = rows.iter().flatten().next() else { return Ok(None) };
            read_file(&shared.pictures, row.try_get(0)?).await
        })
    }
}

/// Adds a picture to a run and returns its number there. If the run was deleted, records the file as a leftover and returns
/// `None`.
async fn number(shared: &Shared, run: &RunId, hash: &str) -> Result<Option<u64>, StoreError> {
    store_once(&shared.connections, &AsWrite(NewPicture { run, hash })).await
}

struct NewPicture<'p> {
    run: &'p RunId,
    hash: &'p str,
}

impl ReadThenWrite for NewPicture<'_> {
    type Outcome = Option<u64>;

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        Some(LeasedTree::OfRun(self.run))
    }

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Option<u64>> {
        Box::pin(async {
            let insert = "insert into pictures (run_id, n, hash, at)
                 select id, (select coalesce(max(n), 0) + 1 from pictures where run_id = $1), $2, $3
                 from runs where id = $1 returning n";
            let insert = Sql::new(insert).with(self.run).with(self.hash).with(Moment::now().millis());
            let rows = transaction.send(&[lock::tree_of_run(self.run), insert]).await?;
            if let Some(row) = rows.get(1).and_then(|rows| rows.first()) {
                return Ok((Vec::new(), Some(unsigned(row, 0)?)));
            }
            let leftover =
                "insert into leftover_files (kind, name) values ('picture', $1) on conflict do nothing";
            let is_file = self.hash != NO_HASH;
            Ok((is_file.then(|| Sql::new(leftover).with(self.hash)).into_iter().collect(), None))
        })
    }
}

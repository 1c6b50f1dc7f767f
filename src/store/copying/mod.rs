//! The copy of a whole store into an empty one, of the same or of another engine. It is made in one transaction, so that an
//! interrupted copy leaves nothing, and is read again and compared before it is kept.

mod postgres_side;
pub mod side;
mod sqlite_side;
pub mod tables;

use crate::store::copying::postgres_side::PostgresSide;
use crate::store::copying::side::{CopyError, Side, StoreLocation};
use crate::store::copying::sqlite_side::SqliteSide;
use crate::store::copying::tables::{Cells, Checksum, TABLES, Table};

/// Most rows that are in memory at once. Rows may be large: a state has up to a megabyte.
const ROWS_AT_ONCE: usize = 64;

/// Rows of a table that were copied and compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedTable {
    pub name: &'static str,
    pub rows: u64,
}

/// Copies all rows of one store into another, and compares them. Blocks until that is done.
pub fn copy(from: &StoreLocation, to: &StoreLocation) -> Result<Vec<CopiedTable>, CopyError> {
    let mut from = open_source(from)?;
    let mut to = open_target(to)?;
    for table in TABLES {
        if !to.read(table, None, 1)?.is_empty() {
            return Err(CopyError::NotEmpty(to.shown()));
        }
    }
    let mut sums = Vec::new();
    for table in TABLES {
        let mut sum = Checksum::default();
        each_batch(&mut *from, table, |rows| {
            rows.iter().for_each(|row| sum.add(row));
            to.write(table, rows)
        })?;
        to.end_table(table)?;
        sums.push(sum.finish());
    }
    let mut copied = Vec::new();
    for (table, (rows, sum)) in TABLES.iter().zip(sums) {
        let mut found = Checksum::default();
        each_batch(&mut *to, table, |rows| {
            rows.iter().for_each(|row| found.add(row));
            Ok(())
        })?;
        let (found_rows, found_sum) = found.finish();
        if (found_rows, found_sum) != (rows, sum) {
            return Err(CopyError::Different { table: table.name, from: rows, to: found_rows });
        }
        copied.push(CopiedTable { name: table.name, rows });
    }
    to.commit()?;
    Ok(copied)
}

fn open_source(location: &StoreLocation) -> Result<Box<dyn Side>, CopyError> {
    Ok(match location {
        StoreLocation::Folder(folder) => Box::new(SqliteSide::open_source(folder)?),
        StoreLocation::Url(url) => Box::new(PostgresSide::open_source(url)?),
    })
}

fn open_target(location: &StoreLocation) -> Result<Box<dyn Side>, CopyError> {
    Ok(match location {
        StoreLocation::Folder(folder) => Box::new(SqliteSide::open_target(folder)?),
        StoreLocation::Url(url) => Box::new(PostgresSide::open_target(url)?),
    })
}

fn each_batch(
    side: &mut dyn Side,
    table: &Table,
    mut take: impl FnMut(&[Cells]) -> Result<(), CopyError>,
) -> Result<(), CopyError> {
    let mut last: Option<Cells> = None;
    loop {
        let rows = side.read(table, last.as_ref().map(|row| &row[..table.key]), ROWS_AT_ONCE)?;
        if rows.is_empty() {
            return Ok(());
        }
        take(&rows)?;
        last = rows.into_iter().next_back();
    }
}

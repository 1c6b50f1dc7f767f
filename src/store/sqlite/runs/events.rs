//! Appends events to the log of a run tree.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::{EventRow, LogAdditions};
use crate::store::sqlite::runs::read;
use crate::store::sqlite::search_index;
use rusqlite::{Connection, Result, params};

/// Appends events with the next numbers of their run tree. Returns the index of the first in the log's
/// events.
pub(crate) fn append(
    connection: &Connection,
    log: &mut LogAdditions,
    root: &RunId,
    run: &RunId,
    bodies: &[String],
) -> Result<usize> {
    let first = log.events.len();
    if bodies.is_empty() {
        return Ok(first);
    }
    let mut seq = read::last_seq(connection, root)?;
    let at = Moment::now();
    let mut insert = connection
        .prepare_cached("insert into events (root_id, seq, run_id, at, body) values (?, ?, ?, ?, ?)")?;
    for body in bodies {
        seq += 1;
        insert.execute(params![root.as_str(), seq, run.as_str(), at.millis(), body])?;
        search_index::index_event(connection, root, run, body)?;
        log.events.push(EventRow { root: root.clone(), seq, run: run.clone(), at, body: body.clone() });
    }
    Ok(first)
}

//! Statements of one write, with the events that they append to the log of a run tree.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{Sql, run_id, unsigned};
use crate::store::postgres::statements::search;
use crate::store::rows::EventRow;
use tokio_postgres::Row;
use uuid::Uuid;

/// Statements that are sent together.
pub struct LogBatch {
    pub root: RunId,
    pub at: Moment,
    pub statements: Vec<Sql>,
    appends: Vec<Append>,
}

/// Events of one run, and the index of the statement that appends them.
struct Append {
    statement: usize,
    run: RunId,
    bodies: Vec<String>,
}

impl LogBatch {
    pub fn new(root: &RunId) -> Self {
        Self { root: root.clone(), at: Moment::now(), statements: Vec::new(), appends: Vec::new() }
    }

    pub fn push(&mut self, statement: Sql) {
        self.statements.push(statement);
    }

    /// Appends events with the next numbers of the tree, unless the run does not exist. Texts of the events are indexed.
    pub fn append(&mut self, run: &RunId, bodies: &[String]) {
        if bodies.is_empty() {
            return;
        }
        self.appends.push(Append {
            statement: self.statements.len(),
            run: run.clone(),
            bodies: bodies.to_vec(),
        });
        self.push(
            Sql::new(
                "with tree as (
                     update trees set seq = seq + $2 where root_id = $1 and exists (select 1 from runs where id = $3)
                     returning seq
                 ), added as (
                     insert into events (root_id, seq, run_id, at, body)
                     select $1, tree.seq - $2 + event.n, $3, $4, event.body
                     from tree, unnest($5) with ordinality event (body, n)
                 ) select seq from tree",
            )
            .with(&self.root)
            .with(bodies.len())
            .with(run)
            .with(self.at.millis())
            .with(bodies.to_vec()),
        );
        if let Some(statement) = search::index_events(&self.root, run, bodies) {
            self.push(statement);
        }
    }

    /// Returns the stored events from the rows of the statements.
    pub fn stored_events(&self, rows: &[Vec<Row>]) -> Result<Vec<EventRow>, StoreError> {
        let mut events = Vec::new();
        for Append { statement, run, bodies } in &self.appends {
            let Some(row) = rows.get(*statement).and_then(|rows| rows.first()) else { continue };
            let first = unsigned(row, 0)?.saturating_sub(bodies.len() as u64) + 1;
            for (seq, body) in (first..).zip(bodies) {
                events.push(EventRow {
                    root: self.root.clone(),
                    seq,
                    run: run.clone(),
                    at: self.at,
                    body: body.clone(),
                });
            }
        }
        Ok(events)
    }
}

/// Reads the events of the transaction that stored this token, in order.
pub fn events_of_write(root: &RunId, token: Uuid) -> Sql {
    Sql::new(
        "select seq, run_id, at, body, root_id from events where root_id = $1
             and xmin = (select xmin from applied_writes where token = $2::text::uuid)
         order by seq",
    )
    .with(root)
    .with(token)
}

/// Reads a row of `seq, run_id, at, body, root_id`.
pub fn event_row(row: &Row) -> Result<EventRow, StoreError> {
    Ok(EventRow {
        root: run_id(row, 4)?,
        seq: unsigned(row, 0)?,
        run: run_id(row, 1)?,
        at: Moment::from_millis(row.try_get(2)?),
        body: row.try_get(3)?,
    })
}

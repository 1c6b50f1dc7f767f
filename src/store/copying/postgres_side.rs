//! A store in a PostgreSQL database, as the source or the target of a copy.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::copying::side::{CopyError, Side};
use crate::store::copying::tables::{Cell, Cells, ColumnType, Table};
use crate::store::error::StoreError;
use crate::store::postgres::connection::address::PostgresAddress;
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use crate::store::postgres::connection::{open, writes};
use crate::store::postgres::statements::search;
use deadpool_postgres::Object;
use futures_util::pin_mut;
use tokio::runtime::Runtime;
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

/// Runs with something left to do are claimed by the first service that starts. Numbers go on above those that were used.
const COMPLETE: &str = "
    insert into trees (root_id, seq, wanted)
        select id, coalesce((select max(seq) from events where root_id = runs.id), 0), exists (
            select 1 from runs part where part.root_id = runs.id and (part.ended_at is null
                or exists (select 1 from inbox where run_id = part.id)
                or exists (select 1 from user_commands where run_id = part.id)))
        from runs where parent_id is null;
    select setval(pg_get_serial_sequence('audit_log', 'id'), (select coalesce(max(id), 0) + 1 from audit_log), false)";

/// A database in a transaction.
pub struct PostgresSide {
    runtime: Runtime,
    client: Object,
    shown: String,
}

impl PostgresSide {
    /// Opens a store that is read. No service may be at work on it.
    pub fn open_source(url: &str) -> Result<Self, CopyError> {
        let mut side = Self::connect(url, false)?;
        side.begin("begin isolation level repeatable read read only")?;
        Ok(side)
    }

    /// Opens a store that is written, and creates its tables if they are missing.
    pub fn open_target(url: &str) -> Result<Self, CopyError> {
        let mut side = Self::connect(url, true)?;
        // A service that starts meanwhile waits with its first run.
        side.begin("begin; lock table runs, trees in share row exclusive mode")?;
        Ok(side)
    }

    fn connect(url: &str, creates: bool) -> Result<Self, CopyError> {
        let address = PostgresAddress::parse(url)?;
        let shown = address.shown();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|fault| StoreError::from_io(&fault))?;
        let connections = Connections::new(&address, 1)?;
        let client = runtime.block_on(async {
            if creates {
                writes::open(&connections, &shown).await?;
            }
            let client = connections.get().await?;
            let (status, _) = open::read_status(&client).await?;
            status.check_usable(&shown)?;
            Ok::<_, Fault>((client, status.schema.is_some()))
        });
        let (client, has_store) = client.map_err(to_error)?;
        if !has_store {
            return Err(CopyError::NoStore(shown));
        }
        // Migrated as by a start of the service, so that all columns are there.
        runtime.block_on(open::migrate(&client, &shown)).map_err(to_error)?;
        Ok(Self { runtime, client, shown })
    }

    fn begin(&mut self, sql: &str) -> Result<(), CopyError> {
        self.execute(sql)?;
        let alive = self.query(&Sql::new("select count(*) from nodes where until > now()"))?;
        match count(&alive)? {
            0 => Ok(()),
            _ => Err(CopyError::InUse(self.shown())),
        }
    }

    fn execute(&self, sql: &str) -> Result<(), CopyError> {
        Ok(self.runtime.block_on(self.client.batch_execute(sql)).map_err(StoreError::from)?)
    }

    fn query(&self, statement: &Sql) -> Result<Vec<Row>, CopyError> {
        let rows = self.runtime.block_on(send_all(&self.client, &[statement])).map_err(StoreError::from)?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Sends statements without waiting for replies in between.
    fn send(&self, statements: &[Sql]) -> Result<(), CopyError> {
        let statements: Vec<&Sql> = statements.iter().collect();
        self.runtime.block_on(send_all(&self.client, &statements)).map_err(StoreError::from)?;
        Ok(())
    }

    fn insert(&self, table: &Table, rows: &[Cells]) -> Result<(), tokio_postgres::Error> {
        let types: Vec<Type> = table.columns.iter().map(|(_, kind)| server_type(*kind)).collect();
        let sql = format!("copy {} ({}) from stdin binary", table.name, table.names());
        self.runtime.block_on(async {
            let writer = BinaryCopyInWriter::new(self.client.copy_in(&sql).await?, &types);
            pin_mut!(writer);
            for row in rows {
                let values: Vec<Box<dyn ToSql + Sync>> =
                    row.iter().zip(table.columns).map(|(cell, (_, kind))| parameter(cell, *kind)).collect();
                let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value).collect();
                writer.as_mut().write(&values).await?;
            }
            writer.finish().await.map(drop)
        })
    }

    /// Indexes the texts of rows, whose runs are there.
    fn index(&self, table: &Table, rows: &[Cells]) -> Result<(), CopyError> {
        let text = |row: &Cells, name: &str| match table.column(name).and_then(|at| row.get(at)) {
            Some(Cell::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let run = |row: &Cells, name: &str| RunId::from(text(row, name).unwrap_or_default());
        let mut statements = Vec::new();
        for row in rows {
            match table.name {
                "runs" => {
                    let own = text(row, "own_title");
                    let title = own.clone().or_else(|| text(row, "title")).unwrap_or_default();
                    let [_, index] = search::index_title(&run(row, "id"), &title, own.is_some());
                    statements.push(index);
                }
                "events" => {
                    let bodies: Vec<String> = text(row, "body").into_iter().collect();
                    statements.extend(search::index_events(
                        &run(row, "root_id"),
                        &run(row, "run_id"),
                        &bodies,
                    ));
                }
                _ => {}
            }
        }
        self.send(&statements)
    }
}

impl Side for PostgresSide {
    fn shown(&self) -> String {
        self.shown.clone()
    }

    fn read(&mut self, table: &Table, after: Option<&[Cell]>, limit: usize) -> Result<Vec<Cells>, CopyError> {
        let key = table.columns.iter().take(table.key).map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let mut statement = Sql::new(format!("select {} from {}", table.names(), table.name));
        if let Some(after) = after {
            let places: Vec<String> = after
                .iter()
                .map(|cell| match cell {
                    Cell::Integer(number) => statement.place(*number),
                    Cell::Bytes(bytes) => statement.place(bytes.clone()),
                    Cell::Text(text) => statement.place(text),
                    Cell::Null | Cell::Real(_) | Cell::Boolean(_) => String::from("null"),
                })
                .collect();
            statement.push(&format!(" where ({key}) > ({})", places.join(", ")));
        }
        statement.push(&format!(" order by {key} limit {limit}"));
        let rows = self.query(&statement)?;
        let cells = |row: &Row| {
            table.columns.iter().enumerate().map(|(at, (_, kind))| cell(row, at, *kind)).collect()
        };
        Ok(rows.iter().map(cells).collect::<Result<_, _>>().map_err(StoreError::from)?)
    }

    fn write(&mut self, table: &Table, rows: &[Cells]) -> Result<(), CopyError> {
        self.insert(table, rows).map_err(StoreError::from)?;
        self.index(table, rows)
    }

    fn end_table(&mut self, _: &Table) -> Result<(), CopyError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), CopyError> {
        self.execute(COMPLETE)?;
        // SQLite numbers messages and commands by the clock.
        let now = Moment::now().millis();
        let last = "update runs set last_message = greatest($1,
                        (select coalesce(max(n), 0) from inbox where run_id = runs.id))";
        self.send(&[
            Sql::new(last).with(now),
            Sql::new("select setval('user_command_numbers', greatest($1, (select coalesce(max(n), 0) from user_commands)))")
                .with(now),
        ])?;
        self.execute("commit; analyze")
    }
}

fn to_error(fault: Fault) -> StoreError {
    match fault {
        Fault::Lost(reason) | Fault::Retry(reason) => StoreError::Unreachable(reason),
        Fault::Final(fault) => fault,
    }
}

fn count(rows: &[Row]) -> Result<u64, CopyError> {
    let counted = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose().map_err(StoreError::from)?;
    Ok(counted.unwrap_or(0).max(0).unsigned_abs())
}

fn server_type(kind: ColumnType) -> Type {
    match kind {
        ColumnType::Text => Type::TEXT,
        ColumnType::Integer => Type::INT8,
        ColumnType::Real => Type::FLOAT8,
        ColumnType::Boolean => Type::BOOL,
        ColumnType::Bytes => Type::BYTEA,
    }
}

fn parameter(cell: &Cell, kind: ColumnType) -> Box<dyn ToSql + Sync> {
    match (cell, kind) {
        (Cell::Text(text), _) => Box::new(text.clone()),
        (Cell::Integer(number), _) => Box::new(*number),
        (Cell::Real(number), _) => Box::new(*number),
        (Cell::Boolean(is_true), _) => Box::new(*is_true),
        (Cell::Bytes(bytes), _) => Box::new(bytes.clone()),
        (Cell::Null, ColumnType::Text) => Box::new(None::<String>),
        (Cell::Null, ColumnType::Integer) => Box::new(None::<i64>),
        (Cell::Null, ColumnType::Real) => Box::new(None::<f64>),
        (Cell::Null, ColumnType::Boolean) => Box::new(None::<bool>),
        (Cell::Null, ColumnType::Bytes) => Box::new(None::<Vec<u8>>),
    }
}

fn cell(row: &Row, at: usize, kind: ColumnType) -> Result<Cell, tokio_postgres::Error> {
    Ok(match kind {
        ColumnType::Text => row.try_get::<_, Option<String>>(at)?.map_or(Cell::Null, Cell::Text),
        ColumnType::Integer => row.try_get::<_, Option<i64>>(at)?.map_or(Cell::Null, Cell::Integer),
        ColumnType::Real => row.try_get::<_, Option<f64>>(at)?.map_or(Cell::Null, Cell::Real),
        ColumnType::Boolean => row.try_get::<_, Option<bool>>(at)?.map_or(Cell::Null, Cell::Boolean),
        ColumnType::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map_or(Cell::Null, Cell::Bytes),
    })
}

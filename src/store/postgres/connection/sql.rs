//! Statements with typed parameters. They are sent unnamed and without asking the server for types, so that each is part of
//! one message and nothing is kept in the session, which a pooler may give to another client.

use crate::ids::{GrantId, QuestionId, RunId, SessionId};
use crate::store::error::StoreError;
use futures_util::poll;
use serde_json::Value;
use std::borrow::Cow;
use std::task::Poll;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

/// A statement with its parameters.
pub struct Sql {
    text: Cow<'static, str>,
    parameters: Vec<TypedParameter>,
}

type TypedParameter = (Box<dyn ToSql + Sync + Send>, Type);

impl Sql {
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), parameters: Vec::new() }
    }

    /// Adds the next parameter.
    pub fn with(mut self, parameter: impl Parameter) -> Self {
        self.parameters.push(parameter.into_typed());
        self
    }

    /// Number that the next parameter will have.
    pub fn next_number(&self) -> usize {
        self.parameters.len() + 1
    }

    /// Appends text to the statement.
    pub fn push(&mut self, text: &str) {
        self.text.to_mut().push_str(text);
    }

    /// Adds a parameter, and returns its placeholder.
    pub fn place(&mut self, parameter: impl Parameter) -> String {
        let number = self.next_number();
        self.parameters.push(parameter.into_typed());
        format!("${number}")
    }

    async fn query(&self, client: &Client) -> Result<Vec<Row>, tokio_postgres::Error> {
        let parameters: Vec<(&(dyn ToSql + Sync), Type)> = self
            .parameters
            .iter()
            .map(|(value, kind)| (&**value as &(dyn ToSql + Sync), kind.clone()))
            .collect();
        client.query_typed(&self.text, &parameters).await
    }
}

/// Sends statements without waiting for replies in between, and returns the rows of each. After an error the server skips
/// the rest of the transaction; the first error is returned, once all replies are there.
pub async fn send_all(client: &Client, statements: &[&Sql]) -> Result<Vec<Vec<Row>>, tokio_postgres::Error> {
    let mut sent = Vec::with_capacity(statements.len());
    for statement in statements {
        let mut reply = Box::pin(statement.query(client));
        // The first poll sends the statement.
        let early = poll!(reply.as_mut());
        sent.push((reply, early));
    }
    let mut rows = Vec::with_capacity(sent.len());
    let mut failed = None;
    for (reply, early) in sent {
        let received = match early {
            Poll::Ready(received) => received,
            Poll::Pending => reply.await,
        };
        match received {
            Ok(found) => rows.push(found),
            Err(fault) => failed = failed.or(Some(fault)),
        }
    }
    failed.map_or(Ok(rows), Err)
}

/// A value that a statement can take.
pub trait Parameter {
    fn into_typed(self) -> TypedParameter;
}

/// Replaces the character NUL, which PostgreSQL refuses in texts. JSON writes it as an escape, and keeps it.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

macro_rules! parameter {
    ($($type:ty => $kind:ident: $value:ident $into:expr;)*) => {
        $(
            impl Parameter for $type {
                fn into_typed(self) -> TypedParameter {
                    let $value = self;
                    (Box::new($into), Type::$kind)
                }
            }

            impl Parameter for Option<$type> {
                fn into_typed(self) -> TypedParameter {
                    (Box::new(self.map(|$value| $into)), Type::$kind)
                }
            }
        )*
    };
}

parameter! {
    i64 => INT8: value value;
    u64 => INT8: value to_integer(value);
    u32 => INT8: value i64::from(value);
    usize => INT8: value i64::try_from(value).unwrap_or(i64::MAX);
    bool => BOOL: value value;
    f64 => FLOAT8: value value;
    String => TEXT: value without_nul(value);
    &str => TEXT: value without_nul(value.to_owned());
    &String => TEXT: value without_nul(value.clone());
    &RunId => TEXT: value value.as_str().to_owned();
    &QuestionId => TEXT: value value.as_str().to_owned();
    &GrantId => TEXT: value value.as_str().to_owned();
    &SessionId => TEXT: value value.as_str().to_owned();
    &Value => TEXT: value value.to_string();
    Vec<String> => TEXT_ARRAY: value value.into_iter().map(without_nul).collect::<Vec<_>>();
    Vec<i64> => INT8_ARRAY: value value;
    Vec<Option<f64>> => FLOAT8_ARRAY: value value;
    Vec<u8> => BYTEA: value value;
    Vec<Vec<u8>> => BYTEA_ARRAY: value value;
    Vec<Option<Vec<u8>>> => BYTEA_ARRAY: value value;
    uuid::Uuid => TEXT: value value.to_string();
}

/// Converts a number to the `bigint` of the server. Numbers beyond its range match no row.
pub fn to_integer(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Reads a count or a number that is never negative.
pub fn unsigned(row: &Row, column: usize) -> Result<u64, StoreError> {
    Ok(row.try_get::<_, i64>(column)?.max(0).unsigned_abs())
}

/// Reads the id of a run.
pub fn run_id(row: &Row, column: usize) -> Result<RunId, StoreError> {
    Ok(RunId::from(row.try_get::<_, String>(column)?))
}

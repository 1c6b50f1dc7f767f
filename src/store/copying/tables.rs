//! Tables that are copied, with the columns that all engines have, and their values.

use sha2::{Digest, Sha256};

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Integer,
    Real,
    Boolean,
    Bytes,
}

/// A table, or what an engine keeps in its place. Rows are read and compared in the order of the key.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, ColumnType)],
    /// Number of columns of the key, which come first.
    pub key: usize,
}

/// Value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Integer(i64),
    Real(f64),
    Boolean(bool),
    Bytes(Vec<u8>),
}

/// Values of a row, in the order of the columns.
pub type Cells = Vec<Cell>;

use ColumnType::{Boolean, Bytes, Integer, Real, Text};

macro_rules! tables {
    ($($name:literal key $key:literal: $($column:literal $kind:ident)*;)*) => {
        &[$(Table { name: $name, key: $key, columns: &[$(($column, $kind)),*] }),*]
    };
}

/// All tables that are copied. Not among them are the index of texts, which is made anew, and what concerns one service: its
/// nodes, its leftover files, and writes that were under way.
#[rustfmt::skip]
pub const TABLES: &[Table] = tables! {
    "runs" key 1: "id" Text "root_id" Text "parent_id" Text "depth" Integer "ordinal" Integer "agent" Text "version" Text
        "program" Text "model" Text "input" Text "idempotency_key" Text "metadata" Text "status" Text "node" Text
        "question_reference" Text "tool_steps" Integer "last_step" Integer "url" Text "plan" Text "progress" Real
        "created_at" Integer "updated_at" Integer "stopping" Boolean "ended_at" Integer "response" Text "vars" Text
        "failure_cause" Text "bounds" Text "deadline" Integer "descendants" Integer "descendant_limit" Integer
        "exceeded_limit" Integer "model_calls" Integer "unpriced_calls" Integer "input_tokens" Integer
        "cached_tokens" Integer "output_tokens" Integer "cost" Real "title" Text "own_title" Text "pinned" Boolean
        "archived" Boolean "visibility" Text "last_exported_step" Integer;
    "steps" key 2: "run_id" Text "n" Integer "node" Text "outcome" Text "at" Integer "took_ms" Integer "changes" Text;
    "state_snapshots" key 1: "run_id" Text "n" Integer "state" Text;
    "initial_states" key 1: "run_id" Text "state" Text;
    "events" key 2: "root_id" Text "seq" Integer "run_id" Text "at" Integer "body" Text;
    "inbox" key 2: "run_id" Text "n" Integer "at" Integer "kind" Text "text" Text;
    "user_commands" key 1: "run_id" Text "n" Integer "command" Text;
    "questions" key 1: "reference" Text "run_id" Text "root_id" Text "kind" Text "frame" Text "asked_at" Integer
        "expires_at" Integer "resolved_at" Integer "resolved_by" Text "answer" Text "client" Text;
    "effects" key 2: "run_id" Text "n" Integer "action_id" Text "action" Text "intent_at" Integer "receipt_at" Integer
        "receipt" Text;
    "grants" key 1: "id" Text "scope" Text "run_id" Text "origin" Text "rule" Text "covers" Text "created_at" Integer
        "expires_at" Integer "revoked_at" Integer;
    "audit_log" key 1: "id" Integer "at" Integer "run_id" Text "root_id" Text "entry" Text "title" Text;
    "tasks" key 1: "id" Text "run_id" Text "root_id" Text "action_id" Text "child_id" Text "agent" Text "status" Text
        "progress" Real "display" Text "result" Text "error" Text "created_at" Integer "started_at" Integer
        "ended_at" Integer;
    "page_snapshots" key 1: "root_id" Text "snapshot" Text;
    "leases" key 1: "root_id" Text "run_id" Text "holder" Text "paused" Boolean;
    "pictures" key 2: "run_id" Text "n" Integer "hash" Text "at" Integer;
    "request_texts" key 1: "hash" Bytes "body" Text;
    "request_messages" key 1: "hash" Bytes "previous" Bytes "text" Bytes;
    "model_calls" key 2: "run_id" Text "n" Integer "step" Integer "role" Text "model" Text "at" Integer "took_ms" Integer
        "input_tokens" Integer "cached_tokens" Integer "output_tokens" Integer "cost" Real "currency" Text "error" Text
        "dropped" Boolean "last_message" Bytes "request_text" Bytes "answer" Text "fault" Text;
    "step_inputs" key 2: "run_id" Text "step" Integer "body" Text;
    "idempotency_records" key 1: "key" Text "request_hash" Text "run_id" Text "position" Text "created_at" Integer;
    "sign_ins" key 1: "cookie_hash" Text "token_hash" Text "expires_at" Integer;
};

impl Table {
    /// Returns the index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| *column == name)
    }

    /// Returns the names of the columns, separated by commas.
    pub fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// Number and checksum of the rows of a table, in the order of the key.
#[derive(Clone, Debug, Default)]
pub struct Checksum {
    pub rows: u64,
    digest: Sha256,
}

impl Checksum {
    /// Adds the next row.
    pub fn add(&mut self, row: &[Cell]) {
        self.rows += 1;
        for cell in row {
            let (mark, bytes): (u8, Vec<u8>) = match cell {
                Cell::Null => (0, Vec::new()),
                Cell::Text(text) => (1, text.as_bytes().to_vec()),
                Cell::Integer(number) => (2, number.to_be_bytes().to_vec()),
                Cell::Real(number) => (3, number.to_bits().to_be_bytes().to_vec()),
                Cell::Boolean(is_true) => (4, vec![u8::from(*is_true)]),
                Cell::Bytes(bytes) => (5, bytes.clone()),
            };
            self.digest.update([mark]);
            self.digest.update((bytes.len() as u64).to_be_bytes());
            self.digest.update(bytes);
        }
    }

    /// Returns the number of rows and their checksum.
    pub fn finish(self) -> (u64, [u8; 32]) {
        (self.rows, self.digest.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_in_a_value_or_its_place_have_other_checksums() {
        let checksum = |rows: &[&[Cell]]| {
            let mut sum = Checksum::default();
            rows.iter().for_each(|row| sum.add(row));
            sum.finish()
        };
        let text = |text: &str| Cell::Text(text.to_owned());
        let plain = checksum(&[&[text("a"), text("b")], &[Cell::Null, Cell::Integer(1)]]);
        assert_eq!(plain, checksum(&[&[text("a"), text("b")], &[Cell::Null, Cell::Integer(1)]]));
        for other in [
            checksum(&[&[text("a"), text("b")], &[Cell::Null, Cell::Integer(2)]]),
            checksum(&[&[text("a"), text("b")], &[Cell::Integer(1), Cell::Null]]),
            checksum(&[&[text("ab"), text("")], &[Cell::Null, Cell::Integer(1)]]),
            checksum(&[&[text("a"), text("b")]]),
            checksum(&[&[text("a"), text("b")], &[text(""), Cell::Integer(1)]]),
        ] {
            assert_ne!(plain, other);
        }
    }

    #[test]
    fn keys_come_first_and_columns_have_names_of_their_own() {
        for table in TABLES {
            assert!(table.key <= table.columns.len() && table.key > 0, "{}", table.name);
            let names: std::collections::HashSet<_> = table.columns.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}

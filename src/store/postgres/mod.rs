//! The store on PostgreSQL.
//!
//! A write is one transaction whose statements are sent together, so that it takes one round trip where nothing must be read
//! first. Writes to a run tree begin by locking the tree's row, so that numbers have no gaps and are never given twice,
//! whichever process writes. Nothing is kept in a session: connections may come from a pooler that gives each transaction
//! another one.

pub mod connection;
pub(crate) mod statements;
pub(crate) mod transactions;
pub(crate) mod run_lists;
pub(crate) mod run_data;
pub(crate) mod timeline;
pub(crate) mod inboxes;
pub(crate) mod task_ids;
pub(crate) mod pictures;
pub(crate) mod task_list;
pub(crate) mod tree_leases;
pub(crate) mod people;
pub mod upkeep;

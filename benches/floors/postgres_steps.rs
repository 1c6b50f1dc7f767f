//! Steps of the engine over PostgreSQL, on a server of this machine that waits for its disk. The baseline inserts one row per
//! commit on the same server: by one client, and by as many clients at once as there are trees.

use super::counting::{Machine, changes};
use super::postgres::{self, TestDatabase, TestServer};
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;
use askfirst::store::postgres::connection::store::PostgresStore;
use askfirst::store::postgres::upkeep::node::NodeSettings;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Client;

const ROUNDS: usize = 15;
/// Steps of one tree, in a round.
const STEPS: u64 = 40;
const TREES: u64 = 8;
/// Steps of each of several trees, in a round.
const STEPS_TOGETHER: u64 = 150;

pub async fn measure() -> Vec<Row> {
    if !postgres::is_installed() {
        println!("skipped: PostgreSQL is missing; scripts/need.sh postgres installs it");
        return Vec::new();
    }
    let server = TestServer::start_durable();
    let database = server.database().await;
    let folder = tempfile::tempdir().unwrap();
    let store = PostgresStore::open(&database.url, folder.path(), Box::new(|_| ())).unwrap();
    let node = store.join(node_settings()).await.unwrap();
    let mut machine = Machine::over(Arc::new(store), folder.path());
    let clients = connect_many(&database).await;
    let rows = vec![one_tree(&mut machine, &clients[0]).await, many_trees(&mut machine, &clients).await];
    node.release().await;
    rows
}

fn node_settings() -> NodeSettings {
    NodeSettings {
        folder: String::from("bench"),
        machine: String::from("bench"),
        address: String::new(),
        role: "all",
        works: true,
        capacity: 100,
        ttl: Duration::from_secs(10),
    }
}

async fn connect_many(database: &TestDatabase) -> Vec<Client> {
    let mut clients = Vec::new();
    for _ in 0..TREES {
        clients.push(postgres::connect(&database.url).await);
    }
    clients[0].batch_execute("create table bare_rows (body text not null)").await.unwrap();
    clients
}

/// Time of a step of a single tree, where each waits for the one before.
async fn one_tree(machine: &mut Machine, client: &Client) -> Row {
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    machine.count(STEPS, 0).await;
    for _ in 0..ROUNDS {
        floor.add(insert(client, STEPS).await * 1e3 / STEPS as f64);
        ours.add(machine.count(STEPS, 0).await / 1e3);
    }
    Row::new("engine step over PostgreSQL, durable", "ms", ours, Goal::AtMost(5.0)).with_floor(floor)
}

async fn many_trees(machine: &mut Machine, clients: &[Client]) -> Row {
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    machine.count_together(TREES, STEPS).await;
    for _ in 0..ROUNDS {
        let watch = Stopwatch::start();
        join_all(clients.iter().map(|client| insert(client, STEPS_TOGETHER))).await;
        floor.add((TREES * STEPS_TOGETHER) as f64 / watch.seconds());
        ours.add(machine.count_together(TREES, STEPS_TOGETHER).await);
    }
    let what = format!("engine steps over PostgreSQL, {TREES} trees at once");
    Row::new(what, "commits/s", ours, Goal::Reaches(2000.0)).with_floor(floor).missed_because(
        "each step is one round trip of several statements; server, engine and clients share the processors of this machine",
    )
}

/// Seconds for this many rows, one commit each.
async fn insert(client: &Client, rows: u64) -> f64 {
    let statement = client.prepare("insert into bare_rows (body) values ($1)").await.unwrap();
    let body = changes(rows).to_string();
    let watch = Stopwatch::start();
    for _ in 0..rows {
        client.execute(&statement, &[&body]).await.unwrap();
    }
    watch.seconds()
}

//! Bytes that a real conversation stores per step of the graph: all texts and numbers of its steps, events,
//! audit rows and effects. Also compares the later half with the earlier one.

use super::app::Process;
use super::socket::Viewer;
use super::table::{Goal, Row, Sample};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

const ACTIONS: u64 = 30;

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let limits = [("ASKFIRST_LIMITS__TOOL_STEPS", "100"), ("ASKFIRST_LIMITS__ITERATIONS", "100")];
    let service = Process::start(folder.path(), &limits).await;
    let mut viewer = Viewer::hello(&service.base).await;
    viewer.say(&orders(&service.base), None).await;
    let ended = viewer.until("run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    service.terminate().await;
    let stored = Stored::read_from(&folder.path().join("data"));
    let step = stored.bytes / stored.steps;
    let action = stored.bytes / ACTIONS as f64;
    let halves = Row::new(
        "  later half of the run beside the first",
        "bytes",
        Sample::from_value(stored.later),
        Goal::Ratio(1.2),
    );
    vec![
        Row::new(
            "bytes stored for a step, without pictures",
            "bytes",
            Sample::from_value(step),
            Goal::Below(2000.0),
        ),
        Row::new("  for an action (several steps each)", "bytes", Sample::from_value(action), Goal::None),
        halves.with_floor(Sample::from_value(stored.first)),
    ]
}

/// Repeats opening, typing, selecting and scrolling.
fn orders(base: &str) -> String {
    let round = [
        format!("open {base}/demo/contact?lang=en"),
        String::from("type olena@example.com into E-mail"),
        String::from("select Repair in Topic"),
        String::from("type \"The lamp does not shine any more\" into Message"),
        format!("open {base}/demo/lab/nodes?n=300"),
        String::from("scroll down"),
    ];
    let orders: Vec<String> = round.iter().cycle().take(ACTIONS as usize).cloned().collect();
    orders.join("\n")
}

struct Stored {
    bytes: f64,
    steps: f64,
    first: f64,
    later: f64,
}

/// Measured columns. A number counts as eight bytes.
const PARTS: [(&str, &str, &str); 4] = [
    ("steps", "n", "length(run_id) + length(node) + length(outcome) + length(cast(changes as blob)) + 24"),
    ("events", "seq", "length(root_id) + length(run_id) + length(cast(body as blob)) + 16"),
    ("audit_log", "id", "length(root_id) + length(run_id) + length(cast(entry as blob)) + 16"),
    (
        "effects",
        "n",
        "length(run_id) + length(action_id) + length(action) + coalesce(length(receipt), 0) + 24",
    ),
];

impl Stored {
    fn read_from(folder: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(folder.join("askfirst.db"), flags).unwrap();
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, f64>(0)).unwrap();
        let sum = |half: &str| -> f64 {
            let one = |(table, order, size): &(&str, &str, &str)| {
                let middle = format!("(select max({order}) / 2 from {table})");
                number(&format!(
                    "select cast(coalesce(sum({size}), 0) as real) from {table} where {order} {half} {middle}"
                ))
            };
            PARTS.iter().map(one).sum()
        };
        let (first, later) = (sum("<="), sum(">"));
        Self { bytes: first + later, steps: number("select cast(count(*) as real) from steps"), first, later }
    }
}

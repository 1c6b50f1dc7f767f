//! A person's click behind a sweep of the mouse, during a take-over: the time from the first move until the site has
//! the request that the click causes. The baseline sends the same moves and the click to its own Chromium at once.

use super::bare::BareClient;
use super::socket::Viewer;
use super::stage;
use super::table::{Goal, Row, Sample};
use actix_web::{HttpResponse, Responder};
use askfirst::clock::Stopwatch;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::Notify;

const MOVES: u32 = 300;
const ROUNDS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(30);
const VIEWPORT: (f64, f64) = (1280.0, 720.0);

/// Notified when a click of the page has reached the site.
static CLICKED: Notify = Notify::const_new();

/// A page that draws a point for each move, whose button covers the lower half.
pub const PAGE: &str = "<title>Sweep</title><style>body{margin:0}canvas{display:block}\
    button{position:fixed;left:0;right:0;bottom:0;height:360px}</style>\
    <canvas id=c width=1280 height=360></canvas><button onclick=\"fetch('clicked')\">Press</button>\
    <script>const to = c.getContext('2d'); addEventListener('mousemove', e => to.fillRect(e.clientX, e.clientY, 3, 3));</script>";

pub async fn record_click() -> impl Responder {
    CLICKED.notify_one();
    HttpResponse::NoContent()
}

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let site = stage::site();
    let (service, mut viewer, mut bare) = stage::start_service(folder.path(), &site).await;
    // The run waits meanwhile, since the page of an ended run cannot be taken over.
    let run = viewer.say(&format!("open {site}/sweep\nwait 2\nwait 2\nwait 2"), None).await;
    viewer.until("observation").await;
    bare.go(&format!("{site}/sweep")).await;
    viewer.send(json!({"type": "control", "run_id": run, "command": "take_over"})).await;
    viewer.until("lease").await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        floor.add(sweep_bare(&mut bare).await);
        ours.add(sweep_ours(&mut viewer, &run).await);
    }
    bare.close().await;
    service.terminate().await;
    let what = format!("a person's click behind a sweep of {MOVES} moves, until the site has its request");
    vec![Row::new(what, "ms", ours, Goal::Ratio(1.3)).with_floor(floor)]
}

/// Returns the place of a move, as parts of the viewport's width and height.
fn place(number: u32) -> (f64, f64) {
    let part = f64::from(number) / f64::from(MOVES);
    (0.1 + 0.8 * part, 0.1 + 0.3 * part)
}

const BUTTON: (f64, f64) = (0.5, 0.75);

async fn sweep_bare(bare: &mut BareClient) -> f64 {
    let watch = Stopwatch::start();
    let mouse = |kind: &str, (x, y): (f64, f64)| {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        json!({"type": kind, "x": x * VIEWPORT.0, "y": y * VIEWPORT.1, "button": button, "clickCount": 1})
    };
    let mut sent = Vec::new();
    for number in 0..MOVES {
        sent.push(bare.send("Input.dispatchMouseEvent", mouse("mouseMoved", place(number))).await);
    }
    for kind in ["mousePressed", "mouseReleased"] {
        sent.push(bare.send("Input.dispatchMouseEvent", mouse(kind, BUTTON)).await);
    }
    wait_for_click().await;
    let took = watch.seconds() * 1000.0;
    bare.answers(&sent).await;
    took
}

async fn sweep_ours(viewer: &mut Viewer, run: &str) -> f64 {
    let watch = Stopwatch::start();
    let mouse = |event: &str, (x, y): (f64, f64)| -> Value {
        let button = if event == "move" { "none" } else { "left" };
        json!({"type": "input", "run_id": run, "kind": "mouse", "event": event, "x": x, "y": y, "button": button})
    };
    for number in 0..MOVES {
        viewer.send(mouse("move", place(number))).await;
    }
    for event in ["down", "up"] {
        viewer.send(mouse(event, BUTTON)).await;
    }
    wait_for_click().await;
    watch.seconds() * 1000.0
}

async fn wait_for_click() {
    tokio::time::timeout(PATIENCE, CLICKED.notified()).await.expect("the click reaches the site");
}

//! The live view of a constantly changing page: at the socket of the service, compared with a plain
//! screencast. While one is measured, the other browser shows a static page.

use super::bare::BareClient;
use super::socket::{Received, Viewer};
use super::stage;
use super::table::{Goal, Row, Sample};
use askfirst::clock::{Moment, Stopwatch};
use askfirst::protocol::picture::HEADER;
use serde_json::json;

const ROUNDS: usize = 3;
const SECONDS: f64 = 4.0;
/// Highest rate that a viewer can ask for.
const MOST_FPS: u32 = 60;
/// Rate of a viewer that asks for less than the page brings.
const WANTED_FPS: u32 = 30;

#[derive(Default)]
struct Watched {
    /// Frames per second.
    frames: Sample,
    kilobytes: Sample,
    /// Milliseconds since Chromium captured the frame.
    age: Sample,
}

impl Watched {
    fn picture(&mut self, captured_at: f64, bytes: usize) {
        self.age.add(Moment::now().millis() as f64 - captured_at);
        self.kilobytes.add(bytes as f64 / 1000.0);
    }
}

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let site = stage::site();
    let (service, mut viewer, mut bare) = stage::start_service(folder.path(), &site).await;
    let run = viewer.say(&format!("open {}/demo/lab/sync", service.base), None).await;
    viewer.until("run_ended").await;
    let mut rows = Vec::new();
    for (what, path, goals) in [
        ("live view", "/lab/busy", (Goal::AtLeast(0.97), Goal::Ratio(1.3))),
        ("live view, two secret fields painted over", "/sign-in", (Goal::None, Goal::None)),
    ] {
        let (mut floor, mut ours) = (Watched::default(), Watched::default());
        for _ in 0..ROUNDS {
            bare.go(&format!("{site}{path}")).await;
            watch_bare(&mut bare, &mut floor).await;
            bare.go("about:blank").await;
            show(&mut viewer, &run, &format!("{site}{path}")).await;
            watch_ours(&mut viewer, &run, MOST_FPS, &mut ours).await;
            show(&mut viewer, &run, &format!("{}/demo/lab/sync", service.base)).await;
        }
        let rate = Row::new(format!("{what}, frames a second"), "frames/s", ours.frames, goals.0);
        let size = Row::new(format!("{what}, size of a frame"), "kB", ours.kilobytes, Goal::None);
        let age = Row::new(format!("{what}, age of a picture"), "ms", ours.age, goals.1);
        rows.extend([
            rate.with_floor(floor.frames),
            size.with_floor(floor.kilobytes),
            age.with_floor(floor.age),
        ]);
    }
    rows.push(measure_wanted_rate(&mut viewer, &run, &format!("{site}/lab/busy")).await);
    bare.close().await;
    service.terminate().await;
    rows
}

/// A viewer that asks for fewer frames than the page brings; the floor is what it asks for.
async fn measure_wanted_rate(viewer: &mut Viewer, run: &str, url: &str) -> Row {
    let mut watched = Watched::default();
    show(viewer, run, url).await;
    for _ in 0..ROUNDS {
        watch_ours(viewer, run, WANTED_FPS, &mut watched).await;
    }
    let what = format!("live view, a viewer that asks for {WANTED_FPS} frames/s");
    Row::new(what, "frames/s", watched.frames, Goal::AtLeast(0.97))
        .with_floor(Sample::from_value(f64::from(WANTED_FPS)))
}

async fn show(viewer: &mut Viewer, run: &str, url: &str) {
    viewer.say(&format!("open {url}"), Some(run)).await;
    viewer.until("run_ended").await;
}

async fn watch_bare(bare: &mut BareClient, watched: &mut Watched) {
    let wish =
        json!({"format": "jpeg", "quality": 60, "maxWidth": 1280, "maxHeight": 2560, "everyNthFrame": 1});
    bare.call("Page.startScreencast", wish).await;
    let watch = Stopwatch::start();
    let mut count = 0;
    while watch.seconds() < SECONDS {
        let frame = bare.event("Page.screencastFrame").await;
        bare.send("Page.screencastFrameAck", json!({"sessionId": frame["params"]["sessionId"]})).await;
        let jpeg = frame["params"]["data"].as_str().unwrap();
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, jpeg).unwrap();
        let taken = frame["params"]["metadata"]["timestamp"].as_f64().unwrap() * 1000.0;
        watched.picture(taken, bytes.len());
        count += 1;
    }
    watched.frames.add(f64::from(count) / watch.seconds());
    bare.call("Page.stopScreencast", json!({})).await;
}

async fn watch_ours(viewer: &mut Viewer, run: &str, max_fps: u32, watched: &mut Watched) {
    let wish = json!({"type": "view", "run_id": run, "on": true, "max_width": 1280, "max_fps": max_fps, "quality": 60});
    viewer.send(wish).await;
    let watch = Stopwatch::start();
    let mut count = 0;
    while let Some(came) = viewer.within(watch, SECONDS).await {
        let Received::Picture(bytes) = came else { continue };
        let number = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
        viewer.send(json!({"type": "frame_ack", "frame": number})).await;
        let taken = f64::from_le_bytes(bytes[8..16].try_into().unwrap());
        watched.picture(taken, bytes.len() - HEADER);
        count += 1;
    }
    watched.frames.add(f64::from(count) / watch.seconds());
    viewer.send(json!({"type": "view", "run_id": run, "on": false})).await;
}

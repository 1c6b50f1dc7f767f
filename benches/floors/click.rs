//! Click and settle. The baseline sends raw mouse events and waits for two animation frames or, if the
//! response comes from the network, for the response and one frame.

use super::observe::timed;
use super::stage::Stage;
use super::table::{Goal, Row, Sample};
use askfirst::page::text;
use std::time::Duration;

const ROUNDS: usize = 20;
/// Pause before each click of either client, so that neither finds the page as the other has just left it.
const REST: Duration = Duration::from_millis(200);

pub async fn measure() -> Vec<Row> {
    let mut stage = Stage::open().await;
    let rows = vec![sync(&mut stage).await, fetch(&mut stage).await, restless(&mut stage).await];
    stage.close().await;
    rows
}

async fn sync(stage: &mut Stage) -> Row {
    stage.go("/lab/sync").await;
    let ((x, y), eid) = button(stage).await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let bare = &mut stage.bare;
        tokio::time::sleep(REST).await;
        floor.add(timed(async { (bare.click(x, y).await, bare.frames(2).await) }).await);
        tokio::time::sleep(REST).await;
        ours.add(timed(stage.click(eid)).await);
    }
    Row::new("click and settle, synchronous change", "ms", ours, Goal::Ratio(1.3)).with_floor(floor).missed_because(
        "the page script makes sure that the element is in view and at rest, and what was pressed, before it waits for two \
         frames without a change; the baseline presses and waits for two frames",
    )
}

async fn fetch(stage: &mut Stage) -> Row {
    stage.go("/lab/fetch").await;
    let ((x, y), eid) = button(stage).await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    let mut seen = 0;
    for round in 1..=ROUNDS {
        stage.bare.events.clear();
        let bare = &mut stage.bare;
        tokio::time::sleep(REST).await;
        floor.add(
            timed(async {
                bare.click(x, y).await;
                bare.event("Network.loadingFinished").await;
                bare.frames(1).await;
            })
            .await,
        );
        tokio::time::sleep(REST).await;
        ours.add(timed(stage.click(eid)).await);
        let page = text::write(&stage.observe().await.observation, "");
        let shows = page
            .lines()
            .any(|line| line.contains("Came from the network") && line.contains(&round.to_string()));
        seen += usize::from(shows);
    }
    let what = format!("click and settle, network after 150 ms ({seen} of {ROUNDS} saw the new content)");
    Row::new(what, "ms", ours, Goal::Ratio(1.2)).with_floor(floor).missed_because(
        "after the answer the service waits for two frames without a change; the baseline takes the first",
    )
}

/// The page never settles, so this measures that the wait is bounded.
async fn restless(stage: &mut Stage) -> Row {
    stage.go("/lab/busy").await;
    let ((x, y), eid) = button(stage).await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS / 2 {
        let bare = &mut stage.bare;
        floor.add(timed(async { (bare.click(x, y).await, bare.frames(2).await) }).await);
        ours.add(timed(stage.click(eid)).await);
    }
    Row::new("click and settle, a page that never rests", "ms", ours, Goal::AtMost(2000.0)).with_floor(floor)
}

/// Returns the center of the first button of the page, and its element id.
async fn button(stage: &mut Stage) -> ((f64, f64), u32) {
    let script = "(({x, y, width, height}) => [x + width / 2, y + height / 2])(document.querySelector('button').getBoundingClientRect())";
    let center = stage.bare.run(script).await;
    let seen = stage.observe().await;
    let line = seen.observation.lines.iter().find(|line| line.role == "button").unwrap();
    ((center[0].as_f64().unwrap(), center[1].as_f64().unwrap()), line.eid.unwrap())
}

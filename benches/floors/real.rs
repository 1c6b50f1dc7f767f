//! Questions in a real conversation with a real page: the duration of the gate's visit with its examination
//! and screenshot, and the time from the answer to the start of the effect, including another observation of
//! the page.

use super::app::Process;
use super::socket::Viewer;
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;
use serde_json::json;

const ROUNDS: usize = 15;

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[("ASKFIRST_BROWSER__LINGER_S", "60")]).await;
    let mut viewer = Viewer::hello(&service.base).await;
    let run = viewer.say(&format!("open {}/demo/lab/price?lang=en", service.base), None).await;
    viewer.until("run_ended").await;
    viewer.say(&vec!["click Buy the lamp"; ROUNDS].join("\n"), Some(&run)).await;
    let (mut shown, mut begun) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        validated(&mut viewer).await;
        let watch = Stopwatch::start();
        let question = viewer.until("agent_question").await;
        shown.add(watch.seconds() * 1000.0);
        viewer.until("status").await;
        let watch = Stopwatch::start();
        viewer.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
        viewer.until("action_started").await;
        begun.add(watch.seconds() * 1000.0);
    }
    viewer.until("run_ended").await;
    service.terminate().await;
    vec![
        Row::new("  real page: the gate's visit with its picture, until shown", "ms", shown, Goal::None)
            .p95(),
        Row::new("  real page: answer → effect begins, page looked at again", "ms", begun, Goal::Below(5.0))
            .p95()
            .missed_because(
                "the element is examined again on the page, which takes a round trip to Chromium",
            ),
    ]
}

/// Waits until the click is validated, which is when the gate's visit begins.
async fn validated(viewer: &mut Viewer) {
    while viewer.until("node").await["data"]["node"] != "validate_action" {}
}

//! Opening pages. All traffic of Chromium passes through a proxy in the service, which enforces the URL
//! policy. The baseline's Chromium connects directly.

use super::observe::timed;
use super::stage::{FILES, LARGE, Stage};
use super::table::{Goal, Row, Sample};
use askfirst::turn::action::{Action, BrowserAction};
use serde_json::json;

const ROUNDS: usize = 12;

pub async fn measure() -> Vec<Row> {
    let mut stage = Stage::open().await;
    let many = format!("open a page, {FILES} files of 10 kB");
    let large = format!("open a page, one file of {} MB", LARGE / 1_000_000);
    let rows = vec![
        measure_page(&mut stage, "/files", many, Goal::Ratio(1.3)).await,
        measure_page(&mut stage, "/large", large, Goal::Ratio(1.4)).await,
        measure_page(
            &mut stage,
            "/lab/sync",
            String::from("open a page, nothing but itself"),
            Goal::Ratio(1.4),
        )
        .await,
    ];
    stage.close().await;
    rows
}

/// Measures opening a page in both browsers, after two rounds that warm them up.
pub async fn measure_page(stage: &mut Stage, path: &str, what: String, goal: Goal) -> Row {
    let url = format!("{}{path}", stage.site);
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for round in 0..ROUNDS + 2 {
        let bare = &mut stage.bare;
        bare.events.clear();
        let loaded = timed(async {
            bare.call("Page.navigate", json!({"url": url})).await;
            bare.event("Page.loadEventFired").await;
            bare.frames(2).await;
        });
        let loaded = loaded.await;
        let opened =
            timed(stage.perform(Action::Browser(BrowserAction::Navigate { url: url.clone() }))).await;
        if round >= 2 {
            floor.add(loaded);
            ours.add(opened);
        }
    }
    Row::new(what, "ms", ours, goal).with_floor(floor)
}

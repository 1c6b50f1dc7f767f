//! Observation and screenshot. The baseline is the bare client with a simple walker and the same screenshot.
//! The service's walker in the bare client is printed too, to separate the cost of walking from the rest.

use super::bare::WALKER;
use super::stage::Stage;
use super::table::{Goal, Row, Sample};
use askfirst::browser::injected;
use askfirst::clock::Stopwatch;
use askfirst::page::{delta, text};
use askfirst::turn::action::{Action, BrowserAction, PageAction};

struct Page {
    what: &'static str,
    path: &'static str,
    rounds: usize,
    goal: f64,
}

const PAGES: [Page; 7] = [
    Page { what: "100 nodes", path: "/lab/nodes?n=100", rounds: 25, goal: 1.15 },
    Page { what: "1,000 nodes", path: "/lab/nodes?n=1000", rounds: 25, goal: 1.15 },
    Page { what: "10,000 nodes", path: "/lab/nodes?n=10000", rounds: 15, goal: 1.15 },
    Page { what: "50,000 nodes", path: "/lab/nodes?n=50000", rounds: 8, goal: 1.15 },
    Page { what: "8 iframes", path: "/lab/frames", rounds: 20, goal: 1.3 },
    Page { what: "web components", path: "/lab/components", rounds: 20, goal: 1.3 },
    Page { what: "a page that never rests", path: "/lab/busy", rounds: 20, goal: 1.3 },
];

/// Causes of looks that take longer than the baseline.
const OF_PICTURE: &str = "the page is walked while its picture is made, on the same processors; the walk reads styles, \
    boxes, states and listeners of every element in view, the baseline's the names and boxes of controls";
const OF_TEXT: &str = "the walk reads styles, boxes, states and listeners of every element in view, in one query more than \
    the baseline's, which reads the names and boxes of controls";
const OF_FRAMES: &str =
    "each frame is walked and its listeners are read while the picture is made, on the same processors";

pub async fn measure() -> Vec<Row> {
    let mut stage = Stage::open().await;
    let mut rows = Vec::new();
    for page in PAGES {
        rows.extend(measure_page(&mut stage, page).await);
    }
    rows.push(foreign(&mut stage).await);
    rows.push(painted(&mut stage).await);
    rows.push(second(&mut stage).await);
    for (what, path) in [("page of 1,000 nodes", "/lab/nodes?n=1000"), ("the shop's front page", "/")] {
        stage.go(path).await;
        let tokens = tokens(&stage).await;
        rows.push(Row::new(
            format!("page text, {what}"),
            "tokens",
            Sample::from_value(tokens),
            Goal::AtMost(2000.0),
        ));
    }
    stage.close().await;
    rows
}

async fn measure_page(stage: &mut Stage, page: Page) -> Vec<Row> {
    stage.go(page.path).await;
    stage.bare.run(&injected::INSTALL).await;
    let own = "askfirst.observe({firstEid: 1, budget: 2000})";
    let (mut floor, mut ours, mut bare_own): (Sample, Sample, Sample) = Default::default();
    let (mut text_floor, mut text) = (Sample::default(), Sample::default());
    for round in 0..page.rounds + 2 {
        let simple = timed(stage.bare.observe(WALKER)).await;
        let observed = timed(stage.observe()).await;
        let walked = timed(stage.bare.observe(own)).await;
        let simple_text = timed(stage.bare.run(WALKER)).await;
        // The text is timed as a planner gets it; the picture is waited for before the next measurement.
        let mut picture = None;
        let observed_text = timed(async { picture = Some(stage.observe_text().await.picture) }).await;
        picture.unwrap().wait().await.expect("a picture is taken");
        // The first rounds warm up caches on all sides.
        if round >= 2 {
            floor.add(simple);
            ours.add(observed);
            bare_own.add(walked);
            text_floor.add(simple_text);
            text.add(observed_text);
        }
    }
    let size = tokens(stage).await;
    let what = page.what;
    vec![
        Row::new(format!("observe + screenshot, {what}"), "ms", ours.clone(), Goal::Ratio(page.goal))
            .with_floor(floor)
            .missed_because(OF_PICTURE),
        Row::new(format!("  our walker in the bare client, {what}"), "ms", ours, Goal::None)
            .with_floor(bare_own),
        Row::new(format!("observe, picture beside, {what}"), "ms", text, Goal::RatioAnd(1.5, 2.0))
            .with_floor(text_floor)
            .missed_because(OF_TEXT),
        Row::new(format!("  page text, {what}"), "tokens", Sample::from_value(size), Goal::AtMost(2000.0)),
    ]
}

/// Eight frames of another site. The baseline attaches to each and runs the walker in all of them
/// concurrently.
async fn foreign(stage: &mut Stage) -> Row {
    let url = format!("{}/foreign-frames", stage.site);
    let frames = stage.bare.go_with_frames(&url).await;
    stage.perform(Action::Browser(BrowserAction::Navigate { url })).await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for round in 0..22 {
        let bare = timed(stage.bare.observe_everywhere(&frames)).await;
        let observed = timed(stage.observe()).await;
        if round >= 2 {
            floor.add(bare);
            ours.add(observed);
        }
    }
    let text = text::write(&stage.observe().await.observation, "k3f9x2");
    let seen = text.lines().filter(|line| line.trim_start().starts_with("- button ")).count();
    let what = format!(
        "observe + screenshot, 8 frames of another site ({} processes, {seen} of 8 seen)",
        frames.len()
    );
    Row::new(what, "ms", ours, Goal::Ratio(1.3)).with_floor(floor).missed_because(OF_FRAMES)
}

/// Secret fields are painted over in the screenshot. The baseline does not paint over them.
async fn painted(stage: &mut Stage) -> Row {
    stage.go("/sign-in").await;
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for round in 0..22 {
        let bare = timed(stage.bare.observe(WALKER)).await;
        let observed = timed(stage.observe()).await;
        if round >= 2 {
            floor.add(bare);
            ours.add(observed);
        }
    }
    Row::new("observe + screenshot, two secret fields painted over", "ms", ours, Goal::None).with_floor(floor)
}

/// Size of a delta observation of a slightly changed page, relative to the full observation.
async fn second(stage: &mut Stage) -> Row {
    stage.go("/lab/nodes?n=1000").await;
    let first = stage.observe().await.observation;
    let field = first.lines.iter().find(|line| line.role == "textbox").and_then(|line| line.eid).unwrap();
    stage
        .perform(Action::Page(PageAction::Type {
            eid: field,
            text: "oak".into(),
            clear: true,
            submit: false,
        }))
        .await;
    let then = stage.observe().await.observation;
    let changes = delta::changes(&first, &then).unwrap();
    assert!(changes.contains("oak"), "{changes}");
    let tokens = |text: String| Sample::from_value(text.chars().count() as f64 / 4.0);
    let (whole, changes_text) =
        (text::write(&first, "k3f9x2"), text::write_changes(&then, first.number, &changes, "k3f9x2"));
    Row::new(
        "page text, second look at a page of 1,000 nodes",
        "tokens",
        tokens(changes_text),
        Goal::Ratio(0.25),
    )
    .with_floor(tokens(whole))
}

/// Estimates the tokens of the page text for a model, at four characters per token.
async fn tokens(stage: &Stage) -> f64 {
    let seen = stage.observe().await;
    text::write(&seen.observation, "k3f9x2").chars().count() as f64 / 4.0
}

pub async fn timed<T>(work: impl Future<Output = T>) -> f64 {
    let watch = Stopwatch::start();
    work.await;
    watch.seconds() * 1000.0
}

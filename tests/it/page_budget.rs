//! Size of page text: within its budget whatever the page's size, nearest content first.

use crate::browser_stage::{Stage, shop};
use crate::support::model::Reply;
use crate::support::talk::Talk;
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::page::observation::Observation;
use askfirst::page::text::write;
use serde_json::json;

/// At about four characters a token.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

fn budget(vars: &[(&str, &str)]) -> usize {
    let flags = Flags { data_dir: Some("unused".into()), ..Flags::default() };
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Settings::load(&flags, vars).unwrap().observe.budget_tokens
}

// The budget is 2,000 tokens a page, or the value of `observe.budget_tokens`.
#[test]
fn the_budget_is_two_thousand_tokens_unless_it_is_set() {
    assert_eq!(budget(&[]), 2000);
    assert_eq!(budget(&[("ASKFIRST_OBSERVE__BUDGET_TOKENS", "700")]), 700);
    assert_eq!(budget(&[("ASKFIRST_OBSERVE__BUDGET_TOKENS", "100000")]), 100_000);
    // The walker reads no more, so more is refused and not silently cut.
    let flags = Flags { data_dir: Some("unused".into()), ..Flags::default() };
    let vars = [(String::from("ASKFIRST_OBSERVE__BUDGET_TOKENS"), String::from("1000000"))];
    let fault = Settings::load(&flags, vars).unwrap_err().to_string();
    assert!(fault.contains("budget_tokens") && fault.contains("from 200 to 100000"), "{fault}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_of_a_hundred_to_fifty_thousand_nodes_keep_to_the_budget() {
    let stage = Stage::open_with(|config| {
        config.page_tokens = budget(&[]);
        // The largest is several megabytes, and the machine may be busy.
        config.load_timeout = std::time::Duration::from_secs(18);
    })
    .await;
    let shop = shop();
    for nodes in [100, 1000, 10_000, 50_000] {
        let url = format!("{shop}/lab/nodes?n={nodes}");
        stage.act("navigate", json!({"url": url})).await.unwrap();
        let seen = stage.observe().await;
        let text = write(&seen, "n0nce");
        println!("{nodes} nodes: {} lines, {} tokens", seen.lines.len(), tokens(&text));
        assert!(tokens(&text) <= 2000, "{nodes} nodes: {} tokens", tokens(&text));
        assert!(seen.lines.iter().any(|line| line.name == "Button 0"), "{nodes} nodes: {text}");
        // The budget is used.
        assert!(nodes == 100 || tokens(&text) > 1000, "{nodes} nodes: {} tokens", tokens(&text));
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_service_keeps_to_the_budget_that_is_set() {
    let mut sizes = Vec::new();
    for budget in ["400", "1600"] {
        let mut talk = Talk::start(&[("ASKFIRST_OBSERVE__BUDGET_TOKENS", budget)]).await;
        let nodes = format!("{}/demo/lab/nodes?n=5000", talk.app.base);
        talk.script([Reply::act("navigate", json!({"url": nodes})), Reply::stop("Seen.")]);
        talk.say("look at it").await;
        talk.ends_as("succeeded").await;
        sizes.push(tokens(&talk.model.requests()[1].shown()));
        talk.finish().await;
    }
    let [small, large] = sizes[..] else { panic!("{sizes:?}") };
    assert!(small <= 400 && (1000..=1600).contains(&large), "{small} of 400, {large} of 1600");
}

/// Paragraphs of a page as high as several windows, each of one line.
const ROWS: usize = 300;

/// Number of shown rows above the viewport, in it and below.
fn rows_by_position(seen: &Observation) -> [Vec<usize>; 3] {
    let mut rows = [Vec::new(), Vec::new(), Vec::new()];
    for line in &seen.lines {
        let Some(row) = line.name.strip_prefix("Row ").and_then(|row| row.parse().ok()) else { continue };
        let index = if line.attributes.above { 0 } else { 1 + usize::from(line.attributes.below) };
        rows[index].push(row);
    }
    rows
}

/// Number in the note at the end.
fn counted(seen: &Observation, side: &str) -> usize {
    let notes = seen.lines.iter().filter(|line| line.role == "note");
    let counts = notes.filter_map(|note| {
        note.name.split_once(&format!(" more {side}"))?.0.rsplit(' ').next()?.parse::<usize>().ok()
    });
    counts.sum()
}

// The viewport comes first, then content below it, then content above, nearest first; the rest is counted.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_budget_covers_the_viewport_then_below_then_above() {
    let page = format!(
        "<title>Rows</title><style>body{{margin:0}}p{{height:40px;margin:0}}</style><body><script>\
         for (let n = 0; n < {ROWS}; n++) document.body.append(Object.assign(document.createElement('p'), {{textContent: 'Row ' + n}}));\
         scrollTo(0, {ROWS} * 20 - innerHeight / 2)</script>"
    );
    let mut seen = Vec::new();
    for tokens in [150, 300, 1100, 1500, 4000] {
        let stage = Stage::open_with(|config| config.page_tokens = tokens).await;
        stage.show(&page).await;
        let observed = stage.observe().await;
        let rows = rows_by_position(&observed);
        let [above, within, below] = &rows;
        println!("{tokens} tokens: {} above, {} in view, {} below", above.len(), within.len(), below.len());
        // The window is whole, whatever the budget; 720 pixels show eighteen rows.
        assert_eq!(*within, (141..=158).collect::<Vec<_>>(), "{tokens}");
        // The shown rows are contiguous with the viewport, and the omitted ones are counted.
        assert_eq!(*below, (159..159 + below.len()).collect::<Vec<_>>(), "{tokens}");
        assert_eq!(*above, (141 - above.len()..141).collect::<Vec<_>>(), "{tokens}");
        assert_eq!(
            (counted(&observed, "above"), counted(&observed, "below")),
            (141 - above.len(), 141 - below.len()),
            "{tokens}"
        );
        // Above there is nothing as long as there is more below.
        assert!(above.is_empty() || below.len() == 141, "{tokens}: {rows:?}");
        seen.push((above.len(), below.len()));
        stage.finish().await;
    }
    assert!(
        seen.iter().any(|(above, below)| *above == 0 && (1..141).contains(below)),
        "some below: {seen:?}"
    );
    assert!(
        seen.iter().any(|(above, below)| (1..141).contains(above) && *below == 141),
        "some above: {seen:?}"
    );
    assert_eq!(seen.last(), Some(&(141, 141)), "all");
}

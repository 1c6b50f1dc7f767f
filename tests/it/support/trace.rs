//! Checks the path of a run through its graph in its trace.

use super::tasks::get;

/// Checks that the run had each of these visits, in any order.
pub async fn assert_visited(base: &str, run: &str, arrows: &[&str]) {
    let trace = get(base, &format!("/api/runs/{run}/trace")).await;
    let word = |step: &serde_json::Value, key: &str| step[key].as_str().expect("a word").to_owned();
    let steps = trace["steps"].as_array().expect("steps").iter();
    let path: Vec<String> =
        steps.map(|step| format!("{}:{}", word(step, "node"), word(step, "outcome"))).collect();
    for arrow in arrows {
        assert!(path.iter().any(|taken| taken == arrow), "{arrow} is not among {path:#?}");
    }
}

//! Reads values from `/metrics`.

/// Sums the samples with this name whose text begins like this: `askfirst_tokens_total`,
/// `askfirst_step_seconds_count{phase="plan"`.
pub async fn counted(base: &str, sample: &str) -> f64 {
    let text = reqwest::get(format!("{base}/metrics")).await.unwrap().text().await.unwrap();
    let of = |line: &&str| {
        line.strip_prefix(sample).is_some_and(|rest| sample.contains('{') || rest.starts_with(['{', ' ']))
    };
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
    text.lines().filter(of).map(number).sum()
}

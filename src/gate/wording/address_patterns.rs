//! Addresses that only report use or errors.

use crate::gate::wording::address_words;
use std::sync::LazyLock;
use url::Url;

#[derive(Debug, Default)]
struct TelemetryTable {
    hosts: Vec<&'static str>,
    endings: Vec<Vec<&'static str>>,
    runs: Vec<Vec<&'static str>>,
}

static TELEMETRY: LazyLock<TelemetryTable> =
    LazyLock::new(|| read_table(include_str!("tables/telemetry.txt")));

fn read_table(text: &'static str) -> TelemetryTable {
    let mut table = TelemetryTable::default();
    for (kind, value) in text.lines().filter_map(|line| line.trim().split_once(": ")) {
        match kind {
            "host" => table.hosts.push(value),
            "path" => table.endings.push(value.split('/').collect()),
            "under" => table.runs.push(value.split('/').collect()),
            _ => {}
        }
    }
    table
}

/// True for the known hosts of analytics and error reports.
pub fn is_telemetry_host(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let below =
        |known: &&str| host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'));
    TELEMETRY.hosts.iter().any(below)
}

/// True for addresses of analytics and error reports, by host or path. Any site may use such a path.
pub fn is_telemetry(url: &Url) -> bool {
    if is_telemetry_host(url) {
        return true;
    }
    let parts: Vec<String> =
        address_words::decode_segments(url).iter().map(|part| part.to_ascii_lowercase()).collect();
    let ends =
        |run: &Vec<&str>| parts.len() >= run.len() && matches_run(&parts[parts.len() - run.len()..], run);
    let has = |run: &Vec<&str>| parts.windows(run.len()).any(|window| matches_run(window, run));
    TELEMETRY.endings.iter().any(ends) || TELEMETRY.runs.iter().any(has)
}

fn matches_run(parts: &[String], run: &[&str]) -> bool {
    parts.iter().zip(run).all(|(part, known)| *known == "*" || part == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telemetry_is_known_by_host_or_path() {
        for (address, is) in [
            ("https://www.google-analytics.com/g/collect?v=2", true),
            ("https://o12.ingest.sentry.io/api/5/envelope/", true),
            ("https://errors.alpha.example/api/5/envelope/", true),
            ("https://alpha.example/_vercel/insights/view", true),
            ("https://alpha.example/cdn-cgi/rum?x=1", true),
            ("https://alpha.example/matomo.php", true),
            ("https://alpha.example/api/event", true),
            ("https://alpha.example/j/collect", true),
            ("https://alpha.example/csp-report", true),
            ("https://notsentry.io/api/5", false),
            ("https://sentry.io.alpha.example/pay", false),
            ("https://alpha.example/collect/5/pay", false),
            ("https://alpha.example/api/events/5/delete", false),
            ("https://alpha.example/tracking", false),
        ] {
            assert_eq!(is_telemetry(&Url::parse(address).unwrap()), is, "{address}");
        }
        assert!(TELEMETRY.hosts.len() + TELEMETRY.endings.len() + TELEMETRY.runs.len() >= 40);
    }
}

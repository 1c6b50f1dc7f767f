//! Patterns of addresses: paths without ids, and addresses that only report use or errors.

use crate::gate::wording::address_words;
use std::sync::LazyLock;
use url::Url;

/// Returns the path with each id replaced by `*`; words stay.
pub fn path_pattern(url: &Url) -> String {
    let parts = address_words::decode_segments(url);
    let plain = |part: &String| if address_words::is_id(part) { String::from("*") } else { part.clone() };
    format!("/{}", parts.iter().map(plain).collect::<Vec<_>>().join("/"))
}

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

/// True for the known addresses of analytics and error reports, by host or path.
pub fn is_telemetry(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let below =
        |known: &&str| host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'));
    if TELEMETRY.hosts.iter().any(|known| below(known)) {
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
    fn ids_leave_the_path_and_words_stay() {
        for (path, pattern) in [
            ("/users/123/posts/0b6c1f9e-1f0a-4c8e-9d59-3f0d2f9a1b11", "/users/*/posts/*"),
            ("/api/v2/items/9f8e7d6c5b4a", "/api/v2/items/*"),
            ("/oauth2/token", "/oauth2/token"),
            ("/people/olena@alpha.example/mail", "/people/*/mail"),
            ("/products/blue-lamp-4711", "/products/*"),
            ("/account/change-password", "/account/change-password"),
            ("/graphql", "/graphql"),
            ("/api/getUserNotifications", "/api/getUserNotifications"),
            ("/", "/"),
        ] {
            let url = Url::parse(&format!("https://alpha.example{path}")).unwrap();
            assert_eq!(path_pattern(&url), pattern, "{path}");
        }
    }

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

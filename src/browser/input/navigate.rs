//! Navigation: by address, through the history, or by reload. A page that does not load is an error with its
//! cause.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::activity::{ASKS_LOG_IN, AUTH};
use crate::browser::input::settle::{SettleWait, StopLoadingOnDrop};
use crate::browser::network::url_policy::{ConnectFailure, UrlPolicy};
use crate::browser::page::tab::Tab;
use crate::page::url::parse_typed_url;
use chromiumoxide::cdp::browser_protocol::page::{
    GetNavigationHistoryParams, NavigateToHistoryEntryParams, NavigationEntry, ReloadParams,
};
use serde_json::json;
use url::Url;

/// Parses an address that may be opened: a page of the web or `about:blank`. A bare host gets `https://`, a
/// local one `http://`.
pub fn parse_url(text: &str) -> Result<Url, PageError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("about:blank") {
        return Url::parse("about:blank").map_err(|_| invalid_url(text));
    }
    let spelt = parse_typed_url(text).ok_or_else(|| invalid_url(text))?;
    let has_scheme = Url::parse(text).is_ok_and(|url| url == spelt);
    match spelt.scheme() {
        // A single word is no address.
        _ if !has_scheme && !looks_like_host(text) => Err(invalid_url(text)),
        "http" | "https" if spelt.has_host() => Ok(spelt),
        scheme => Err(PageError::new(
            ErrorCode::BadUrl,
            format!("addresses of `{scheme}:` are not opened; use http:// or https://"),
        )),
    }
}

pub async fn navigate(tab: &Tab, settling: &mut SettleWait, url: &Url) -> Result<(), PageError> {
    if let Some(fault) = tab.policy.fault(url.as_str()) {
        return Err(fault);
    }
    let limit = settling.load_timeout;
    let stop = StopLoadingOnDrop::new(tab);
    let command = RawCommand::new("Page.navigate", json!({"url": url.as_str(), "transitionType": "typed"}));
    let answer = tab.session.send(command, limit).await.map_err(|fault| match fault.code {
        ErrorCode::Timeout => PageError::new(
            ErrorCode::Timeout,
            format!("{url} did not answer within {} s; try again later, or go elsewhere", limit.as_secs()),
        ),
        _ => fault,
    });
    let answer = answer?;
    stop.cancel();
    if answer["isDownload"].as_bool() == Some(true) {
        // The page stays; the download is reported like every other.
        settling.expect(false);
        return Ok(());
    }
    match answer["errorText"].as_str() {
        Some(text) if !text.is_empty() => {
            // A redirect may have led to a blocked address.
            settling.expect(false);
            settling.failure()?;
            Err(load_error(&tab.policy, url, text))
        }
        _ => {
            let mut is_coming = answer["loaderId"].is_string();
            if !is_coming && is_stopped(tab).await {
                // Moving within the document would leave it as it is.
                reload(tab).await?;
                is_coming = true;
            }
            settling.expect(is_coming);
            Ok(())
        }
    }
}

/// Reports whether the load of the document was stopped before its scripts had run.
async fn is_stopped(tab: &Tab) -> bool {
    tab.run(
        "document.readyState === 'complete' && \
        performance.getEntriesByType('navigation').some((entry) => entry.domContentLoadedEventStart === 0)",
    )
    .await
    .unwrap_or(false)
}

/// Destination of an action that leaves the page.
pub enum NavigationTarget {
    Address(String),
    Reload,
    /// Step in the tab's history: -1 for back, 1 for forward.
    History(i64),
}

/// Resolves a target to an address that another tab can open.
pub async fn resolve_target(tab: &Tab, target: NavigationTarget) -> Result<String, PageError> {
    match target {
        NavigationTarget::Address(url) => Ok(url),
        NavigationTarget::Reload => history_entry(tab, 0).await.map(|entry| entry.url),
        NavigationTarget::History(step) => history_entry(tab, step).await.map(|entry| entry.url),
    }
}

/// Goes one step back (-1) or forward (1) in the tab's history.
pub async fn travel_history(tab: &Tab, step: i64) -> Result<(), PageError> {
    let entry = history_entry(tab, step).await?;
    tab.call(NavigateToHistoryEntryParams::new(entry.id)).await.map(|_| ())
}

/// Returns an entry of the history. Chromium keeps it, so this works on an unresponsive page.
async fn history_entry(tab: &Tab, step: i64) -> Result<NavigationEntry, PageError> {
    let history = tab.session.call(GetNavigationHistoryParams::default()).await?;
    let entry = usize::try_from(history.current_index + step)
        .ok()
        .and_then(|index| history.entries.into_iter().nth(index));
    entry.ok_or_else(|| {
        let side = if step < 0 { "before" } else { "after" };
        PageError::new(
            ErrorCode::NavigationFailed,
            format!("there is no page {side} this one in the history"),
        )
    })
}

pub async fn reload(tab: &Tab) -> Result<(), PageError> {
    tab.call(ReloadParams::default()).await.map(|_| ())
}

fn looks_like_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if is_port(port) { name } else { host });
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty()
        && name.chars().all(plain)
        && (name.contains('.') || name.eq_ignore_ascii_case("localhost"))
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

fn invalid_url(text: &str) -> PageError {
    PageError::new(
        ErrorCode::BadUrl,
        format!("`{text}` is not an address; write it as https://example.com/page"),
    )
}

/// Explains a failed load. Chromium does not know why the proxy failed a connection; the proxy does.
fn load_error(url_policy: &UrlPolicy, url: &Url, text: &str) -> PageError {
    const PROXY_FAILURES: [&str; 5] = [
        "net::ERR_EMPTY_RESPONSE",
        "net::ERR_TUNNEL_CONNECTION_FAILED",
        "net::ERR_CONNECTION_CLOSED",
        "net::ERR_CONNECTION_RESET",
        "net::ERR_PROXY_CONNECTION_FAILED",
    ];
    match url_policy.failure(url.as_str()).filter(|_| PROXY_FAILURES.contains(&text)) {
        Some(ConnectFailure::Blocked(why)) => {
            PageError::new(ErrorCode::Blocked, url_policy.blocked(url.as_str(), why))
        }
        Some(failure) => PageError::new(ErrorCode::NavigationFailed, format!("{url}: {}", failure.words())),
        None => PageError::new(ErrorCode::NavigationFailed, describe_load_error(url, text)),
    }
}

/// Returns the meaning of Chromium's error name for the user.
fn describe_load_error(url: &Url, text: &str) -> String {
    let words = match text {
        "net::ERR_NAME_NOT_RESOLVED" => "there is no such host; check the address",
        "net::ERR_CONNECTION_REFUSED" => "nothing answers there; check the address and the port",
        "net::ERR_UNSAFE_PORT" => "browsers do not open that port",
        "net::ERR_INTERNET_DISCONNECTED" => "this machine has no network",
        "net::ERR_CONNECTION_TIMED_OUT" | "net::ERR_TIMED_OUT" => "it did not answer",
        "net::ERR_ABORTED" => "it gave no page (no content, or a download)",
        "net::ERR_TOO_MANY_REDIRECTS" => "it redirects in a circle",
        "net::ERR_HTTP_RESPONSE_CODE_FAILURE" => "it answered with an error, and without a page",
        AUTH => ASKS_LOG_IN,
        text if text.starts_with("net::ERR_CERT") => "its certificate is not valid",
        _ => "it could not be loaded",
    };
    format!("{url}: {words} ({text})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_web() {
        let cases = [
            ("https://example.com/a?b#c", "https://example.com/a?b#c"),
            ("example.com", "https://example.com/"),
            ("localhost:8787/demo/", "http://localhost:8787/demo/"),
            ("127.0.0.1:80", "http://127.0.0.1/"),
            ("example.com:8443/a", "https://example.com:8443/a"),
            (" http://a.b ", "http://a.b/"),
            ("приклад.укр/шлях", "https://xn--80aikifvh.xn--j1amh/%D1%88%D0%BB%D1%8F%D1%85"),
            ("about:blank", "about:blank"),
        ];
        for (text, url) in cases {
            assert_eq!(parse_url(text).map(String::from), Ok(url.to_owned()), "{text}");
        }
    }

    #[test]
    fn other_schemes_and_no_addresses_are_refused() {
        let bad = [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "chrome://settings",
            "data:text/html,x",
            "about:config",
        ];
        for text in
            bad.into_iter().chain(["view-source:http://a.b", "hello world", "cart", "cart:80", "", "http://"])
        {
            assert_eq!(parse_url(text).map_err(|fault| fault.code), Err(ErrorCode::BadUrl), "{text}");
        }
    }
}

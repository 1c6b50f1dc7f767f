//! Addresses as people write them: `example.com`, `localhost:8787/demo/`, `/cart`.

/// Returns the full URL; `None` if the text is no address but a name. A path is relative to `page`.
pub fn address(text: &str, page: Option<&str>) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_whitespace) {
        return None;
    }
    if has_scheme(text) {
        return Some(text.to_owned());
    }
    if text.starts_with('/') {
        let base = url::Url::parse(page?).ok().filter(|base| base.has_host())?;
        return base.join(text).ok().map(|url| url.to_string());
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or(text);
    let secure = scheme_for(authority)?;
    let full = format!("{secure}://{text}");
    url::Url::parse(&full).ok().map(|_| full)
}

/// True if the text begins with a scheme, such as `https://` or `data:`.
pub fn has_scheme(text: &str) -> bool {
    if let Some((scheme, _)) = text.split_once("://") {
        return is_scheme(scheme);
    }
    // Passed on unchanged, so that the gate can refuse them by name.
    let known = ["about:", "data:", "javascript:", "file:", "chrome:", "blob:", "view-source:", "mailto:"];
    let lower = text.to_ascii_lowercase();
    known.iter().any(|scheme| lower.starts_with(scheme))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Returns `http` for hosts that are probably local, `https` for others; `None` if the text is no host.
fn scheme_for(authority: &str) -> Option<&'static str> {
    if authority.starts_with('[') {
        return authority.contains("]").then_some("http");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => {
            (host, Some(port))
        }
        Some(_) => return None,
        None => (authority, None),
    };
    let labels: Vec<&str> = host.split('.').collect();
    let proper = labels
        .iter()
        .all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_'));
    if !proper {
        return None;
    }
    let local = host.eq_ignore_ascii_case("localhost") || host.parse::<std::net::Ipv4Addr>().is_ok();
    match port {
        Some("443") => Some("https"),
        Some(_) => Some("http"),
        None if local => Some("http"),
        None => is_domain(&labels).then_some("https"),
    }
}

/// True for at least two labels, the last of which looks like a top-level domain.
fn is_domain(labels: &[&str]) -> bool {
    let Some(last) = labels.last() else { return false };
    labels.len() > 1
        && last.chars().count() >= 2
        && (last.chars().all(char::is_alphabetic) || last.to_ascii_lowercase().starts_with("xn--"))
}

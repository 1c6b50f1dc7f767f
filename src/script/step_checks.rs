//! Checks of a step against the page.

use crate::agent_spec::types::script::Check;
use crate::page::observation::Observation;
use crate::script::find::normalize_text;
use crate::script::pattern::matches_pattern;
use url::Url;

/// The part of a check that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedPart {
    Text,
    Url,
    Title,
}

/// Returns the first part of the check that the page does not meet. `text_found` is true if the page is known to
/// show the text although the observation left it out.
pub fn failed_part(check: &Check, page: &Observation, text_found: bool) -> Option<FailedPart> {
    let lacks = |wanted: &Option<String>, there: &dyn Fn(&str) -> bool| {
        wanted.as_deref().is_some_and(|wanted| !there(wanted))
    };
    if lacks(&check.url, &|url| url_matches(url, &page.url)) {
        return Some(FailedPart::Url);
    }
    if lacks(&check.title, &|title| normalize_text(&page.title).contains(&normalize_text(title))) {
        return Some(FailedPart::Title);
    }
    if !text_found && lacks(&check.text, &|text| shows(page, text)) {
        return Some(FailedPart::Text);
    }
    None
}

/// True if the address matches the pattern. A pattern that begins with `/` is matched against the path alone.
/// The query counts only if the pattern contains one; the fragment never counts.
pub fn url_matches(wanted: &str, url: &str) -> bool {
    let wanted = wanted.trim();
    let whole = url.split('#').next().unwrap_or_default();
    let (path, query) = whole.split_once('?').map_or((whole, ""), |(path, query)| (path, query));
    let path = match Url::parse(path) {
        Ok(parsed) if wanted.starts_with('/') => parsed.path().to_owned(),
        Ok(_) | Err(_) => path.to_owned(),
    };
    match wanted.split_once('?') {
        Some((wanted, wanted_query)) => {
            matches_pattern(wanted, &path) && matches_pattern(wanted_query, query)
        }
        None => matches_pattern(wanted, &path),
    }
}

/// True if the page shows the words, on one line or across several.
fn shows(page: &Observation, text: &str) -> bool {
    let wanted = normalize_text(text);
    let texts =
        page.lines.iter().filter(|line| line.role != "note").flat_map(|line| {
            [Some(line.name.as_str()), line.attributes.value.as_deref()].into_iter().flatten()
        });
    let dialog = page.dialog.iter().map(|dialog| dialog.message.as_str());
    normalize_text(&texts.chain(dialog).collect::<Vec<_>>().join(" ")).contains(&wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::Line;

    #[test]
    fn an_address_is_checked_by_path_or_as_a_whole() {
        for (wanted, url, there) in [
            ("/demo/cart", "http://127.0.0.1:8787/demo/cart?lang=uk#top", true),
            ("/demo/cart", "http://127.0.0.1:8787/demo/", false),
            ("/demo/orders/*", "http://a.test/demo/orders/1001/thanks", true),
            ("/search?q=*", "http://a.test/search?q=lamp", true),
            ("/search?q=book", "http://a.test/search?q=lamp", false),
            ("http://a.test/x", "http://a.test/x", true),
            ("http://b.test/x", "http://a.test/x", false),
            ("https://*.test/x", "https://shop.test/x?y", true),
        ] {
            assert_eq!(url_matches(wanted, url), there, "{wanted} {url}");
        }
    }

    #[test]
    fn text_is_found_across_lines_and_missing_text_is_named() {
        let line = |name: &str| Line { role: "text".into(), name: name.into(), ..Line::default() };
        let page = Observation {
            url: "http://a.test/done".into(),
            title: "Thanks · Shop".into(),
            lines: vec![line("Thank  you!"), line("Order 7")],
            ..Observation::default()
        };
        let check = |text: &str| Check { text: Some(text.into()), ..Check::default() };
        assert_eq!(failed_part(&check("thank you! order"), &page, false), None);
        assert_eq!(failed_part(&check("Order 8"), &page, false), Some(FailedPart::Text));
        assert_eq!(failed_part(&check("Order 8"), &page, true), None);
        let whole = Check {
            url: Some("/done".into()),
            title: Some("thanks".into()),
            text: Some("order 7".into()),
            within_s: None,
        };
        assert_eq!(failed_part(&whole, &page, false), None);
        for (other, lacking) in [
            (Check { url: Some("/cart".into()), ..whole.clone() }, FailedPart::Url),
            (Check { title: Some("Cart".into()), ..whole.clone() }, FailedPart::Title),
        ] {
            assert_eq!(failed_part(&other, &page, false), Some(lacking));
        }
    }
}

//! Checks of a step against the page.

use super::find::folded;
use super::pattern::fits;
use crate::page::Observation;
use crate::spec::script::Check;
use url::Url;

/// The part of a check that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    Text,
    Url,
    Title,
}

/// Returns the first part of the check that the page does not meet. `said` is true if the page is known to
/// show the text although the observation left it out.
pub fn unseen(check: &Check, page: &Observation, said: bool) -> Option<Unseen> {
    let lacks = |wanted: &Option<String>, there: &dyn Fn(&str) -> bool| {
        wanted.as_deref().is_some_and(|wanted| !there(wanted))
    };
    if lacks(&check.url, &|url| is_at(url, &page.url)) {
        return Some(Unseen::Url);
    }
    if lacks(&check.title, &|title| folded(&page.title).contains(&folded(title))) {
        return Some(Unseen::Title);
    }
    if !said && lacks(&check.text, &|text| shows(page, text)) {
        return Some(Unseen::Text);
    }
    None
}

/// True if the address matches the pattern. A pattern that begins with `/` is matched against the path alone.
/// The query counts only if the pattern contains one; the fragment never counts.
pub fn is_at(wanted: &str, url: &str) -> bool {
    let wanted = wanted.trim();
    let whole = url.split('#').next().unwrap_or_default();
    let (place, query) = whole.split_once('?').map_or((whole, ""), |(place, query)| (place, query));
    let place = match Url::parse(place) {
        Ok(parsed) if wanted.starts_with('/') => parsed.path().to_owned(),
        Ok(_) | Err(_) => place.to_owned(),
    };
    match wanted.split_once('?') {
        Some((wanted, asked)) => fits(wanted, &place) && fits(asked, query),
        None => fits(wanted, &place),
    }
}

/// Returns an address without query and fragment.
pub fn place(url: &str) -> &str {
    url.split(['#', '?']).next().unwrap_or_default()
}

/// True if the page shows the words, on one line or across several.
fn shows(page: &Observation, text: &str) -> bool {
    let wanted = folded(text);
    let said =
        page.lines.iter().filter(|line| line.role != "note").flat_map(|line| {
            [Some(line.name.as_str()), line.attributes.value.as_deref()].into_iter().flatten()
        });
    let dialog = page.dialog.iter().map(|dialog| dialog.message.as_str());
    folded(&said.chain(dialog).collect::<Vec<_>>().join(" ")).contains(&wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Line;

    #[test]
    fn an_address_is_told_by_its_path_or_as_a_whole() {
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
            assert_eq!(is_at(wanted, url), there, "{wanted} {url}");
        }
    }

    #[test]
    fn words_are_found_over_lines_and_what_lacks_is_named() {
        let line = |name: &str| Line { role: "text".into(), name: name.into(), ..Line::default() };
        let page = Observation {
            url: "http://a.test/done".into(),
            title: "Thanks · Shop".into(),
            lines: vec![line("Thank  you!"), line("Order 7")],
            ..Observation::default()
        };
        let check = |text: &str| Check { text: Some(text.into()), ..Check::default() };
        assert_eq!(unseen(&check("thank you! order"), &page, false), None);
        assert_eq!(unseen(&check("Order 8"), &page, false), Some(Unseen::Text));
        assert_eq!(unseen(&check("Order 8"), &page, true), None);
        let whole = Check {
            url: Some("/done".into()),
            title: Some("thanks".into()),
            text: Some("order 7".into()),
            within_s: None,
        };
        assert_eq!(unseen(&whole, &page, false), None);
        for (other, lacking) in [
            (Check { url: Some("/cart".into()), ..whole.clone() }, Unseen::Url),
            (Check { title: Some("Cart".into()), ..whole.clone() }, Unseen::Title),
        ] {
            assert_eq!(unseen(&other, &page, false), Some(lacking));
        }
    }
}

//! Addresses as ways out: each part of an address reaches its host, and addresses inside of it reach theirs.

use crate::gate::flow::explain::{FlowSources, ForeignText, Judge};
use crate::gate::flow::named_hosts::parse_named_host;
use crate::gate::flow::read_texts::TextSource;
use crate::gate::flow::reading::views::{ViewKind, find_views};
use crate::page::site::{Site, site_of_url};
use url::Url;

/// Most addresses inside of one.
const MOST_INNER: usize = 8;

/// Foreign text of an address, and the site that it would reach.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignPart {
    pub to: Site,
    pub foreign: ForeignText,
}

/// Parts of an address that a planner can fill with text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddressParts {
    /// Labels of the host below its site.
    pub labels: Vec<String>,
    /// User and password before the host.
    pub user: Vec<String>,
    pub path: Vec<String>,
    pub names: Vec<String>,
    pub values: Vec<String>,
    pub fragment: Vec<String>,
}

impl AddressParts {
    /// Returns all parts.
    pub fn list_texts(&self) -> Vec<&str> {
        let lists = [&self.labels, &self.user, &self.path, &self.names, &self.values, &self.fragment];
        lists.into_iter().flatten().map(String::as_str).collect()
    }

    /// Returns the parts that may be pieces of one text, joined.
    fn list_joined(&self) -> Vec<String> {
        let lists = [&self.labels, &self.path, &self.names, &self.values];
        let mut joined: Vec<String> = Vec::new();
        for list in lists.into_iter().filter(|list| list.len() > 1) {
            joined.push(list.concat());
            joined.push(list.iter().rev().map(String::as_str).collect());
        }
        joined.push(self.list_texts().concat());
        joined
    }
}

/// Returns the parts of an address.
pub fn split_address(url: &Url) -> AddressParts {
    let mut parts = AddressParts::default();
    let Some(segments) = url.path_segments() else {
        parts.path.push(url.as_str()[url.scheme().len() + 1..].to_owned());
        return parts;
    };
    let texts =
        |list: Vec<&str>| list.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect();
    parts.path = texts(segments.collect());
    parts.user = texts(vec![url.username(), url.password().unwrap_or_default()]);
    if let (Some(host), Some(site)) = (url.host_str(), site_of_url(url)) {
        let below = host.trim_end_matches('.').strip_suffix(site.as_str()).unwrap_or_default();
        parts.labels =
            below.split('.').filter(|label| !label.is_empty() && *label != "www").map(read_label).collect();
    }
    for pair in url.query().unwrap_or_default().split(['&', ';']).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        parts.names.push(name.to_owned());
        parts.values.extend((!value.is_empty()).then(|| value.to_owned()));
    }
    parts.fragment = texts(vec![url.fragment().unwrap_or_default()]);
    parts
}

/// Returns a label of a host as people read it, without the encoding of other alphabets.
fn read_label(label: &str) -> String {
    if !label.starts_with("xn--") {
        return label.to_owned();
    }
    let (text, outcome) = idna::domain_to_unicode(label);
    if outcome.is_ok() { text } else { label.to_owned() }
}

/// Returns the first foreign text of an address that a planner opens. Links that a page offers are judged by
/// what that page shows.
pub fn find_foreign_in_address(url: &Url, sources: &FlowSources<'_>) -> Option<ForeignPart> {
    let outer = site_of_url(url);
    if let Some(site) = &outer {
        let to = TextSource::Site(site.clone());
        if let Some(TextSource::Site(page)) = sources.read.find_offer(url.as_str(), &to) {
            return find_foreign_in_link(url, page, sources);
        }
    }
    let inner = find_inner_addresses(url);
    outer
        .and_then(|site| find_for_site(url, site, sources))
        .or_else(|| inner.iter().find_map(|inner| find_for_inner(url, inner, sources)))
}

fn find_for_site(url: &Url, site: Site, sources: &FlowSources<'_>) -> Option<ForeignPart> {
    let judge = Judge::new(&TextSource::Site(site.clone()), sources)?;
    let parts = split_address(url);
    let each = || parts.list_texts().into_iter().find_map(|part| judge.find_in_values(&[part]));
    let joined = || parts.list_joined().iter().find_map(|text| judge.find_in_joined(text));
    each().or_else(joined).map(|foreign| ForeignPart { to: site, foreign })
}

/// Judges an address inside of another one, with what stands beside it: a redirect may carry both on.
fn find_for_inner(outer: &Url, inner: &Url, sources: &FlowSources<'_>) -> Option<ForeignPart> {
    let site = site_of_url(inner).filter(|site| site_of_url(outer).as_ref() != Some(site))?;
    let to = TextSource::Site(site.clone());
    let beside = || {
        let parts = split_address(outer);
        let values: Vec<&str> = if outer.cannot_be_a_base() {
            parts.list_texts()
        } else {
            parts.values.iter().chain(&parts.fragment).map(String::as_str).collect()
        };
        Judge::new(&to, sources)?.find_in_values(&values)
    };
    find_for_site(inner, site.clone(), sources)
        .or_else(|| beside().map(|foreign| ForeignPart { to: site, foreign }))
}

/// Returns the first foreign text of a link that a page offers: specific text that the page shows, in a part
/// that is no ordinary path.
pub fn find_foreign_in_link(url: &Url, page: &Site, sources: &FlowSources<'_>) -> Option<ForeignPart> {
    let source = TextSource::Site(page.clone());
    let shown = sources.read.find_visible(&source)?;
    [url].into_iter().chain(&find_inner_addresses(url)).find_map(|url| {
        let site = site_of_url(url).filter(|site| site != page)?;
        let judge = Judge::new(&TextSource::Site(site.clone()), sources)?.narrow_to(&source, shown);
        let parts = split_address(url);
        let lists = [&parts.labels, &parts.user, &parts.values, &parts.fragment];
        let texts: Vec<&str> = lists.into_iter().flatten().map(String::as_str).collect();
        judge.find_in_values(&texts).map(|foreign| ForeignPart { to: site, foreign })
    })
}

/// Returns the addresses inside of an address, also below simple encodings.
fn find_inner_addresses(url: &Url) -> Vec<Url> {
    let parts = split_address(url);
    let mut found: Vec<Url> = Vec::new();
    for part in parts.list_texts() {
        for view in find_views(part).iter().filter(|view| view.kind != ViewKind::Turned) {
            for inner in find_addresses_in(&view.text) {
                if found.len() < MOST_INNER && !found.contains(&inner) {
                    found.push(inner);
                }
            }
        }
        found.extend(parse_named_host(part).filter(|_| parts.values.iter().any(|value| value == part)));
    }
    found
}

fn find_addresses_in(text: &str) -> Vec<Url> {
    let starts = text.match_indices("//").filter_map(|(at, _)| {
        let scheme =
            ["https:", "http:", "wss:", "ws:"].into_iter().find(|scheme| text[..at].ends_with(scheme));
        let rest = text[at..]
            .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`'))
            .next()?;
        Url::parse(&format!("{}{rest}", scheme.unwrap_or("https:"))).ok()
    });
    starts
        .filter(|url| url.host_str().is_some_and(|host| host.contains(['.', ':']) || host == "localhost"))
        .collect()
}

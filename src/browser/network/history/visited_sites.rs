//! Sites that the browser has opened, or whose cookies it was given.

use crate::page::site::{Site, site_of};
use serde_json::Value;
use std::collections::HashSet;

/// Maximum number of sites that are remembered. Cookies bring at most [`MOST_OF_COOKIES`] at a time, so that there is room for
/// those that are opened.
const MOST_SITES: usize = 100_000;
pub(super) const MOST_OF_COOKIES: usize = 1000;

/// Sites of all top documents so far, and of the cookies that the browser was given.
#[derive(Debug, Default)]
pub struct VisitedSites(HashSet<Site>);

impl VisitedSites {
    /// Records the site of a document that was opened.
    pub fn record_document(&mut self, url: &str) {
        if self.0.len() < MOST_SITES {
            self.0.extend(site_of(url));
        }
    }

    /// Records sites whose cookies the browser was given.
    pub fn record_cookies(&mut self, cookies: &[Value]) {
        let domains = cookies.iter().filter_map(|cookie| cookie["domain"].as_str());
        let sites =
            domains.filter_map(|domain| site_of(&format!("https://{}", domain.trim_start_matches('.'))));
        self.0.extend(sites.take(MOST_OF_COOKIES));
    }

    /// Reports whether a page of the site of this address was opened.
    pub fn contains_site_of(&self, url: &str) -> bool {
        site_of(url).is_some_and(|site| self.0.contains(&site))
    }
}

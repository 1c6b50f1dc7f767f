//! Products of the shop, and the search through them.

use crate::demo::locale::Lang;
use serde::{Deserialize, Serialize};

/// A lamp. Its name and descriptions are in `demo/locales/` under `products.<id>`.
#[derive(Debug)]
pub struct Product {
    pub id: &'static str,
    pub kind: &'static str,
    /// Price in hryvnias.
    pub price: u32,
    /// Rating from one to five.
    pub stars: u32,
}

pub const KINDS: [&str; 5] = ["", "desk", "ceiling", "floor", "outdoor"];
pub const SORTS: [&str; 4] = ["", "cheap", "dear", "name"];
pub const CORDS: [&str; 4] = ["amber", "graphite", "linen", "mint"];

#[rustfmt::skip]
pub const PRODUCTS: [Product; 8] = [
    Product { id: "zoria",    kind: "desk",    price: 1290, stars: 5 },
    Product { id: "vechir",   kind: "desk",    price: 980,  stars: 5 },
    Product { id: "maiak",    kind: "desk",    price: 640,  stars: 3 },
    Product { id: "kulia",    kind: "ceiling", price: 2150, stars: 4 },
    Product { id: "step",     kind: "floor",   price: 3400, stars: 5 },
    Product { id: "rosa",     kind: "outdoor", price: 450,  stars: 4 },
    Product { id: "svitanok", kind: "ceiling", price: 1720, stars: 5 },
    Product { id: "mandry",   kind: "outdoor", price: 890,  stars: 5 },
];

pub fn product(id: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.id == id)
}

/// Returns the entry of `known` that equals `given`, or the first one. Makes the value of a select
/// trustworthy.
pub fn choose_known(wanted: &str, known: &[&'static str]) -> &'static str {
    known.iter().find(|word| **word == wanted).or(known.first()).copied().unwrap_or_default()
}

/// Search query of the catalog page.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct CatalogQuery {
    pub q: String,
    pub kind: String,
    pub sort: String,
}

/// A product as its page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Lamp {
    pub id: &'static str,
    pub name: String,
    pub line: String,
    pub text: String,
    pub price: u32,
    pub stars: u32,
}

impl Lamp {
    pub fn new(product: &Product, price: u32, lang: Lang) -> Self {
        let text = |part| lang.text(&format!("products.{}.{part}", product.id));
        let (name, line, about) = (text("name"), text("line"), text("text"));
        Self { id: product.id, name, line, text: about, price, stars: product.stars }
    }
}

impl CatalogQuery {
    /// Returns the matching lamps in the requested order.
    pub fn lamps(&self, lang: Lang, price_of: impl Fn(&Product) -> u32) -> Vec<Lamp> {
        let needle = self.q.trim().to_lowercase();
        let mut found: Vec<Lamp> = PRODUCTS
            .iter()
            .filter(|product| self.kind.is_empty() || product.kind == self.kind)
            .map(|product| Lamp::new(product, price_of(product), lang))
            .filter(|lamp| format!("{} {}", lamp.name, lamp.line).to_lowercase().contains(&needle))
            .collect();
        match choose_known(&self.sort, &SORTS) {
            "cheap" => found.sort_by_key(|lamp| lamp.price),
            "dear" => found.sort_by_key(|lamp| std::cmp::Reverse(lamp.price)),
            "name" => found.sort_by(|one, two| one.name.cmp(&two.name)),
            _ => {}
        }
        found
    }

    /// Returns the catalog URL of this query. Built from its parts, so that it never leads elsewhere.
    pub fn address(&self) -> String {
        let parts = [("q", &self.q), ("kind", &self.kind), ("sort", &self.sort)];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(parts.iter().filter(|(_, value)| !value.is_empty()));
        match query.finish() {
            empty if empty.is_empty() => String::from("/demo/"),
            query => format!("/demo/?{query}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(q: &str, kind: &str, sort: &str) -> Vec<&'static str> {
        let wanted = CatalogQuery { q: q.into(), kind: kind.into(), sort: sort.into() };
        wanted.lamps(Lang::En, |product| product.price).into_iter().map(|lamp| lamp.id).collect()
    }

    #[test]
    fn search_filter_and_sort() {
        assert_eq!(ids("", "", "").len(), PRODUCTS.len());
        assert_eq!(ids("ZORIA", "", ""), ["zoria"]);
        assert_eq!(ids("", "outdoor", "cheap"), ["rosa", "mandry"]);
        assert_eq!(ids("", "outdoor", "dear"), ["mandry", "rosa"]);
        assert_eq!(ids("nothing of the kind", "", ""), [""; 0]);
    }

    #[test]
    fn the_address_is_escaped() {
        let wanted = CatalogQuery { q: "//evil.test?a=b&c".into(), ..CatalogQuery::default() };
        assert_eq!(wanted.address(), "/demo/?q=%2F%2Fevil.test%3Fa%3Db%26c");
        assert_eq!(CatalogQuery::default().address(), "/demo/");
    }
}

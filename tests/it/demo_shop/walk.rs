//! The orders of the first-use screen (`demo.order` of the UI's texts), walked line by line through the
//! pages as they are rendered: whatever a line names must be there, once, under exactly that name.

use super::{Shopper, attribute, borrowed, fields, plain};
use serde_json::Value;
use std::collections::BTreeMap;

/// The words of one language's orders.
struct Words {
    open: &'static str,
    write: &'static str,
    into: &'static str,
    click: &'static str,
    check: &'static str,
}

const UK: Words =
    Words {
        open: "відкрий ", write: "впиши ", into: " в ", click: "натисни ", check: "познач "
    };
const EN: Words = Words { open: "open ", write: "type ", into: " into ", click: "click ", check: "check " };

/// A page with what was typed into it.
struct Walk {
    shopper: Shopper,
    page: String,
    typed: BTreeMap<String, String>,
}

impl Walk {
    async fn step(&mut self, line: &str, words: &Words) {
        if let Some(path) = line.strip_prefix(words.open) {
            let path = path.strip_prefix("{origin}").expect("the service's own origin");
            self.page = self.shopper.open(path).await.body;
        } else if let Some(rest) = line.strip_prefix(words.write) {
            let (text, name) = rest.split_once(words.into).expect("what and where");
            self.fill(name, text);
        } else if let Some(name) = line.strip_prefix(words.check) {
            self.fill(name, "yes");
        } else if let Some(name) = line.strip_prefix(words.click) {
            self.click(name.trim_matches(['«', '»', '“', '”'])).await;
        } else {
            panic!("{line:?} begins with no verb of the orders");
        }
    }

    fn fill(&mut self, name: &str, text: &str) {
        let [(_, label)] = named(&self.page, "label", name)[..] else {
            panic!("not one field {name:?} in {}", self.page)
        };
        let id = attribute(label, "for").expect("a label for a field");
        let inputs = self.page.split("<input ").skip(1).filter_map(|rest| rest.split('>').next());
        let input =
            inputs.into_iter().find(|tag| attribute(tag, "id").as_ref() == Some(&id)).expect("its field");
        self.typed.insert(attribute(input, "name").expect("a name"), text.to_owned());
    }

    async fn click(&mut self, name: &str) {
        let (links, buttons) = (named(&self.page, "a", name), named(&self.page, "button", name));
        self.page = match (&links[..], &buttons[..]) {
            ([(_, link)], []) => {
                let to = attribute(link, "href").expect("a link to somewhere");
                self.shopper.open(&to).await.body
            }
            ([], [(offset, _)]) => {
                let (before, after) = self.page.split_at(*offset);
                let form = &before[before.rfind("<form").expect("a button of a form")..];
                assert!(!form.contains("</form>") && after.contains("</form>"), "{name:?} has no form");
                let action = attribute(form, "action").expect("a form to somewhere");
                let mut sent: BTreeMap<_, _> = fields(form).into_iter().collect();
                sent.extend(std::mem::take(&mut self.typed));
                let sent: Vec<_> = sent.into_iter().collect();
                self.shopper.submit_on(&action, &borrowed(&sent)).await.body
            }
            _ => panic!("not one thing to click called {name:?} in {}", self.page),
        };
    }
}

/// Places and opening tags of the elements of this kind that a screen reader calls by this name.
fn named<'a>(page: &'a str, kind: &str, name: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (offset, _) in page.match_indices(&format!("<{kind}")) {
        let rest = &page[offset + 1 + kind.len()..];
        if !rest.starts_with([' ', '>']) {
            continue;
        }
        let (tag, after) = rest.split_once('>').expect("a whole tag");
        let (text, _) = after.split_once(&format!("</{kind}>")).expect("a whole element");
        if attribute(tag, "aria-label").unwrap_or_else(|| plain(text.trim())) == name {
            found.push((offset, tag));
        }
    }
    found
}

#[actix_web::test]
async fn the_first_use_order_walks_the_shop_in_both_languages() {
    let (uk, en) =
        (include_str!("../../../static/locales/uk.json"), include_str!("../../../static/locales/en.json"));
    for (texts, words, thanks) in [(uk, UK, "Дякуємо! Замовлення № 1"), (en, EN, "Thank you! Order № 1")]
    {
        let texts: Value = serde_json::from_str(texts).expect("JSON");
        let order = texts["demo.order"].as_str().expect("the order");
        assert!(!order.contains("4242"), "no card is typed");
        let lines: Vec<&str> = order.lines().collect();
        let (last, way) = lines.split_last().expect("lines");
        let shopper = Shopper { language: Some("de"), ..Shopper::default() };
        let mut walk = Walk { shopper, page: String::new(), typed: BTreeMap::new() };
        for line in way {
            walk.step(line, &words).await;
            assert!(walk.shopper.orders().await.is_empty(), "{line:?} orders too early");
        }
        assert_eq!(walk.shopper.state().await["account"]["login"], "olena");
        walk.step(last, &words).await;
        assert!(walk.page.contains(thanks), "{}", walk.page);
        let orders = walk.shopper.orders().await;
        assert_eq!(orders.len(), 1);
        assert_eq!((&orders[0]["bill"]["total"], &orders[0]["card_last4"]), (&1360.into(), &"4242".into()));
        assert_eq!(orders[0]["shown_total"], 1360);
        assert_eq!(walk.shopper.state().await["cart"]["lines"], serde_json::json!([]));
    }
}

//! The lab: slow, hostile or large pages, each for one difficulty that an agent must handle.
//!
//! It is part of the product and not of the tests alone: every page of the shop links to it for people who
//! try their agents on difficult pages, and benchmarks open it in the binary that is shipped.

pub(crate) mod large_pages;

use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{PlacedOrder, Visitor};
use crate::demo::{cart, products};
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpResponse, web};
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

const LONGEST_WAIT_MS: u64 = 60_000;
/// The product whose price the lab changes.
const PRICED: &str = "zoria";
/// Static pages, each in `demo/templates/lab/<name>.html`.
const PLAIN: [&str; 11] = [
    "alert",
    "busy",
    "components",
    "covered",
    "fetch",
    "frames",
    "hidden",
    "leave",
    "moving",
    "popup",
    "sync",
];

pub async fn index(visit: Visit) -> HttpResponse {
    visit.page("lab/index.html", json!({}))
}

pub async fn plain(visit: Visit, name: web::Path<String>) -> HttpResponse {
    match PLAIN.contains(&name.as_str()) {
        true => visit.page(&format!("lab/{name}.html"), json!({})),
        false => visit.missing(),
    }
}

/// An inner page of the page `frames`, which has eight of them.
pub async fn frame(visit: Visit, number: web::Path<u32>) -> HttpResponse {
    visit.page("lab/frame.html", json!({ "n": *number }))
}

#[derive(Deserialize)]
pub struct WaitQuery {
    ms: Option<u64>,
}

impl WaitQuery {
    async fn pass(&self, usual: u64) -> u64 {
        let ms = self.ms.unwrap_or(usual).min(LONGEST_WAIT_MS);
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ms
    }
}

pub async fn slow(visit: Visit, wait: web::Query<WaitQuery>) -> HttpResponse {
    let waited = wait.pass(3000).await;
    visit.page("lab/slow.html", json!({ "waited": waited }))
}

/// Data that the page `fetch` requests.
pub async fn data(wait: web::Query<WaitQuery>) -> HttpResponse {
    let waited = wait.pass(150).await;
    HttpResponse::Ok().json(json!({ "waited": waited }))
}

/// A page whose beginning arrives at once and whose end never does.
pub async fn never(visit: Visit) -> HttpResponse {
    let title = visit.text("lab.never_title");
    let start = format!("<!doctype html><title>{title}</title><h1>{title}</h1>");
    let endless =
        stream::once(async move { Ok::<_, Infallible>(web::Bytes::from(start)) }).chain(stream::pending());
    HttpResponse::Ok().content_type("text/html; charset=utf-8").streaming(endless)
}

/// A file that browsers treat as a program.
pub async fn program() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/vnd.microsoft.portable-executable"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"svitlo-setup.exe\""))
        .body("This is no program, only a file with the name of one.\n")
}

#[derive(Deserialize)]
pub struct After {
    /// Milliseconds after which the page changes its price, and the new price.
    after: Option<u32>,
    to: Option<u32>,
}

/// A purchase form whose price and button change while it is open: by itself (`?after=ms&to=price`), or when
/// someone posts to this URL.
pub async fn price(visit: Visit, after: web::Query<After>) -> HttpResponse {
    let (price, button, gone) = visit.read(priced_product);
    let (after, to) = (after.after, after.to.unwrap_or(price * 10));
    visit.page(
        "lab/price.html",
        json!({ "price": price, "button": button, "gone": gone, "after": after, "to": to }),
    )
}

/// Returns the current state of the price page, which polls it.
pub async fn price_now(visit: Visit) -> HttpResponse {
    let (price, button, gone) = visit.read(priced_product);
    HttpResponse::Ok()
        .json(json!({ "price": price, "text": visit.lang.money(price), "button": button, "gone": gone }))
}

fn priced_product(visitor: &Visitor) -> (u32, Option<String>, bool) {
    let price = products::product(PRICED).map_or(0, |product| visitor.calculate_price(product));
    (price, visitor.lab.button.clone(), visitor.lab.gone)
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PriceForm {
    price: Option<u32>,
    button: Option<String>,
    gone: Option<bool>,
}

/// `POST /demo/lab/price`, from outside with `?visitor=`: changes the price, or the name or presence of the
/// button on the open page, and the price of the lamp in the rest of the shop.
pub async fn set_price(visit: Visit, form: web::Form<PriceForm>) -> HttpResponse {
    visit.change(|visitor| {
        if let (Some(price), Some(product)) = (form.price, products::product(PRICED)) {
            visitor.lab.prices.insert(product.id.into(), price);
        }
        if let Some(button) = &form.button {
            visitor.lab.button =
                Some(button.chars().take(80).collect()).filter(|name: &String| !name.is_empty());
        }
        if let Some(gone) = form.gone {
            visitor.lab.gone = gone;
        }
    });
    price_now(visit).await
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BuyForm {
    shown_total: String,
    card_number: String,
}

/// Buys at the current price, regardless of the price on the page.
pub async fn buy(visit: Visit, form: web::Form<BuyForm>) -> HttpResponse {
    let digits: String = form.card_number.chars().filter(char::is_ascii_digit).take(19).collect();
    let number = visit.change(|visitor| {
        let mut cart = cart::Cart::default();
        cart.add(PRICED, "amber", 1);
        let order = PlacedOrder {
            number: 0,
            lines: visitor.order_lines(&cart),
            bill: visitor.bill(&cart, None),
            shown_total: form.shown_total.parse().unwrap_or_default(),
            name: String::new(),
            address: String::new(),
            city: String::new(),
            country: "ua".into(),
            delivery: cart::Delivery::Pickup,
            slot: String::new(),
            card_last4: digits.get(digits.len().saturating_sub(4)..).unwrap_or_default().to_owned(),
        };
        visitor.place_order(order)
    });
    visit.redirect_with_message(
        "/demo/lab/price",
        visit.text("lab.ordered").replace("{n}", &number.to_string()),
    )
}

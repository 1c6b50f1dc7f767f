//! What the shop knows of a visitor, as JSON: for tests, and for the curious. It makes no visitor: an
//! unknown one reads as new.

use super::visit::Visit;
use super::visitor::{Account, Visitor};
use actix_web::HttpResponse;
use serde::Serialize;
use serde_json::json;

#[derive(Serialize)]
struct State<'a> {
    visitor: &'a str,
    /// Who is signed in.
    account: Option<&'a Account>,
    /// Of the cart, without delivery.
    total: u32,
    orders_made: u32,
    #[serde(flatten)]
    rest: &'a Visitor,
}

/// `GET /demo/api/state`: account, cart, orders, messages and the rest.
pub async fn state(visit: Visit) -> HttpResponse {
    visit.peek(|visitor| {
        HttpResponse::Ok().json(State {
            visitor: visit.id(),
            account: visitor.account(),
            total: visitor.bill(&visitor.cart, None).total,
            orders_made: visitor.orders_made,
            rest: visitor,
        })
    })
}

/// `GET /demo/api/orders`.
pub async fn orders(visit: Visit) -> HttpResponse {
    visit.peek(|visitor| HttpResponse::Ok().json(json!({ "items": visitor.orders, "cursor": null })))
}

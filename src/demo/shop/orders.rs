//! Placed orders: the list, one order, the thank-you page, and the invoice as a file.

use crate::demo::shop::checkout::slot_name;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{OrderLine, PlacedOrder};
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

pub async fn list(visit: Visit) -> HttpResponse {
    let orders: Vec<Value> = visit
        .read(|visitor| visitor.orders.clone())
        .iter()
        .rev()
        .map(|order| order_view(&visit, order))
        .collect();
    visit.page("orders.html", json!({ "orders": orders }))
}

pub async fn show(visit: Visit, number: web::Path<String>) -> HttpResponse {
    order_page(&visit, &number, false)
}

pub async fn thanks(visit: Visit, number: web::Path<String>) -> HttpResponse {
    order_page(&visit, &number, true)
}

fn order_page(visit: &Visit, number: &str, thanks: bool) -> HttpResponse {
    match find(visit, number) {
        None => visit.missing(),
        Some(order) => {
            let heading = format!("{} № {}", visit.text("order.title"), order.number);
            visit.page(
                "order.html",
                json!({ "order": order_view(visit, &order), "heading": heading, "thanks": thanks }),
            )
        }
    }
}

/// Downloads the invoice as plain text.
pub async fn invoice(visit: Visit, number: web::Path<String>) -> HttpResponse {
    let Some(order) = find(&visit, &number) else { return visit.missing() };
    let title = visit.text("invoice.title").replace("{n}", &order.number.to_string());
    let mut text = format!("{}\n{title}\n\n", visit.text("invoice.shop"));
    for line in &order.lines {
        let name = visit.text(&format!("products.{}.name", line.product));
        text.push_str(&format!("{name} × {}: {}\n", line.quantity, visit.lang.money(line.sum)));
    }
    text.push_str(&format!("\n{}: {}\n", visit.text("bill.total"), visit.lang.money(order.bill.total)));
    let name = format!("attachment; filename=\"invoice-{}.txt\"", order.number);
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, name))
        .body(text)
}

fn find(visit: &Visit, number: &str) -> Option<PlacedOrder> {
    let number: u32 = number.parse().ok()?;
    visit.read(|visitor| visitor.orders.iter().find(|order| order.number == number).cloned())
}

fn order_view(visit: &Visit, order: &PlacedOrder) -> Value {
    let line = |line: &OrderLine| {
        let name = visit.text(&format!("products.{}.name", line.product));
        merge_objects(json!({ "name": name }), json!(line))
    };
    let lines: Vec<Value> = order.lines.iter().map(line).collect();
    let country_name = visit.text(&format!("countries.{}", order.country));
    let delivery_name = visit.text(&format!("deliveries.{}", order.delivery.key()));
    let slot_name = slot_name(visit, &order.slot);
    merge_objects(
        json!({ "lines": lines, "country_name": country_name, "delivery_name": delivery_name, "slot_name": slot_name }),
        json!(order),
    )
}

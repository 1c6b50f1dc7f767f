//! The cart page and its actions.

use crate::demo::cart::{COUPON, Cart, GIFT_WRAP_PRICE, line_key};
use crate::demo::products::{CORDS, CatalogQuery, choose_known, product};
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{OrderLine, Visitor};
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

pub async fn show(visit: Visit) -> HttpResponse {
    let context = cart_context(&visit);
    visit.page("cart.html", context)
}

fn cart_context(visit: &Visit) -> Value {
    visit.read(|visitor| {
        let cart = &visitor.cart;
        let (gift_wrap, coupon) = (cart.gift_wrap, cart.coupon_code());
        let (lines, bill) = (line_views(visit, visitor, cart), visitor.bill(cart, None));
        json!({ "lines": lines, "bill": bill, "gift_wrap": gift_wrap, "coupon": coupon, "gift_price": GIFT_WRAP_PRICE })
    })
}

/// Returns the lines of a cart with product names and prices.
pub fn line_views(visit: &Visit, visitor: &Visitor, cart: &Cart) -> Vec<Value> {
    let view = |line: OrderLine| {
        let name = visit.text(&format!("products.{}.name", line.product));
        let cord_name = visit.text(&format!("cords.{}", line.cord));
        let price = product(&line.product).map_or(0, |product| visitor.calculate_price(product));
        let key = line_key(&line.product, &line.cord);
        merge_objects(
            json!({ "key": key, "name": name, "cord_name": cord_name, "price": price }),
            json!(line),
        )
    };
    visitor.order_lines(cart).into_iter().map(view).collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AddForm {
    product: String,
    cord: String,
    quantity: String,
    from: String,
    q: String,
    kind: String,
    sort: String,
}

pub async fn add(visit: Visit, form: web::Form<AddForm>) -> HttpResponse {
    let AddForm { product: id, cord, quantity, from, q, kind, sort } = form.0;
    let Some(product) = product(&id) else { return visit.missing() };
    let quantity = quantity.trim().parse().unwrap_or(1);
    visit.change(|visitor| visitor.cart.add(product.id, choose_known(&cord, &CORDS), quantity));
    let name = visit.text(&format!("products.{}.name", product.id));
    let back = match from.as_str() {
        "product" => format!("/demo/product/{}", product.id),
        _ => CatalogQuery { q, kind, sort }.address(),
    };
    visit.redirect_with_message(&back, visit.text("product.added").replace("{name}", &name))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct LineForm {
    line: String,
    quantity: String,
}

pub async fn quantity(visit: Visit, form: web::Form<LineForm>) -> HttpResponse {
    if let Ok(quantity) = form.quantity.trim().parse() {
        visit.change(|visitor| visitor.cart.set_quantity(&form.line, quantity));
    }
    visit.redirect_with_message("/demo/cart", visit.text("cart.applied"))
}

pub async fn remove(visit: Visit, form: web::Form<LineForm>) -> HttpResponse {
    visit.change(|visitor| visitor.cart.remove(&form.line));
    visit.redirect_with_message("/demo/cart", visit.text("cart.applied"))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct OptionsForm {
    gift_wrap: String,
    coupon: String,
}

pub async fn options(visit: Visit, form: web::Form<OptionsForm>) -> HttpResponse {
    let code = form.coupon.trim().to_uppercase();
    let good = code.is_empty() || code == COUPON;
    visit.change(|visitor| {
        visitor.cart.gift_wrap = form.gift_wrap == "yes";
        visitor.cart.coupon = code == COUPON;
    });
    if good {
        return visit.redirect_with_message("/demo/cart", visit.text("cart.applied"));
    }
    let wrong = visit.text("cart.wrong_coupon");
    let errors = json!({ "coupon": wrong, "form": wrong });
    let page = cart_context(&visit);
    visit.refuse("cart.html", merge_objects(json!({ "errors": errors, "coupon": form.coupon }), page))
}

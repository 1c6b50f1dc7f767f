//! Catalog, product pages, reviews and the newsletter.

use crate::demo::form_errors::{FormErrors, is_email};
use crate::demo::products::{CORDS, CatalogQuery, KINDS, Lamp, Product, SORTS, product};
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{Review, keep};
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub async fn catalog(visit: Visit, wanted: web::Query<CatalogQuery>) -> HttpResponse {
    let lamps = visit.read(|visitor| wanted.lamps(visit.lang, |product| visitor.calculate_price(product)));
    let (kinds, sorts) = (visit.options("kinds", &KINDS), visit.options("sorts", &SORTS));
    visit.page("catalog.html", json!({ "wanted": wanted.0, "lamps": lamps, "kinds": kinds, "sorts": sorts }))
}

pub async fn show(visit: Visit, id: web::Path<String>) -> HttpResponse {
    match product(&id) {
        Some(product) => visit.page("product.html", product_context(&visit, product)),
        None => visit.missing(),
    }
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReviewForm {
    author: String,
    stars: u32,
    text: String,
}

pub async fn review(visit: Visit, id: web::Path<String>, form: web::Form<ReviewForm>) -> HttpResponse {
    let Some(product) = product(&id) else { return visit.missing() };
    let mut faults = FormErrors::none(visit.lang);
    faults.line("author", &form.author);
    faults.text("text", &form.text);
    if !faults.is_empty() {
        let page = product_context(&visit, product);
        return visit
            .refuse("product.html", merge_objects(json!({ "errors": faults, "form": form.0 }), page));
    }
    let ReviewForm { author, stars, text } = form.0;
    let review = Review { product: product.id.into(), author, stars: stars.clamp(1, 5), text };
    visit.change(|visitor| keep(&mut visitor.reviews, review));
    visit.redirect_with_message(&format!("/demo/product/{}", product.id), visit.text("review.thanks"))
}

fn product_context(visit: &Visit, product: &'static Product) -> Value {
    let (price, mut reviews) = visit.read(|visitor| {
        let own = visitor.reviews.iter().rev().filter(|review| review.product == product.id);
        (visitor.calculate_price(product), own.map(|entry| json!(entry)).collect::<Vec<_>>())
    });
    if let Some(others) = visit.lang.texts()["reviews"][product.id].as_array() {
        reviews.extend(others.iter().map(|entry| json!(entry)));
    }
    let lamp = Lamp::new(product, price, visit.lang);
    json!({ "lamp": lamp, "reviews": reviews, "cords": visit.options("cords", &CORDS) })
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct NewsletterForm {
    newsletter_email: String,
}

pub async fn newsletter(visit: Visit, form: web::Form<NewsletterForm>) -> HttpResponse {
    let email = form.newsletter_email.trim().to_owned();
    if !is_email(&email) {
        return visit.redirect_with_message("/demo/", visit.text("newsletter.wrong"));
    }
    let message = visit.text("newsletter.thanks").replace("{email}", &email);
    visit.change(|visitor| keep(&mut visitor.newsletter, email));
    visit.redirect_with_message("/demo/", message)
}

//! The demo shop Svitlo: a fictional lamp shop at `/demo/`, where a new user sees the whole cycle (watch,
//! question, approve, take over, done), and which has an example of every effect class.
//!
//! The module owns its pages (`demo/`, embedded) and its data about visitors, which is bounded and, with a
//! data folder, survives a restart (see `visitors/mod.rs`). It is independent of the rest of the service. Nothing
//! in it is real; see `visitors/visit.rs` for why there is no CSRF token.

pub(crate) mod cart;
pub(crate) mod form_errors;
pub(crate) mod products;
pub mod path_prefix;
pub mod shop;
pub(crate) mod api;
pub(crate) mod embedded;
pub(crate) mod lab;
pub(crate) mod locale;
pub(crate) mod templates;
pub(crate) mod visitors;

use crate::demo::lab::large_pages;
use crate::demo::shop::{account, cart_page, checkout, contact, orders, product_pages, sign_in};
use crate::demo::visitors::Visitors;
use crate::demo::visitors::storage::ShopFile;
use crate::demo::visitors::visit::Visit;
use actix_web::middleware::DefaultHeaders;
use actix_web::web::{self, FormConfig, ServiceConfig, get, post};
use std::path::PathBuf;

const LARGEST_FORM: usize = 16 * 1024;

/// Allows scripts, styles and frames from this origin only, and nothing inline. The checkout frames the
/// delivery picker.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'self'";

/// A shop with its visitors. Clones share them. The default shop lives in memory only.
#[derive(Clone, Default)]
pub struct Shop {
    visitors: web::Data<Visitors>,
}

impl Shop {
    /// Opens a shop that stores its visitors in `demo.json` in this folder, or in memory without a folder.
    pub fn open(data_dir: Option<PathBuf>) -> Self {
        let visitors = data_dir.map(ShopFile::new).map(Visitors::kept_in).unwrap_or_default();
        Self { visitors: web::Data::new(visitors) }
    }
}

/// Registers everything under `/demo/`.
pub fn configure(cfg: &mut ServiceConfig, shop: &Shop) {
    let headers = DefaultHeaders::new()
        .add(("content-security-policy", CONTENT_SECURITY_POLICY))
        .add(("x-frame-options", "SAMEORIGIN"))
        .add(("x-content-type-options", "nosniff"))
        .add(("referrer-policy", "same-origin"))
        .add(("cache-control", "no-store"));
    let scope = web::scope("/demo")
        .app_data(shop.visitors.clone())
        .app_data(FormConfig::default().limit(LARGEST_FORM))
        .wrap(headers)
        .configure(shop_routes)
        .configure(account_routes)
        .configure(lab_routes)
        .default_service(web::to(async |visit: Visit| visit.missing()));
    cfg.service(web::redirect("/demo", "/demo/")).service(scope);
}

#[rustfmt::skip]
fn shop_routes(cfg: &mut ServiceConfig) {
    cfg.route("/",                          get().to(product_pages::catalog))
        .route("/assets/{name}",            get().to(embedded::asset))
        .route("/product/{id}",             get().to(product_pages::show))
        .route("/product/{id}/review",      get().to(product_pages::show))
        .route("/product/{id}/review",      post().to(product_pages::review))
        .route("/newsletter",               post().to(product_pages::newsletter))
        .route("/cart",                     get().to(cart_page::show))
        .route("/cart/add",                 post().to(cart_page::add))
        .route("/cart/quantity",            post().to(cart_page::quantity))
        .route("/cart/remove",              post().to(cart_page::remove))
        .route("/cart/options",             get().to(cart_page::show))
        .route("/cart/options",             post().to(cart_page::options))
        .route("/checkout",                 get().to(checkout::show))
        .route("/checkout",                 post().to(checkout::place))
        .route("/delivery-slot",            get().to(checkout::slots))
        .route("/delivery-slot",            post().to(checkout::choose_slot))
        .route("/orders",                   get().to(orders::list))
        .route("/orders/{number}",          get().to(orders::show))
        .route("/orders/{number}/thanks",   get().to(orders::thanks))
        .route("/orders/{number}/invoice",  get().to(orders::invoice))
        .route("/contact",                  get().to(contact::show))
        .route("/contact",                  post().to(contact::send))
        .route("/returns",                  get().to(contact::returns))
        .route("/returns",                  post().to(contact::send_return))
        .route("/api/state",                get().to(api::state))
        .route("/api/orders",               get().to(api::orders));
}

#[rustfmt::skip]
fn account_routes(cfg: &mut ServiceConfig) {
    cfg.route("/login",                     get().to(sign_in::show))
        .route("/login",                    post().to(sign_in::sign_in))
        .route("/logout",                   post().to(sign_in::sign_out))
        .route("/register",                 get().to(sign_in::register_page))
        .route("/register",                 post().to(sign_in::register))
        .route("/reset",                    post().to(sign_in::start_over))
        .route("/account",                  get().to(account::show))
        .route("/account/email",            get().to(account::show))
        .route("/account/email",            post().to(account::change_email))
        .route("/account/password",         get().to(account::show))
        .route("/account/password",         post().to(account::change_password))
        .route("/account/delete",           get().to(account::ask_delete))
        .route("/account/delete",           post().to(account::delete))
        .route("/settings",                 get().to(account::settings))
        .route("/settings/share",           get().to(account::settings))
        .route("/settings/share",           post().to(account::share))
        .route("/settings/unshare",         post().to(account::unshare));
}

#[rustfmt::skip]
fn lab_routes(cfg: &mut ServiceConfig) {
    cfg.route("/lab/",                      get().to(lab::index))
        .route("/lab/slow",                 get().to(lab::slow))
        .route("/lab/never",                get().to(lab::never))
        .route("/lab/data",                 get().to(lab::data))
        .route("/lab/nodes",                get().to(large_pages::nodes))
        .route("/lab/frame/{number}",       get().to(lab::frame))
        .route("/lab/svitlo-setup.exe",     get().to(lab::program))
        .route("/lab/price",                get().to(lab::price))
        .route("/lab/price",                post().to(lab::set_price))
        .route("/lab/price/now",            get().to(lab::price_now))
        .route("/lab/buy",                  post().to(lab::buy))
        .route("/lab/{name}",               get().to(lab::plain));
}

//! A small shop whose texts can be changed between two visits: lamps with equally named buttons, a form with
//! a frame, and a record of orders.

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use std::sync::{Arc, Mutex};

const LAMPS: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Lamps</title><h1>Lamps</h1><ul>\
    <li><h2>Blue lamp</h2><form action=/checkout><input type=hidden name=lamp value='Blue lamp'><button>Choose</button></form></li>\
    <li><h2>Red lamp</h2><form action=/checkout><input type=hidden name=lamp value='Red lamp'><button>Choose</button></form></li>\
    </ul>";

const CHECKOUT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Checkout</title><h1>Checkout</h1>\
    <form method=post action=/order><input type=hidden name=lamp value='LAMP'>\
    <label>City <input name=city></label>\
    <label><input type=checkbox name=wrap value=yes TICKED> Wrap it</label>\
    <iframe title='Gift card' src=/card width=300 height=80></iframe>\
    <button>BUTTON</button></form>";

const CARD: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Card</title>\
    <label>Name <input name=name onchange=\"fetch('/gift?name=' + encodeURIComponent(this.value))\"></label>";

/// Two frames without a name, one of them of another site.
const FRAMED: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Cards</title>\
    <iframe src=http://OURS/card width=300 height=80></iframe><iframe src=http://OTHER/card width=300 height=80></iframe>";

pub struct Shop {
    /// `127.0.0.1:port`.
    pub host: String,
    book: web::Data<Mutex<Book>>,
}

#[derive(Default)]
struct Book {
    button: String,
    ticked: bool,
    gift: String,
    gifts: Vec<String>,
    orders: Vec<String>,
}

impl Shop {
    /// Serves until the test ends.
    pub fn open() -> Self {
        let book = Book { button: String::from("Place order"), ..Book::default() };
        let book = web::Data::from(Arc::new(Mutex::new(book)));
        let shared = book.clone();
        let routes = move || {
            App::new()
                .app_data(shared.clone())
                .route("/", web::get().to(|| async { page(LAMPS.to_owned()) }))
                .route("/checkout", web::get().to(checkout))
                .route("/framed", web::get().to(framed))
                .route("/card", web::get().to(|| async { page(CARD.to_owned()) }))
                .route("/gift", web::get().to(gift))
                .route("/order", web::post().to(order))
        };
        let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let host = server.addrs()[0].to_string();
        actix::spawn(server.run());
        Self { host, book }
    }

    /// Renames the last button.
    pub fn renames(&self, button: &str) {
        self.book.lock().unwrap().button = button.to_owned();
    }

    /// Sets whether the checkbox is initially ticked.
    pub fn ticked(&self, ticked: bool) {
        self.book.lock().unwrap().ticked = ticked;
    }

    /// Returns the names on gift cards, each with the host of its card.
    pub fn gifts(&self) -> Vec<String> {
        self.book.lock().unwrap().gifts.clone()
    }

    /// Returns the received orders, each with the name on its gift card.
    pub fn orders(&self) -> Vec<String> {
        self.book.lock().unwrap().orders.clone()
    }
}

fn page(html: String) -> HttpResponse {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html)
}

async fn checkout(request: HttpRequest, book: web::Data<Mutex<Book>>) -> HttpResponse {
    let lamp = request.query_string().strip_prefix("lamp=").unwrap_or_default().replace('+', " ");
    let book = book.lock().unwrap();
    let ticked = if book.ticked { "checked" } else { "" };
    page(CHECKOUT.replace("LAMP", &lamp).replace("BUTTON", &book.button).replace("TICKED", ticked))
}

async fn framed(request: HttpRequest) -> HttpResponse {
    let here = request.connection_info().host().to_owned();
    page(FRAMED.replace("OURS", &here).replace("OTHER", &here.replace("127.0.0.1", "localhost")))
}

/// The name on a gift card, which the page asks about as soon as it is typed.
#[derive(serde::Deserialize)]
struct GiftCard {
    name: String,
}

async fn gift(
    query: web::Query<GiftCard>,
    request: HttpRequest,
    book: web::Data<Mutex<Book>>,
) -> HttpResponse {
    let GiftCard { name } = query.into_inner();
    let host = request.connection_info().host().split(':').next().unwrap_or_default().to_owned();
    let mut book = book.lock().unwrap();
    book.gifts.push(format!("{host} {name}"));
    book.gift = name;
    HttpResponse::Ok().finish()
}

async fn order(form: String, book: web::Data<Mutex<Book>>) -> HttpResponse {
    let mut book = book.lock().unwrap();
    let gift = std::mem::take(&mut book.gift);
    book.orders.push(format!("{form} gift={gift}"));
    let number = book.orders.len();
    page(format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Ordered</title><h1>Thank you!</h1><p>Order no. {number}</p>"
    ))
}

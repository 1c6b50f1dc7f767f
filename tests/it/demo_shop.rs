//! The demo shop from outside: the whole way to an order, a place for each kind of effect, and what must
//! hold for safety.

mod checkout;
mod restart;
mod walk;

use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::{App, test};
use askfirst::demo::{self, Shop};
use serde_json::Value;
use std::collections::BTreeMap;

/// Response of the shop.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[track_caller]
    fn assert_contains(&self, text: &str) {
        assert!(self.body.contains(text), "{text:?} is missing in {} {}", self.status, self.body);
    }
}

/// A browser without pictures: keeps cookies. Its shop is its own, unless given one.
struct Shopper {
    shop: Shop,
    cookies: BTreeMap<String, String>,
    language: Option<&'static str>,
}

impl Default for Shopper {
    fn default() -> Self {
        Self { shop: Shop::default(), cookies: BTreeMap::new(), language: Some("uk") }
    }
}

impl Shopper {
    async fn send(&mut self, mut request: test::TestRequest) -> Answer {
        // The visitors are the shop's, so a new app for each request changes nothing.
        let app = App::new().configure(|cfg| demo::configure(cfg, &self.shop));
        let app = test::init_service(app).await;
        for (name, value) in &self.cookies {
            request = request.cookie(Cookie::new(name.clone(), value.clone()));
        }
        if let Some(language) = self.language {
            request = request.insert_header(("accept-language", language));
        }
        let response = test::call_service(&app, request.to_request()).await;
        for cookie in response.response().cookies() {
            self.cookies.insert(cookie.name().to_owned(), cookie.value().to_owned());
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = String::from_utf8_lossy(&test::read_body(response).await).into_owned();
        Answer { status, headers, body }
    }

    async fn open(&mut self, path: &str) -> Answer {
        self.send(test::TestRequest::get().uri(path)).await
    }

    async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(test::TestRequest::post().uri(path).set_form(fields)).await
    }

    /// Submits, and opens the page that the shop sends on to.
    async fn submit_on(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let answer = self.submit(path, fields).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
        let next = answer.header("location").to_owned();
        self.open(&next).await
    }

    async fn sign_in(&mut self) -> Answer {
        self.submit_on("/demo/login", &[("login", "olena"), ("password", "demo-pass-1")]).await
    }

    async fn state(&mut self) -> Value {
        serde_json::from_str(&self.open("/demo/api/state").await.body).expect("the state is JSON")
    }

    async fn orders(&mut self) -> Vec<Value> {
        let list: Value = serde_json::from_str(&self.open("/demo/api/orders").await.body).expect("JSON");
        list["items"].as_array().expect("a list").clone()
    }
}

const CARD: (&str, &str) = ("card_number", "5555 4444 3333 4242");

/// Values of a form's inputs as the page filled them in.
fn fields(form: &str) -> Vec<(String, String)> {
    let held = |tag: &str| {
        let kind = attribute(tag, "type")?;
        let unchecked = ["checkbox", "radio"].contains(&kind.as_str()) && !tag.contains(" checked");
        attribute(tag, "name").zip(attribute(tag, "value")).filter(|_| !unchecked)
    };
    form.split("<input ").skip(1).filter_map(|rest| held(rest.split('>').next()?)).collect()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = format!(" {tag}");
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(plain)
}

/// Text without the escapes that templates write.
fn plain(html: &str) -> String {
    html.replace("&#x2f;", "/").replace("&#x27;", "'").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The checkout form as the page filled it in, with the terms accepted.
fn filled(checkout: &str) -> Vec<(String, String)> {
    let mut fields = fields(checkout);
    fields.push(("terms".into(), "yes".into()));
    fields
}

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[actix_web::test]
async fn a_form_sent_twice_is_two_orders() {
    let mut shopper = Shopper::default();
    shopper.sign_in().await;
    shopper.submit("/demo/cart/add", &[("product", "kulia"), ("quantity", "2"), ("cord", "mint")]).await;
    let form = filled(&shopper.open("/demo/checkout").await.body);
    shopper.submit("/demo/checkout", &borrowed(&form)).await;
    shopper.submit("/demo/checkout", &borrowed(&form)).await;
    let orders = shopper.orders().await;
    assert_eq!(orders.len(), 2);
    assert_eq!((&orders[0]["number"], &orders[1]["number"]), (&1.into(), &2.into()));
    assert_eq!(orders[0]["lines"], orders[1]["lines"]);
    shopper.open("/demo/orders").await.assert_contains("Замовлення № 2");
    let invoice = shopper.open("/demo/orders/2/invoice").await;
    assert!(invoice.header("content-disposition").starts_with("attachment"));
    invoice.assert_contains("Світильник Куля × 2");
}

#[actix_web::test]
async fn a_price_changed_from_outside_shows_in_page_and_order() {
    let mut shopper = Shopper::default();
    let mut outside = Shopper { shop: shopper.shop.clone(), ..Shopper::default() };
    shopper.open("/demo/lab/price?visitor=price-test").await.assert_contains("1\u{a0}290\u{a0}₴");
    let change = [("price", "5000"), ("button", "Купити дорого")];
    outside.submit("/demo/lab/price?visitor=price-test", &change).await.assert_contains("\"price\":5000");
    shopper.open("/demo/lab/price/now").await.assert_contains("Купити дорого");
    shopper.submit("/demo/lab/buy", &[("shown_total", "1290"), CARD]).await;
    let orders = shopper.orders().await;
    assert_eq!((&orders[0]["shown_total"], &orders[0]["bill"]["total"]), (&1290.into(), &5000.into()));
    outside.open("/demo/api/orders?visitor=price-test").await.assert_contains("\"shown_total\":1290");
    outside.submit("/demo/lab/price?visitor=price-test", &[("gone", "true")]).await;
    assert!(!shopper.open("/demo/lab/price").await.body.contains("id=\"buy\""));
    assert_eq!(shopper.open("/demo/lab/price?visitor=another").await.status, StatusCode::OK);
}

#[actix_web::test]
async fn the_cart_counts_wraps_and_discounts() {
    let mut shopper = Shopper::default();
    shopper.submit("/demo/cart/add", &[("product", "zoria"), ("quantity", "x")]).await;
    shopper.submit("/demo/cart/add", &[("product", "step"), ("cord", "linen")]).await;
    shopper
        .submit_on("/demo/cart/quantity", &[("line", "zoria-amber"), ("quantity", "3")])
        .await
        .assert_contains("value=\"3\"");
    shopper.submit("/demo/cart/remove", &[("line", "step-linen")]).await;
    let options = [("gift_wrap", "yes"), ("coupon", "svitlo10")];
    shopper.submit_on("/demo/cart/options", &options).await.assert_contains("−387");
    assert_eq!(shopper.state().await["total"], 3 * 1290 - 387 + 90);
    let wrong = shopper.submit("/demo/cart/options", &[("coupon", "FREE")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("Такого промокоду немає.");
    assert_eq!(shopper.state().await["cart"]["coupon"], false);
    assert_eq!(shopper.submit("/demo/cart/add", &[("product", "no")]).await.status, StatusCode::NOT_FOUND);
}

#[actix_web::test]
async fn search_filter_and_sort_by_address() {
    let mut shopper = Shopper::default();
    let found = shopper.open("/demo/?q=%D0%B7%D0%BE%D1%80%D1%8F").await;
    assert_eq!(found.body.matches("<article").count(), 1);
    let sorted = shopper.open("/demo/?kind=outdoor&sort=cheap&lang=en").await;
    assert!(sorted.body.find("Rosa string lights") < sorted.body.find("Mandry lantern"));
    sorted.assert_contains("?kind=outdoor&amp;sort=cheap&amp;lang=uk\"");
    shopper.open("/demo/?q=nothing").await.assert_contains("Nothing found.");
}

#[actix_web::test]
async fn the_language_is_chosen_and_kept() {
    for (language, greeting) in
        [(None, "Warm"), (Some("uk"), "Тепле"), (Some("ru-RU,uk;q=0.5"), "Тепле"), (Some("de"), "Warm")]
    {
        let mut shopper = Shopper { language, ..Shopper::default() };
        shopper.open("/demo/").await.assert_contains(greeting);
    }
    let mut shopper = Shopper { language: Some("de"), ..Shopper::default() };
    shopper.open("/demo/?lang=uk").await.assert_contains("<html lang=\"uk\">");
    shopper.open("/demo/cart").await.assert_contains("Кошик порожній.");
}

#[actix_web::test]
async fn account_from_sign_in_to_deletion() {
    let mut shopper = Shopper::default();
    assert_eq!(shopper.open("/demo/account").await.header("location"), "/demo/login");
    let wrong = shopper.submit("/demo/login", &[("login", "olena"), ("password", "x")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("Неправильний логін або пароль.");
    shopper.sign_in().await.assert_contains("Вітаємо, Олена Світла!");
    shopper
        .submit_on("/demo/account/email", &[("email", "new@svitlo.example")])
        .await
        .assert_contains("new@svitlo.example");
    shopper.submit("/demo/account/email", &[("email", "no")]).await.assert_contains("Не схоже на e-mail.");
    let passwords = [("old_password", "demo-pass-1"), ("new_password", "another-1")];
    shopper.submit_on("/demo/account/password", &passwords).await.assert_contains("Пароль змінено.");
    shopper.submit("/demo/account/password", &passwords).await.assert_contains("Неправильний пароль.");
    let share = [("email", "friend@svitlo.example"), ("role", "all")];
    shopper.submit_on("/demo/settings/share", &share).await.assert_contains("Усе, також видаляти");
    assert_eq!(shopper.state().await["account"]["shares"][0]["role"], "all");
    shopper.submit("/demo/settings/unshare", &share[..1]).await;
    assert_eq!(shopper.state().await["account"]["shares"], serde_json::json!([]));
    shopper.open("/demo/account/delete").await.assert_contains("Так, видалити назавжди");
    assert_eq!(shopper.state().await["account"]["login"], "olena", "asking deletes nothing");
    shopper.submit_on("/demo/account/delete", &[]).await.assert_contains("Обліковий запис видалено.");
    assert_eq!(shopper.state().await["account"], Value::Null);
    shopper.open("/demo/login").await.assert_contains("Почати спочатку");
    shopper.submit("/demo/reset", &[]).await;
    shopper.sign_in().await.assert_contains("Вітаємо");
}

#[actix_web::test]
async fn registering_and_going_on_to_the_checkout() {
    let mut shopper = Shopper { language: Some("en"), ..Shopper::default() };
    let form = [("name", "Ann"), ("email", "a@b.example"), ("login", "ann"), ("password", "long-enough")];
    shopper.submit_on("/demo/register", &form).await.assert_contains("Welcome, Ann!");
    shopper.submit("/demo/register", &form).await.assert_contains("This login is taken.");
    shopper.submit("/demo/register", &form[..3]).await.assert_contains("At least 8 characters.");
    shopper.submit("/demo/logout", &[]).await;
    let back = [("login", "ann"), ("password", "long-enough"), ("next", "checkout")];
    assert_eq!(shopper.submit("/demo/login", &back).await.header("location"), "/demo/checkout");
    let away = [("login", "ann"), ("password", "long-enough"), ("next", "//evil.test/")];
    assert_eq!(shopper.submit("/demo/login", &away).await.header("location"), "/demo/");
    assert!(!shopper.open("/demo/api/state").await.body.contains("long-enough"));
}

#[actix_web::test]
async fn messages_letters_reviews_and_delivery_times() {
    let mut shopper = Shopper::default();
    let message = [("email", "a@b.example"), ("topic", "repair"), ("text", "Не світить")];
    shopper.submit_on("/demo/contact", &message).await.assert_contains("Повідомлення надіслано.");
    shopper.submit("/demo/contact", &message[..2]).await.assert_contains("Заповніть це поле.");
    shopper.submit("/demo/newsletter", &[("newsletter_email", "a@b.example")]).await;
    shopper
        .submit_on("/demo/newsletter", &[("newsletter_email", "no")])
        .await
        .assert_contains("Підписку не оформлено");
    let review = [("author", "Я"), ("stars", "4"), ("text", "Світить")];
    shopper.submit_on("/demo/product/rosa/review", &review).await.assert_contains("<p>Світить</p>");
    shopper.submit_on("/demo/delivery-slot", &[("slot", "evening")]).await.assert_contains("Обрано: Вечір");
    let state = shopper.state().await;
    assert_eq!(state["messages"][0]["topic"], "repair");
    assert_eq!(state["newsletter"], serde_json::json!(["a@b.example"]));
    assert_eq!((&state["reviews"][0]["stars"], &state["slot"]), (&4.into(), &"evening".into()));
}

fn multipart(file: &[u8]) -> test::TestRequest {
    let mut body = Vec::new();
    for (name, value) in [("order", "7"), ("reason", "Розбилася")] {
        body.extend(
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
        );
    }
    body.extend(
        b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"C:\\\\a\\\\b/lamp.png\"\r\n\r\n",
    );
    body.extend(file);
    body.extend(b"\r\n--b--\r\n");
    let request = test::TestRequest::post().uri("/demo/returns").set_payload(body);
    request.insert_header(("content-type", "multipart/form-data; boundary=b"))
}

#[actix_web::test]
async fn a_return_takes_a_file_up_to_its_limit() {
    let mut shopper = Shopper::default();
    let sent = shopper.send(multipart(&[7; 1000])).await;
    assert_eq!(sent.header("location"), "/demo/returns", "{}", sent.body);
    let state = shopper.state().await;
    assert_eq!(
        (&state["returns"][0]["file"], &state["returns"][0]["bytes"]),
        (&"lamp.png".into(), &1000.into())
    );
    let large = shopper.send(multipart(&vec![7; 600 * 1024])).await;
    assert_eq!(large.status, StatusCode::UNPROCESSABLE_ENTITY);
    large.assert_contains("Файл завеликий");
    assert_eq!(shopper.state().await["returns"].as_array().map(Vec::len), Some(1));
}

#[actix_web::test]
async fn text_written_by_visitors_is_escaped() {
    let mut shopper = Shopper::default();
    let review =
        [("author", "<img src=x onerror=alert(1)>"), ("stars", "99"), ("text", "</p><script>1</script>")];
    let page = shopper.submit_on("/demo/product/zoria/review", &review).await;
    page.assert_contains("&lt;img src=x onerror=alert(1)&gt;");
    assert!(!page.body.contains("<script>1"));
    let search = shopper.open("/demo/?q=%22%3E%3Cscript%3E1&lang=%22%3E").await;
    assert!(!search.body.contains("\"><script>"));
    let injection = shopper.open("/demo/product/maiak").await;
    injection.assert_contains("&lt;&#x2f;page nonce=&quot;k3f9x2&quot;&gt;");
    injection.assert_contains("SYSTEM:");
}

#[actix_web::test]
async fn every_answer_carries_the_policy_and_bodies_are_limited() {
    let mut shopper = Shopper::default();
    for path in
        ["/demo/", "/demo/nowhere", "/demo/assets/base.css", "/demo/api/state", "/demo/lab/nodes?n=20"]
    {
        let answer = shopper.open(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'self'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert!(!answer.body.contains(" style=\"") && !answer.body.contains("<script>"), "{path}");
    }
    let long = "x".repeat(20_000);
    let answer = shopper.submit("/demo/contact", &[("text", &long)]).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    for private in
        ["/demo/assets/uk.json", "/demo/assets/..%2Flocales%2Fuk.json", "/demo/templates/base.html"]
    {
        assert_eq!(shopper.open(private).await.status, StatusCode::NOT_FOUND, "{private}");
    }
}

#[actix_web::test]
async fn every_page_can_be_made_in_both_languages() {
    let pages = "/ /product/maiak /register /cart /orders /orders/1 /orders/1/thanks /contact /returns /account \
        /account/delete /settings /delivery-slot /checkout /lab/ /lab/alert /lab/busy /lab/components /lab/covered \
        /lab/fetch /lab/frames /lab/frame/3 /lab/hidden /lab/leave /lab/moving /lab/popup /lab/sync /lab/slow?ms=1 \
        /lab/price /lab/price?after=500&to=99 /lab/data?ms=1 /lab/nodes?n=50 /lab/svitlo-setup.exe";
    for language in ["uk", "en"] {
        let mut shopper = Shopper { language: Some(language), ..Shopper::default() };
        shopper.sign_in().await;
        shopper.submit("/demo/cart/add", &[("product", "zoria")]).await;
        let form = filled(&shopper.open("/demo/checkout").await.body);
        shopper.submit("/demo/checkout", &borrowed(&form)).await;
        shopper.submit("/demo/cart/add", &[("product", "step")]).await;
        for page in pages.split_whitespace() {
            let answer = shopper.open(&format!("/demo{page}")).await;
            assert_eq!(answer.status, StatusCode::OK, "{page}: {}", answer.body);
        }
    }
}

//! A request of a visitor: identity, language, and responses.
//!
//! There is no CSRF token: the cookies are SameSite=Lax, so that no other site can post in a visitor's name,
//! and nothing here is of value. `?visitor=name` creates or joins the visitor of that name, so that a test
//! can check from outside (`/demo/api/state?visitor=name`) what an agent did.

use crate::demo::locale::Lang;
use crate::demo::path_prefix::PathPrefix;
use crate::demo::templates;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::Visitors;
use crate::demo::visitors::visitor::Visitor;
use crate::ids;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_LANGUAGE, LOCATION};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, dev, web};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::{Ready, ready};

const VISITOR_COOKIE: &str = "svitlo_visitor";
const LANG_COOKIE: &str = "svitlo_lang";

pub struct Visit {
    visitors: web::Data<Visitors>,
    id: String,
    pub lang: Lang,
    path: String,
    /// Path prefix of the service that the visitor used.
    below: String,
    query: Vec<(String, String)>,
    /// True if the request's cookie has this id. Otherwise the response sets it.
    known_by_cookie: bool,
}

impl FromRequest for Visit {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let cookie = |name| request.cookie(name).map(|cookie| cookie.value().to_owned());
        let query: Vec<(String, String)> =
            url::form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect();
        let query_value = |name| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let (asked_id, cookie_id) = (
            query_value("visitor").filter(|id| good_id(id)),
            cookie(VISITOR_COOKIE).filter(|id| good_id(id)),
        );
        let id = asked_id.or_else(|| cookie_id.clone()).unwrap_or_else(ids::token);
        let accept = request.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let lang = Lang::choose(query_value("lang").as_deref(), cookie(LANG_COOKIE).as_deref(), accept);
        let visitors = match request.app_data::<web::Data<Visitors>>() {
            Some(visitors) => visitors.clone(),
            None => web::Data::new(Visitors::default()),
        };
        ready(Ok(Self {
            visitors,
            known_by_cookie: cookie_id.as_ref() == Some(&id),
            id,
            lang,
            path: request.path().to_owned(),
            below: request
                .extensions()
                .get::<PathPrefix>()
                .map(|PathPrefix(path)| path.clone())
                .unwrap_or_default(),
            query,
        }))
    }
}

/// Accepts only short, plain ids, because they come from cookies and URLs.
fn good_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Visit {
    /// Reads the visitor. An unknown one reads as new; only a change creates a visitor.
    pub fn read<T>(&self, read: impl FnOnce(&Visitor) -> T) -> T {
        self.visitors.read(&self.id, read)
    }

    pub fn change<T>(&self, work: impl FnOnce(&mut Visitor) -> T) -> T {
        self.visitors.change(&self.id, work)
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn text(&self, path: &str) -> String {
        self.lang.text(path)
    }

    pub fn options(&self, group: &str, keys: &[&'static str]) -> Value {
        json!(self.lang.options(group, keys))
    }

    pub fn query_param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn page(&self, template: &str, context: Value) -> HttpResponse {
        self.answer(StatusCode::OK, template, context)
    }

    /// Renders the form again, with its errors.
    pub fn refuse(&self, template: &str, context: Value) -> HttpResponse {
        self.answer(StatusCode::UNPROCESSABLE_ENTITY, template, context)
    }

    pub fn missing(&self) -> HttpResponse {
        self.answer(StatusCode::NOT_FOUND, "missing.html", json!({}))
    }

    /// Redirects to another page of the shop. `to` is always made by the shop, never taken from a request.
    pub fn go(&self, to: &str) -> HttpResponse {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((LOCATION, to));
        self.with_cookies(response.finish())
    }

    /// Redirects to another page, which shows `text` once.
    pub fn redirect_with_message(&self, to: &str, text: String) -> HttpResponse {
        self.visitors.say(&self.id, text);
        self.go(to)
    }

    fn answer(&self, status: StatusCode, template: &str, context: Value) -> HttpResponse {
        let (signed_in, in_cart) = self.read(|visitor| (visitor.account().is_some(), visitor.cart.count()));
        let flash = self.visitors.take_message(&self.id);
        let other_lang_url = self.other_lang_url();
        let empty = json!({});
        let frame = json!({ "path": self.path, "signed_in": signed_in, "in_cart": in_cart, "flash": flash, "other_lang_url": other_lang_url, "errors": empty, "form": empty });
        match templates::render(
            self.lang,
            template,
            &merge_objects(context, frame),
            &format!("{}/demo", self.below),
        ) {
            Ok(html) => self.with_cookies(
                HttpResponse::build(status).content_type("text/html; charset=utf-8").body(html),
            ),
            Err(error) => {
                tracing::error!(%template, error = %format!("{error:#}"), "page of the shop cannot be made");
                HttpResponse::InternalServerError().body("this page of the shop is broken")
            }
        }
    }

    /// Returns the same URL in the other language. For a refused form, this is the URL of its page.
    fn other_lang_url(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.query.iter().filter(|(key, _)| key != "lang"));
        query.append_pair("lang", self.lang.other().code());
        format!("{}{}?{}", self.below, self.path, query.finish())
    }

    fn with_cookies(&self, mut response: HttpResponse) -> HttpResponse {
        let mut cookies = Vec::new();
        if !self.known_by_cookie {
            cookies.push((VISITOR_COOKIE, self.id.clone()));
        }
        if self.query_param("lang").and_then(Lang::parse).is_some() {
            cookies.push((LANG_COOKIE, self.lang.code().to_owned()));
        }
        for (name, value) in cookies {
            let cookie = Cookie::build(name, value)
                .path(format!("{}/demo", self.below))
                .http_only(true)
                .same_site(SameSite::Lax)
                .max_age(Duration::days(7))
                .finish();
            if let Err(error) = response.add_cookie(&cookie) {
                tracing::warn!(%name, %error, "cookie of the shop left out");
            }
        }
        response
    }
}

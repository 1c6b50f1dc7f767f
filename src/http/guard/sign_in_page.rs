//! The sign-in page. It works without scripts, and in the language that the browser prefers.

use crate::config::proxies::BasePath;
use crate::http::embedded::PageFiles;
use crate::http::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap};
use actix_web::{HttpResponse, ResponseError};
use minijinja::Environment;
use serde_json::{Value, json};

/// Files of the page, which are served without a token.
pub const FILES: [&str; 6] = [
    "/static/icon.svg",
    "/static/shared/ui/theme.js",
    "/static/sign_in/sign_in.js",
    "/static/shared/ui/tokens.css",
    "/static/shared/ui/base.css",
    "/static/sign_in/sign_in.css",
];

const TEMPLATE: &str = include_str!("sign_in.html");

/// Message above the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    None,
    WrongToken,
    TooManyTries { wait_s: u64 },
}

/// True if the client is a browser that expects a page.
pub fn is_wanted(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .filter_map(|value| value.to_str().ok())
        .any(|kinds| kinds.contains("text/html"))
}

/// Builds the response. `next` is the address to open after signing in, as the browser requests it.
pub fn answer(headers: &HeaderMap, base: &BasePath, next: &str, notice: Notice) -> HttpResponse {
    let (status, wait_s) = match notice {
        Notice::None | Notice::WrongToken => (StatusCode::UNAUTHORIZED, None),
        Notice::TooManyTries { wait_s } => (StatusCode::TOO_MANY_REQUESTS, Some(wait_s)),
    };
    let html = match render(language(headers), base, next, notice) {
        Ok(html) => html,
        Err(fault) => return Problem::internal(&fault).error_response(),
    };
    let mut answer = HttpResponse::build(status);
    if let Some(seconds) = wait_s {
        answer.insert_header((header::RETRY_AFTER, seconds.to_string()));
    }
    answer
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::VARY, "Accept, Accept-Language, Cookie"))
        .content_type("text/html; charset=utf-8")
        .body(html)
}

fn render(language: &str, base: &BasePath, next: &str, notice: Notice) -> Result<String, minijinja::Error> {
    let text = PageFiles::text(&format!("locales/{language}.json")).unwrap_or_default();
    let texts: Value = serde_json::from_str(&text).unwrap_or_default();
    let say = |key: &str| texts[key].as_str().unwrap_or(key).to_owned();
    let notice = match notice {
        Notice::None => None,
        Notice::WrongToken => Some(say("signin.wrong")),
        Notice::TooManyTries { wait_s } => Some(say("signin.wait").replace("{n}", &wait_s.to_string())),
    };
    let mut templates = Environment::new();
    templates.add_template("sign_in.html", TEMPLATE)?;
    let context =
        json!({"lang": language, "base": base.as_str(), "t": texts, "next": next, "notice": notice});
    templates.get_template("sign_in.html")?.render(minijinja::value::Serde(&context))
}

/// Returns the language as the UI chooses it: Ukrainian for Ukrainian and Russian browsers.
fn language(headers: &HeaderMap) -> &'static str {
    let wanted =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = wanted.split([',', ';', '-']).next().unwrap_or_default().trim();
    if first.eq_ignore_ascii_case("uk") || first.eq_ignore_ascii_case("ru") { "uk" } else { "en" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    #[test]
    fn the_sign_in_page_uses_the_first_language_of_the_browser() {
        for (wanted, spoken) in
            [("uk-UA,uk;q=0.9,en;q=0.8", "uk"), ("ru", "uk"), ("en-GB,uk", "en"), ("de", "en"), ("", "en")]
        {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(wanted));
            assert_eq!(language(&headers), spoken, "{wanted}");
        }
    }

    #[test]
    fn the_return_address_is_escaped_in_the_sign_in_page() {
        let base = BasePath::read("/a").unwrap();
        let html = render("en", &base, "/a/\"><script>", Notice::TooManyTries { wait_s: 7 }).unwrap();
        assert!(html.contains("&quot;&gt;&lt;script&gt;") && !html.contains("\"><script>"), "{html}");
        assert!(
            html.contains("action=\"/a/sign-in\"") && html.contains("7") && html.contains("role=\"alert\"")
        );
        for language in ["uk", "en"] {
            let html = render(language, &BasePath::default(), "/", Notice::None).unwrap();
            assert!(!html.contains("signin.") || !html.contains(">signin."), "a text is missing: {html}");
            assert!(!html.contains("role=\"alert\""));
        }
    }
}

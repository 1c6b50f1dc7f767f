//! Language of a request, from its `Accept-Language` header.

use crate::protocol::Locale;
use actix_web::dev::Payload;
use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};
use actix_web::{FromRequest, HttpRequest};
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::future::{Ready, ready};

/// The language; `None` if the request names neither of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderLocale(pub Option<Locale>);

impl ReaderLocale {
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        Self(header.and_then(Locale::from_accept_language))
    }

    /// Sets the language of a new run, unless its input names one or its text shows one.
    pub fn speaks(self, input: &mut Map<String, Value>) {
        if let (Some(locale), None) = (self.0, Locale::from_input(input)) {
            input.insert(String::from("locale"), json!(locale));
        }
    }

    /// Returns the language for texts about a run: the run's own if it has one, else that of the request.
    pub fn choose_for_run(self, input: &Map<String, Value>) -> Locale {
        Locale::from_input(input).or(self.0).unwrap_or_default()
    }
}

impl FromRequest for ReaderLocale {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::from_headers(request.headers())))
    }
}

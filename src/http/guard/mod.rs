//! Who may talk to the service: one middleware around every route. It looks at Host (DNS rebinding),
//! Origin and Sec-Fetch-Site (other sites' pages), rate, token and body size, in this order, and puts
//! the security headers on every answer. It decides by a request's head only.

mod hosts;
mod limits;
mod rate;

pub use limits::{BODY_BYTES, limits};

use crate::clock::Stopwatch;
use crate::config::{Secret, Server};
use crate::http::problem::Problem;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, ResponseError, web};
use hosts::Hosts;
use rate::{Buckets, Lane};
use sha2::{Digest, Sha256};
use std::sync::{Mutex, PoisonError};

/// The cookie that holds the token once a browser has shown it.
pub const COOKIE: &str = "askfirst_token";

/// What a page of ours may load and do: nothing inline, nothing from elsewhere, in nobody's frame.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What the middleware knows; one for all workers.
pub struct Guard {
    hosts: Hosts,
    token: Option<Secret>,
    /// Private to this file and held for a few instructions, never across a wait.
    buckets: Mutex<Buckets>,
    started: Stopwatch,
}

impl Guard {
    /// `port` is the one really bound, which differs from the setting where that is 0.
    pub fn new(server: &Server, port: u16) -> Self {
        let hosts = Hosts::new(server, port);
        let token = match &server.token {
            Some(token) => Some(token.clone()),
            None if hosts.beyond_this_machine() => Some(Secret::new(crate::ids::token())),
            None => None,
        };
        Self { hosts, token, buckets: Mutex::default(), started: Stopwatch::start() }
    }

    /// Whether callers must show a token.
    pub fn token_required(&self) -> bool {
        self.token.is_some()
    }

    /// The token that callers must show, for who may tell it to them.
    pub fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }

    /// The address to open in a browser, with the token where one is required; to be printed once.
    pub fn address(&self) -> String {
        match &self.token {
            Some(token) => {
                let pairs = [("token", token.expose())];
                format!("{}/?{}", self.hosts.base(), url_pairs(&pairs))
            }
            None => self.hosts.base(),
        }
    }

    /// Where the service is reached, as `http://127.0.0.1:8787`.
    pub fn base(&self) -> String {
        self.hosts.base()
    }

    /// Everything that may be refused by the request's head alone.
    fn judge(&self, request: &ServiceRequest) -> Result<(), Problem> {
        self.check_host(request)?;
        let changes = is_change(request);
        if changes {
            check_origin(request)?;
        }
        let known = self.knows(request);
        if changes || !known {
            self.check_rate(request, known)?;
        }
        if !known {
            let detail = "a token is required: open the address that was printed at the start, or send \
                it as `Authorization: Bearer`";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail));
        }
        limits::check_length(request.path(), request.headers())
    }

    fn check_host(&self, request: &ServiceRequest) -> Result<(), Problem> {
        let mut names = request.headers().get_all(header::HOST);
        let host = names.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
        let one = names.next().is_none();
        // An absolute request line names a host as well, and wins over the header in some servers.
        let same = request.uri().authority().is_none_or(|line| line.as_str().eq_ignore_ascii_case(host));
        if one && same && self.hosts.allows(host) {
            return Ok(());
        }
        let detail = format!(
            "this service does not answer to the name \"{host}\"; open {} or add the name to server.allowed_hosts",
            self.hosts.base()
        );
        Err(Problem::forbidden("bad_host", detail))
    }

    /// Who has not shown a token takes nothing from what is kept for the person.
    fn check_rate(&self, request: &ServiceRequest, known: bool) -> Result<(), Problem> {
        let peer = request.peer_addr().map(|address| address.ip());
        let reserve = Lane::reserve(request.path(), is_upgrade(request.headers())).filter(|_| known);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take(peer, reserve, self.started.seconds()).map_err(|wait_s| {
            let detail = "too many requests from this address; try again in a moment";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(wait_s)
        })
    }

    /// Whether the request may pass without a token or bears the right one.
    fn knows(&self, request: &ServiceRequest) -> bool {
        let Some(token) = &self.token else { return true };
        if is_open(request.path()) {
            return true;
        }
        let bearer = text(request.headers(), header::AUTHORIZATION).and_then(bearer);
        let cookie = request.cookie(COOKIE);
        let shown = [bearer, cookie.as_ref().map(Cookie::value)];
        shown.into_iter().flatten().any(|word| same(word, token.expose())) || self.login(request).is_some()
    }

    /// The answer to `/?token=…`: the token goes into a cookie and out of the address.
    fn login(&self, request: &ServiceRequest) -> Option<HttpResponse> {
        let token = self.token.as_ref()?;
        if request.method() != Method::GET || is_upgrade(request.headers()) {
            return None;
        }
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect();
        pairs.iter().find(|(name, value)| name == "token" && same(value, token.expose()))?;
        let rest: Vec<_> = pairs.iter().filter(|(name, _)| name != "token").collect();
        let path = request.path().trim_start_matches('/');
        let mut target = format!("/{path}");
        if !rest.is_empty() {
            target = format!(
                "{target}?{}",
                url_pairs(&rest.iter().map(|(n, v)| (&**n, &**v)).collect::<Vec<_>>())
            );
        }
        let cookie = Cookie::build(COOKIE, token.expose().to_owned())
            .path("/")
            .http_only(true)
            .same_site(SameSite::Strict)
            .finish();
        Some(HttpResponse::SeeOther().insert_header((header::LOCATION, target)).cookie(cookie).finish())
    }
}

/// The middleware: `App::new().app_data(guard).wrap(from_fn(guard::watch))`.
pub async fn watch(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let path = request.path().to_owned();
    let early = match request.app_data::<web::Data<Guard>>() {
        Some(guard) => match guard.judge(&request) {
            Err(problem) => {
                tracing::warn!(code = %problem.code, path = %path, "request refused");
                Some(problem.answer_at(&path))
            }
            Ok(()) => guard.login(&request),
        },
        None => Some(Problem::internal(&"the guard was not given to the app").error_response()),
    };
    let mut response = match early {
        Some(answer) => request.into_response(answer),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    harden(&path, response.headers_mut());
    Ok(response)
}

/// Other sites' pages may read nothing here, but they may send; so whatever changes something must
/// come from our own page, or from no page at all.
fn check_origin(request: &ServiceRequest) -> Result<(), Problem> {
    let headers = request.headers();
    let host = text(headers, header::HOST).unwrap_or_default();
    let ours = |origin: &str| {
        let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        name.is_some_and(|name| name.eq_ignore_ascii_case(host))
    };
    let origin_fits = headers.get_all(header::ORIGIN).all(|value| value.to_str().is_ok_and(ours));
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    if origin_fits && !matches!(site, Some("cross-site" | "same-site")) {
        return Ok(());
    }
    Err(Problem::forbidden("bad_origin", "pages of other origins may not send requests to this service"))
}

fn is_change(request: &ServiceRequest) -> bool {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS];
    !reads.contains(request.method()) || is_upgrade(request.headers())
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
}

/// What answers without a token: life signs, and the demo shop, which the agent's own Chromium opens
/// and which knows nothing of the service.
fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz") || is_demo(path)
}

fn is_demo(path: &str) -> bool {
    path == "/demo" || path.starts_with("/demo/")
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether an `Authorization` shows that token.
pub fn bears(shown: &str, token: &Secret) -> bool {
    bearer(shown).is_some_and(|word| same(word, token.expose()))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, word) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| word.trim())
}

fn url_pairs(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Compares in a time that depends on neither word: hashes have one length, and all bytes are read.
fn same(shown: &str, token: &str) -> bool {
    let (shown, token) = (Sha256::digest(shown.as_bytes()), Sha256::digest(token.as_bytes()));
    shown.iter().zip(token.iter()).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Puts the security headers on an answer; a handler's own policy stays.
fn harden(path: &str, headers: &mut HeaderMap) {
    let mut put = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Not `no-referrer`: with it a form's own POST would bear `Origin: null`.
    put(header::REFERRER_POLICY, "same-origin");
    if is_demo(path) {
        return;
    }
    put(header::CONTENT_SECURITY_POLICY, POLICY);
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if path.starts_with("/api/") || path.starts_with("/v1/") {
        put(header::CACHE_CONTROL, "no-store");
    }
}

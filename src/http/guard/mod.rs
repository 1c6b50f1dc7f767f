//! Access control: one middleware around every route. It checks `Host` (DNS rebinding), `Origin` and
//! `Sec-Fetch-Site` (pages of other sites), rate, token or cookie, CSRF token and body size, in this order,
//! and adds the security headers to every response. It decides by the head of a request only. The base path
//! is removed before the routes see it, and added to the addresses in responses.

pub(crate) mod credential;
pub(crate) mod forwarded_headers;
pub(crate) mod host_names;
pub(crate) mod rate_limit;
pub(crate) mod request_url;
pub mod size_limits;
pub(crate) mod token_guesses;
pub(crate) mod refusal_log;
pub(crate) mod sign_in_page;
pub(crate) mod sign_ins;

use crate::clock::Stopwatch;
use crate::config::Server;
use crate::config::proxies::{BasePath, Network};
use crate::config::secret::Secret;
use crate::demo::path_prefix::PathPrefix;
use crate::http::guard::credential::Credential;
use crate::http::guard::forwarded_headers::Arrival;
use crate::http::guard::host_names::HostNames;
use crate::http::guard::rate_limit::{Buckets, RateClass};
use crate::http::guard::refusal_log::RefusalLog;
use crate::http::guard::request_url::{prefix_location, query_pairs, take_base_path, url_pairs};
use crate::http::guard::sign_in_page::Notice;
use crate::http::guard::sign_ins::SignIns;
use crate::http::guard::token_guesses::{Guesses, guessed_too_much};
use crate::http::problem::Problem;
use crate::ids;
use crate::session::relay;
use crate::store::Store;
use crate::store::error::StoreError;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::dev::{RequestHead, ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpResponse, ResponseError, web};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of the session cookie of a browser that has signed in.
const COOKIE: &str = "askfirst_session";

/// Header with the CSRF token, which the UI sends in addition to the cookie.
const CSRF: &str = "x-askfirst-csrf";

/// Content security policy of the UI: no inline code, no foreign resources, no framing.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// State of the middleware, shared by all workers.
pub struct Guard {
    hosts: HostNames,
    base_path: BasePath,
    trusted: Vec<Network>,
    token: Option<Secret>,
    /// True if the settings have no token: it was generated at this start and may be printed.
    token_is_made: bool,
    sign_ins: SignIns,
    /// Private to this file and locked for a few instructions, never across an await; the same holds for
    /// `token_guesses`.
    buckets: Mutex<Buckets>,
    guesses: Mutex<Guesses>,
    refusals: RefusalLog,
    started: Stopwatch,
}

/// The decision on a request before a route sees it.
enum GuardDecision {
    Pass(Credential),
    /// The address shows the token: a cookie takes its place.
    SignIn {
        next: String,
    },
    /// Redirect to the base path with its final slash.
    Within,
}

impl Guard {
    /// Creates a guard. `port` is the bound port, which differs from the setting if that is 0.
    pub fn new(server: &Server, port: u16) -> Self {
        let hosts = HostNames::new(server, port);
        let token = match &server.token {
            Some(token) => Some(token.clone()),
            None if hosts.beyond_this_machine() => Some(Secret::new(ids::token())),
            None => None,
        };
        Self {
            hosts,
            base_path: server.base_path.clone(),
            trusted: server.trusted_proxies.clone(),
            token,
            token_is_made: server.token.is_none(),
            sign_ins: SignIns::new(server.token.as_ref().map(Secret::expose)),
            buckets: Mutex::default(),
            guesses: Mutex::default(),
            refusals: RefusalLog::default(),
            started: Stopwatch::start(),
        }
    }

    /// Stores sign-ins, so that browsers stay signed in over a restart.
    pub async fn keep_sign_ins(&mut self, store: Arc<dyn Store>) -> Result<(), StoreError> {
        self.sign_ins.keep_in(store).await
    }

    /// True if requests must show a token.
    pub fn token_required(&self) -> bool {
        self.token.is_some()
    }

    /// Returns the token that requests must show.
    pub fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }

    /// Returns the token if it was generated at this start, so that printing it is the only way to get it.
    pub fn printable_token(&self) -> Option<&Secret> {
        self.token.as_ref().filter(|_| self.token_is_made)
    }

    /// Returns the address to open in a browser, with the token if it was generated; to be printed once.
    pub fn address(&self) -> String {
        match self.printable_token() {
            Some(token) => format!("{}/?{}", self.base(), url_pairs(&[("token", token.expose())])),
            None if self.base_path.is_root() => self.base(),
            None => format!("{}/", self.base()),
        }
    }

    /// Returns the address of the service on this machine, such as `http://127.0.0.1:8787/askfirst`.
    pub fn base(&self) -> String {
        format!("{}{}", self.hosts.base(), self.base_path.as_str())
    }

    /// Returns the origin under which the browsers of the service reach it, such as `http://127.0.0.1:8787`.
    /// The demo shop is there, whatever names and paths people use.
    pub fn own_origin(&self) -> String {
        self.hosts.base()
    }

    /// Judges a token. Returns the seconds to wait if this client has guessed too often.
    pub fn judge_token(&self, arrival: &Arrival, shown: &str) -> Result<bool, u64> {
        let Some(token) = &self.token else { return Ok(true) };
        let right = constant_time_eq(shown, token.expose());
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.judge(arrival.client, shown, right, self.started.seconds())
    }

    /// Signs a browser in and redirects it.
    pub async fn sign_in(&self, arrival: &Arrival, next: &str) -> HttpResponse {
        let value = self.sign_ins.begin().await;
        let mut cookie = self.cookie(arrival, value);
        cookie.set_max_age(time::Duration::seconds(sign_ins::SIGN_IN_LIFETIME_S.cast_signed()));
        HttpResponse::SeeOther().insert_header((header::LOCATION, next.to_owned())).cookie(cookie).finish()
    }

    /// Signs a browser out, for whoever has its cookie.
    pub async fn sign_out(&self, arrival: &Arrival, caller: &Credential) -> Result<HttpResponse, StoreError> {
        if let Some(sign_in) = caller.sign_in() {
            self.sign_ins.end(&sign_in.id).await?;
        }
        let mut cookie = self.cookie(arrival, String::new());
        cookie.make_removal();
        Ok(HttpResponse::SeeOther().insert_header((header::LOCATION, "/")).cookie(cookie).finish())
    }

    /// Resolves when the caller's sign-in has ended, by signing out or by expiry; never for other callers.
    pub async fn wait_until_signed_out(&self, caller: &Credential) {
        match caller.sign_in() {
            Some(sign_in) => self.sign_ins.wait_until_ended(&sign_in.id).await,
            None => std::future::pending().await,
        }
    }

    /// Logs a refused request.
    pub fn log_refusal(&self, head: &RequestHead, arrival: &Arrival, code: &str, reason: &str) {
        self.refusals.note(head, arrival, code, reason, self.started.seconds());
    }

    fn cookie(&self, arrival: &Arrival, value: String) -> Cookie<'static> {
        let path = if arrival.base.is_root() { "/" } else { arrival.base.as_str() };
        Cookie::build(COOKIE, value)
            .path(path.to_owned())
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(arrival.over_tls == Some(true))
            .finish()
    }

    /// Checks the head of a request.
    fn judge(&self, request: &ServiceRequest, arrival: &Arrival) -> Result<GuardDecision, Problem> {
        if request.path() != relay::PATH {
            self.check_host(request, arrival)?;
        }
        let changes = is_change(request);
        if changes {
            self.check_origin(request, arrival)?;
        }
        let caller = self.caller(request, arrival)?;
        let by_address = if caller.is_none() { self.shown_by_address(request, arrival)? } else { None };
        let known = caller.is_some() || by_address.is_some();
        if changes || !known {
            self.check_rate(request, arrival, known)?;
        }
        if arrival.base != self.base_path && !is_demo(request.path()) {
            return self.decide_outside_base_path(request);
        }
        if let Some(next) = by_address {
            return Ok(GuardDecision::SignIn { next });
        }
        let Some(caller) = caller else {
            let detail = format!(
                "a token is required: open {} in a browser to sign in, or send it as `Authorization: Bearer`",
                self.base_path.join("/")
            );
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail));
        };
        if changes {
            check_forgery(request, &caller)?;
        }
        size_limits::check_length(request.path(), request.headers())?;
        Ok(GuardDecision::Pass(caller))
    }

    /// Checks the names that the proxy and its client requested; both must be names of the service. A page of
    /// another site can set `X-Forwarded-Host`, but not `Host`.
    fn check_host(&self, request: &ServiceRequest, arrival: &Arrival) -> Result<(), Problem> {
        let is_single = request.headers().get_all(header::HOST).count() == 1;
        let host = arrival.host.as_str();
        // An absolute request line also names a host, and takes precedence over the header in some servers.
        let same = request.uri().authority().is_none_or(|line| line.as_str().eq_ignore_ascii_case(host));
        let forwarded = arrival.forwarded_host.as_deref();
        let strange = [
            Some(host).filter(|host| !(is_single && same && self.hosts.allows(host))),
            forwarded.filter(|host| !self.hosts.allows(host)),
        ];
        let Some(strange) = strange.into_iter().flatten().next() else { return Ok(()) };
        let own = self.base();
        let detail = if strange.is_empty() {
            format!("the request names no host; open {own}")
        } else {
            format!(
                "this service does not answer to the name \"{strange}\"; open {own}, or add the name to the \
                 settings: server.allowed_hosts = [\"{strange}\"]"
            )
        };
        Err(Problem::forbidden("bad_host", detail))
    }

    /// Checks the origin of a request that changes something. Pages of other sites cannot read responses, but
    /// they can send requests, so only pages of this service and clients other than pages are accepted.
    fn check_origin(&self, request: &ServiceRequest, arrival: &Arrival) -> Result<(), Problem> {
        let headers = request.headers();
        let requested_host = arrival.asked_host();
        let ours = |origin: &str| {
            let Some((scheme, name)) = origin.split_once("://") else { return false };
            let fits = match arrival.over_tls {
                Some(tls) => scheme == if tls { "https" } else { "http" },
                None => matches!(scheme, "http" | "https"),
            };
            fits && (name.eq_ignore_ascii_case(requested_host) || self.hosts.names(name))
        };
        let strange = headers.get_all(header::ORIGIN).map(|value| value.to_str().unwrap_or_default());
        let strange = strange.into_iter().find(|origin| !ours(origin));
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        if strange.is_none() && !matches!(site, Some("cross-site" | "same-site")) {
            return Ok(());
        }
        let mut detail = String::from("a page of another origin may not send anything to this service");
        if let Some(origin) = strange.filter(|origin| !origin.is_empty()) {
            detail = format!(
                "{detail}: the page is at {origin}, the service was asked for as {}; if that page is the service's \
                 own, let the proxy pass on its name (nginx: proxy_set_header Host $http_host)",
                arrival.address()
            );
        }
        Err(Problem::forbidden("bad_origin", detail))
    }

    /// Checks the rate. Requests without a valid token cannot use the reserve for the person.
    fn check_rate(&self, request: &ServiceRequest, arrival: &Arrival, known: bool) -> Result<(), Problem> {
        let reserve = RateClass::reserve(request.path(), is_upgrade(request.headers())).filter(|_| known);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take_request(arrival.client, reserve, self.started.seconds()).map_err(|wait_s| {
            let detail = "too many requests from this address; try again in a moment";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(wait_s)
        })
    }

    /// Returns the credential; `None` if a token is required and no valid token or cookie was sent.
    fn caller(&self, request: &ServiceRequest, arrival: &Arrival) -> Result<Option<Credential>, Problem> {
        if self.token.is_none() {
            return Ok(Some(Credential::Local));
        }
        let bearer = text(request.headers(), header::AUTHORIZATION).and_then(bearer);
        let cookies = request.cookies();
        // Among several cookies of one name, a browser sends the one with the longest path first.
        let mut values = cookies.iter().flat_map(|all| all.iter()).filter(|cookie| cookie.name() == COOKIE);
        if let Some(sign_in) = values.find_map(|cookie| self.sign_ins.find(cookie.value())) {
            let right = bearer
                .zip(self.token.as_ref())
                .is_some_and(|(word, token)| constant_time_eq(word, token.expose()));
            return Ok(Some(if right { Credential::Bearer } else { Credential::SignedIn(sign_in) }));
        }
        if is_open(request.path()) {
            return Ok(Some(Credential::Stranger));
        }
        match bearer.map(|word| self.judge_token(arrival, word)) {
            Some(Ok(true)) => Ok(Some(Credential::Bearer)),
            Some(Ok(false)) | None => Ok(None),
            Some(Err(wait_s)) => Err(guessed_too_much(wait_s)),
        }
    }

    /// Returns the address without its token if `/?token=…` shows the right one.
    fn shown_by_address(
        &self,
        request: &ServiceRequest,
        arrival: &Arrival,
    ) -> Result<Option<String>, Problem> {
        if request.method() != Method::GET || is_upgrade(request.headers()) {
            return Ok(None);
        }
        let Some(shown) = query_pairs(request).into_iter().find(|(name, _)| name == "token") else {
            return Ok(None);
        };
        match self.judge_token(arrival, &shown.1) {
            Ok(true) => Ok(Some(request_url::without_token(request))),
            Ok(false) => Ok(None),
            Err(wait_s) => Err(guessed_too_much(wait_s)),
        }
    }

    /// Decides on a request outside the base path: redirects the base path itself, refuses the rest.
    fn decide_outside_base_path(&self, request: &ServiceRequest) -> Result<GuardDecision, Problem> {
        if request.path() == self.base_path.as_str() && !is_change(request) {
            return Ok(GuardDecision::Within);
        }
        let detail = format!(
            "this service is served below {} (server.base_path), and was asked for {}; let the proxy pass the path on as \
             it is",
            self.base_path.join("/"),
            request.path()
        );
        Err(Problem::not_found("not_found", detail))
    }

    /// Builds the response to a refused request: the sign-in page for a browser without a sign-in, else the
    /// problem.
    fn refusal(&self, request: &ServiceRequest, arrival: &Arrival, problem: Problem) -> HttpResponse {
        let notice = match (&*problem.code, problem.retry_after_s) {
            ("unauthorized", _) if query_pairs(request).iter().any(|(name, _)| name == "token") => {
                Notice::WrongToken
            }
            ("unauthorized", _) => Notice::None,
            ("too_many_guesses", Some(wait_s)) => Notice::TooManyTries { wait_s },
            _ => return problem.answer_at(request.path()),
        };
        let reads = matches!(*request.method(), Method::GET | Method::HEAD) && !is_upgrade(request.headers());
        if !reads || !sign_in_page::is_wanted(request.headers()) {
            return problem.answer_at(request.path());
        }
        sign_in_page::answer(
            request.headers(),
            &arrival.base,
            &arrival.base.join(&request_url::without_token(request)),
            notice,
        )
    }
}

/// The middleware: `App::new().app_data(guard).wrap(from_fn(guard::enforce))`.
pub async fn enforce(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(guard) = request.app_data::<web::Data<Guard>>().cloned() else {
        let answer = Problem::internal(&"the guard was not given to the app").error_response();
        return Ok(request.into_response(answer));
    };
    let peer = request.peer_addr().map(|address| address.ip());
    let mut arrival = Arrival::read(request.headers(), peer, &guard.trusted);
    if take_base_path(&mut request, &guard.base_path) {
        arrival.base = guard.base_path.clone();
    }
    let path = request.path().to_owned();
    let early = match guard.judge(&request, &arrival) {
        Ok(GuardDecision::Pass(caller)) => {
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(PathPrefix(arrival.base.as_str().to_owned()));
            request.extensions_mut().insert(arrival.clone());
            None
        }
        Ok(GuardDecision::SignIn { next }) => Some(guard.sign_in(&arrival, &next).await),
        Ok(GuardDecision::Within) => {
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            let location = format!("{}{query}", guard.base_path.join("/"));
            Some(HttpResponse::TemporaryRedirect().insert_header((header::LOCATION, location)).finish())
        }
        Err(problem) => {
            guard.log_refusal(request.head(), &arrival, &problem.code, &problem.detail);
            Some(guard.refusal(&request, &arrival, problem))
        }
    };
    let mut response = match early {
        Some(answer) => request.into_response(answer),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    prefix_location(&arrival.base, response.headers_mut());
    add_security_headers(&path, response.headers_mut());
    Ok(response)
}

/// Checks the CSRF token. In some old browsers a page of another site can send the cookie, but it cannot know
/// the token.
fn check_forgery(request: &ServiceRequest, caller: &Credential) -> Result<(), Problem> {
    // A page cannot set headers on a WebSocket; `Origin` has been checked already.
    if is_upgrade(request.headers()) || request.path() == SIGN_IN {
        return Ok(());
    }
    let Some(sign_in) = caller.sign_in() else { return Ok(()) };
    let shown = request.headers().get(CSRF).and_then(|value| value.to_str().ok());
    if shown.is_some_and(|shown| constant_time_eq(shown, &sign_in.csrf)) {
        return Ok(());
    }
    let detail = "beside its cookie a page sends the header X-Askfirst-CSRF with the value that GET /api/me gives; \
        reload the page";
    Err(Problem::forbidden("forgery", detail))
}

fn is_change(request: &ServiceRequest) -> bool {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS];
    !reads.contains(request.method()) || is_upgrade(request.headers())
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
}

/// Path at which a browser signs in.
pub const SIGN_IN: &str = "/sign-in";

/// True for paths that need no token: health checks, the sign-in page with its files, the socket between nodes, which
/// needs a ticket, and the demo shop, which the agent's browser opens and which has no access to the service.
fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | SIGN_IN | relay::PATH)
        || sign_in_page::FILES.contains(&path)
        || is_demo(path)
}

fn is_demo(path: &str) -> bool {
    path == "/demo" || path.starts_with("/demo/")
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// True if an `Authorization` header holds this token.
pub fn is_bearer_of(shown: &str, token: &Secret) -> bool {
    bearer(shown).is_some_and(|word| constant_time_eq(word, token.expose()))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, word) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| word.trim())
}

/// Compares in constant time: hashes have equal lengths, and all bytes are read.
fn constant_time_eq(shown: &str, token: &str) -> bool {
    let (shown, token) = (Sha256::digest(shown.as_bytes()), Sha256::digest(token.as_bytes()));
    shown.iter().zip(token.iter()).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Adds the security headers to a response, unless the handler has set them.
fn add_security_headers(path: &str, headers: &mut HeaderMap) {
    let mut put = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Not `no-referrer`: with it, the POST of a form would send `Origin: null`.
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

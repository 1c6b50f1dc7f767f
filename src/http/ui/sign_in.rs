//! Signing in and out, and information about the caller.

use crate::http::guard::credential::Credential;
use crate::http::guard::forwarded_headers::Arrival;
use crate::http::guard::sign_in_page;
use crate::http::guard::sign_in_page::Notice;
use crate::http::guard::{Guard, SIGN_IN};
use crate::http::problem::HttpResult;
use actix_web::http::header;
use actix_web::web::{self, Bytes, Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

/// Path at which a browser signs out.
const SIGN_OUT: &str = "/sign-out";

/// Shows the sign-in page, or redirects a browser that has signed in.
pub async fn show(
    request: HttpRequest,
    guard: Data<Guard>,
    arrival: ReqData<Arrival>,
    caller: Credential,
) -> HttpResponse {
    let next_field = fields(request.query_string().as_bytes(), "next");
    let next = inner_path(next_field.as_deref().unwrap_or_default(), &arrival);
    match caller {
        Credential::Stranger if guard.token_required() => {
            sign_in_page::answer(request.headers(), &arrival.base, &arrival.base.join(&next), Notice::None)
        }
        Credential::Stranger | Credential::Local | Credential::Bearer | Credential::SignedIn(_) => {
            redirect_to(&next)
        }
    }
}

/// Handles the form of the sign-in page, with the fields `token` and `next`.
pub async fn sign_in(
    request: HttpRequest,
    guard: Data<Guard>,
    arrival: ReqData<Arrival>,
    body: Bytes,
) -> HttpResponse {
    let (token, next) = (fields(&body, "token"), fields(&body, "next"));
    let next = inner_path(next.as_deref().unwrap_or_default(), &arrival);
    if !guard.token_required() {
        return redirect_to(&next);
    }
    let again =
        |notice| sign_in_page::answer(request.headers(), &arrival.base, &arrival.base.join(&next), notice);
    match guard.judge_token(&arrival, token.as_deref().unwrap_or_default().trim()) {
        Ok(true) => guard.sign_in(&arrival, &next).await,
        Ok(false) => {
            guard.log_refusal(request.head(), &arrival, "wrong_token", "a browser showed a wrong token");
            again(Notice::WrongToken)
        }
        Err(wait_s) => {
            guard.log_refusal(
                request.head(),
                &arrival,
                "too_many_guesses",
                "a browser showed too many wrong tokens",
            );
            again(Notice::TooManyTries { wait_s })
        }
    }
}

/// Signs this browser out, and anyone else with its cookie.
pub async fn leave(guard: Data<Guard>, arrival: ReqData<Arrival>, caller: Credential) -> HttpResult {
    Ok(guard.sign_out(&arrival, &caller).await?)
}

/// Information about the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// True for a browser that has signed in with the token, so that it can sign out.
    pub signed_in: bool,
    /// True if the service requires a token.
    pub token_required: bool,
    /// CSRF token for the header `X-Askfirst-CSRF`, which requests that change something require in addition
    /// to the cookie.
    pub csrf: Option<String>,
}

/// Get information about the caller, and its CSRF token.
#[utoipa::path(get, path = "/api/me", tag = "service", responses((status = 200, body = Me)))]
pub async fn me(guard: Data<Guard>, caller: Credential) -> web::Json<Me> {
    let sign_in = caller.sign_in();
    web::Json(Me {
        signed_in: sign_in.is_some(),
        token_required: guard.token_required(),
        csrf: sign_in.map(|sign_in| sign_in.csrf.clone()),
    })
}

fn redirect_to(next: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, next)).finish()
}

fn fields(form: &[u8], name: &str) -> Option<String> {
    url::form_urlencoded::parse(form).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Returns the requested path within the service, or `/` if it is none.
fn inner_path(next: &str, arrival: &Arrival) -> String {
    path_within_service(next, arrival).unwrap_or_else(|| String::from("/"))
}

/// Resolves the URL as a browser does, because browsers read `//host`, `/\host` and the like as another
/// site.
fn path_within_service(next: &str, arrival: &Arrival) -> Option<String> {
    let here = Url::parse("http://askfirst.invalid/").ok()?;
    let target = next.starts_with('/').then(|| here.join(next).ok())??;
    if target.origin() != here.origin() || !target.username().is_empty() {
        return None;
    }
    let path = arrival.base.strip(target.path())?;
    if path.starts_with("//") || path == SIGN_IN || path == SIGN_OUT {
        return None;
    }
    let rest = &target[url::Position::AfterPath..];
    Some(format!("{path}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::proxies::BasePath;

    #[test]
    fn the_return_address_never_leads_to_another_site() {
        for (base, next, target) in [
            ("", "/", "/"),
            ("", "/?a=b#/runs/7", "/?a=b#/runs/7"),
            ("", "/api/docs", "/api/docs"),
            ("", "//evil.test/", "/"),
            ("", "/\\evil.test/", "/"),
            ("", "/\t/evil.test/", "/"),
            ("", "/x/..//evil.test/", "/"),
            ("", "/.//evil.test/", "/"),
            ("", "https://evil.test/", "/"),
            ("", "javascript:alert(1)", "/"),
            ("", "evil.test", "/"),
            ("", "/sign-in?next=/", "/"),
            ("", "/sign-out", "/"),
            ("", "", "/"),
            ("", "/a\r\nSet-Cookie: x", "/aSet-Cookie:%20x"),
            ("/askfirst", "/askfirst/#/runs/7", "/#/runs/7"),
            ("/askfirst", "/askfirst/api/docs?x=1", "/api/docs?x=1"),
            ("/askfirst", "/askfirst//evil.test", "/"),
            ("/askfirst", "/askfirst/../other/", "/"),
            ("/askfirst", "/other/", "/"),
            ("/askfirst", "/askfirst", "/"),
        ] {
            let arrival = Arrival { base: BasePath::read(base).unwrap(), ..Arrival::default() };
            assert_eq!(inner_path(next, &arrival), target, "{base} {next:?}");
        }
    }
}

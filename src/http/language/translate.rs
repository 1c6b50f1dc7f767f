//! Translates problems to Ukrainian for clients that prefer that language. An English text is recognized by
//! its pattern. For an unknown text, the sentence of its code is used, followed by the English text.

use crate::http::language::reader::ReaderLocale;
use crate::http::problem::MEDIA_TYPE;
use crate::protocol::Locale;
use crate::texts::http::{DETAILS, code_in_ukrainian, title_in_ukrainian};
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderValue};
use actix_web::middleware::Next;
use serde_json::{Value, json};

/// The middleware: `App::new().wrap(from_fn(translate::problems))`.
pub async fn problems(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let wants = ReaderLocale::from_headers(request.headers()).0 == Some(Locale::Uk);
    let answer = next.call(request).await?.map_into_boxed_body();
    if !wants || !is_problem(&answer) {
        return Ok(answer);
    }
    let (request, answer) = answer.into_parts();
    let (mut head, body) = answer.into_parts();
    let bytes = to_bytes(body).await.unwrap_or_default();
    let words = serde_json::from_slice(&bytes).ok().map(|problem| in_ukrainian(problem).to_string());
    if words.is_some() {
        head.headers_mut().insert(header::CONTENT_LANGUAGE, HeaderValue::from_static("uk"));
        head.headers_mut().remove(header::CONTENT_LENGTH);
    }
    let body = words.map_or_else(|| BoxBody::new(bytes), BoxBody::new);
    Ok(ServiceResponse::new(request, head.set_body(body)))
}

fn is_problem<B>(answer: &ServiceResponse<B>) -> bool {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    answer.status().as_u16() >= 400 && kind == Some(MEDIA_TYPE)
}

fn in_ukrainian(mut problem: Value) -> Value {
    let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    let (code, text) = (word("code"), word("detail"));
    let status = problem["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    if let Some(title) = status.and_then(title_in_ukrainian) {
        problem["title"] = json!(title);
    }
    problem["detail"] = json!(detail(&code, &text));
    problem
}

/// Translates an English `detail`.
fn detail(code: &str, english: &str) -> String {
    let known = DETAILS.iter().find_map(|(shape, uk)| Some(fill_holes(uk, &holes(shape, english)?)));
    let general = || code_in_ukrainian(code).or_else(|| code_in_ukrainian("other")).unwrap_or_default();
    known.unwrap_or_else(|| format!("{} ({english})", general()))
}

/// Returns the texts at the placeholders `{}` of a pattern; `None` if the text does not match it.
fn holes<'t>(shape: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = shape.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = match (part.is_empty(), parts.peek()) {
            (true, None) => rest.len(),
            (_, None) => rest.len().checked_sub(part.len()).filter(|at| rest.get(*at..) == Some(part))?,
            (_, Some(_)) => rest.find(part)?,
        };
        found.push(rest.get(..at)?);
        rest = rest.get(at + part.len()..)?;
    }
    rest.is_empty().then_some(found)
}

fn fill_holes(shape: &str, holes: &[&str]) -> String {
    let mut parts = shape.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, hole) in parts.zip(holes) {
        text.push_str(hole);
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_keeps_its_code_and_says_the_rest_in_ukrainian() {
        let problem = json!({"status": 404, "title": "Not Found", "code": "unknown_run", "detail": "there is no run 7"});
        let text = in_ukrainian(problem);
        assert_eq!(
            text,
            json!({"status": 404, "title": "Не знайдено", "code": "unknown_run", "detail": "Запуску 7 немає."})
        );
        let strange = detail("bad_query", "the moon is wrong");
        assert_eq!(strange, "Параметри адреси неправильні. (the moon is wrong)");
    }

    #[test]
    fn placeholders_of_a_pattern_match_any_text() {
        assert_eq!(holes("no {} of {}", "no step 3 of run 9"), Some(vec!["step 3", "run 9"]));
        assert_eq!(holes("{} is big", "a file is big"), Some(vec!["a file"]));
        assert_eq!(holes("just this", "just this"), Some(vec![]));
        for other in ["just that", "just this and more", ""] {
            assert_eq!(holes("just this", other), None, "{other}");
        }
        assert_eq!(holes("{} of {} too", "a of b to"), None);
    }
}

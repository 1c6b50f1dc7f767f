//! Cookies of a context, read and restored; and those of a lasting profile, stored in a file beside it.
//! Chromium forgets session cookies when it ends, and most log-ins use them.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::context::PageContext;
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const FILE: &str = "askfirst-cookies.json";

/// Reads all cookies in the form in which they can be set again.
pub async fn read(context: &PageContext) -> Result<Vec<Value>, PageError> {
    let command = RawCommand::new("Storage.getCookies", context_params(context));
    let cookies = context.connection.browser().call(command).await?;
    Ok(cookies["cookies"]
        .as_array()
        .map(|all| all.iter().map(to_set_cookie_params).collect())
        .unwrap_or_default())
}

pub async fn restore(context: &PageContext, cookies: &[Value]) -> Result<(), PageError> {
    if cookies.is_empty() {
        return Ok(());
    }
    context.history.borrow_mut().visited.record_cookies(cookies);
    let mut params = context_params(context);
    params["cookies"] = json!(cookies);
    match context.connection.browser().call(RawCommand::new("Storage.setCookies", params)).await {
        // A single invalid cookie makes Chromium reject all; a page without its log-in is better than none.
        Err(fault) if fault.code == ErrorCode::Protocol => {
            tracing::warn!(%fault, "cookies not restored");
            Ok(())
        }
        result => result.map(|_| ()),
    }
}

fn context_params(context: &PageContext) -> Value {
    match context.context_id_param() {
        Some(context) => json!({"browserContextId": context}),
        None => json!({}),
    }
}

/// Converts a cookie from the form in which it is read to the one in which it is set, which allows fewer
/// fields.
fn to_set_cookie_params(cookie: &Value) -> Value {
    const SETTABLE_FIELDS: [&str; 11] = [
        "name",
        "value",
        "domain",
        "path",
        "secure",
        "httpOnly",
        "sameSite",
        "priority",
        "sourceScheme",
        "sourcePort",
        "partitionKey",
    ];
    let mut kept: serde_json::Map<String, Value> = SETTABLE_FIELDS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), cookie.get(*name)?.clone())))
        .collect();
    // A session cookie is read with `expires` -1.
    if let Some(expires) = cookie["expires"].as_f64().filter(|expires| *expires > 0.0) {
        kept.insert(String::from("expires"), json!(expires));
    }
    Value::Object(kept)
}

/// Writes the cookies beside a profile, atomically and readable only by the owner.
pub fn save_profile_cookies(profile: &Path, cookies: &[Value]) {
    let (file, fresh) = (profile.join(FILE), profile.join(format!("{FILE}.new")));
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&fresh)
        .and_then(|mut to| to.write_all(json!(cookies).to_string().as_bytes()))
        .and_then(|()| std::fs::rename(&fresh, &file));
    if let Err(fault) = written {
        tracing::warn!(path = %file.display(), %fault, "cookies of the profile not saved");
    }
}

/// Reads the cookies stored beside a profile.
pub fn load_profile_cookies(profile: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(profile.join(FILE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

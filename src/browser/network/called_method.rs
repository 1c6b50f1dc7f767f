//! Method by which a server handles a paused request. Pure.

use crate::browser::cdp::message::CdpEvent;

/// Headers that many servers take another method from.
const HEADERS: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];

/// Returns the method that the server goes by: that of a header counts if it has an effect.
pub fn called_method(paused: &CdpEvent) -> String {
    let own = paused.text("/request/method").to_ascii_uppercase();
    let headers = paused.params.pointer("/request/headers").and_then(serde_json::Value::as_object);
    let mut others = headers.into_iter().flatten().filter_map(|(name, value)| {
        let is_override = HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known));
        is_override.then(|| value.as_str().unwrap_or_default().trim().to_ascii_uppercase())
    });
    others.find(|method| matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")).unwrap_or(own)
}

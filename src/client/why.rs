//! `askfirst why`: why a run stands as it does, and what would move it.

use super::api::{Api, segment};
use super::screen::{plain, print};
use super::{ClientError, Exit};
use crate::cli::Why;
use serde_json::Value;

pub async fn carry_out(api: &Api, order: &Why) -> Result<Exit, ClientError> {
    let locale = order.locale.as_deref().map(|tag| format!("?locale={}", segment(tag))).unwrap_or_default();
    let found = api.get(&format!("/api/runs/{}/why{locale}", segment(&order.run))).await?;
    if order.json {
        print(&format!("{found}\n"));
    } else {
        print(&lines(&found, &api.access.base));
    }
    Ok(Exit::Succeeded)
}

/// The reason first, then a line for each thing that would move it.
fn lines(found: &Value, base: &str) -> String {
    let word = |value: &Value| plain(value.as_str().unwrap_or_default());
    let mut out = format!("{}  {}\n", word(&found["status"]), word(&found["because"]));
    for one in found["moves"].as_array().into_iter().flatten() {
        let place = one["link"].as_str().map(|path| format!("  {base}{}", plain(path))).unwrap_or_default();
        out.push_str(&format!("  {}: {}{place}\n", word(&one["who"]), word(&one["how"])));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_reason_stands_above_what_would_move_it() {
        let found = json!({"status": "waiting", "because": "It asks: May\nI?", "moves": [
            {"who": "person", "how": "answer", "link": "/#/runs/r"}, {"who": "time", "how": "it expires"}]});
        let expected = "waiting  It asks: May I?\n  person: answer  http://h/#/runs/r\n  time: it expires\n";
        assert_eq!(lines(&found, "http://h"), expected);
    }
}

//! `askfirst why`: the reason for a run's status, and what would change it.

use crate::cli::args::Why;
use crate::cli::client::api::{Api, segment};
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output::{plain, print};
use crate::cli::client::terminal_language;
use crate::protocol::Locale;
use crate::texts::terminal::word_name;
use serde_json::Value;

pub async fn carry_out(api: &Api, args: &Why) -> Result<Exit, ClientError> {
    let locale = args.locale.as_deref().unwrap_or(terminal_language::terminal().tag());
    let path = format!("/api/runs/{}/why?locale={}", segment(&args.run), segment(locale));
    let found = api.get(&path).await?;
    if args.json {
        print(&format!("{found}\n"));
    } else {
        print(&lines(&found, &api.access.base));
    }
    Ok(Exit::Succeeded)
}

/// Formats the reason first, then a line for each thing that would move the run, in the language of the
/// answer.
fn lines(found: &Value, base: &str) -> String {
    let locale = found["locale"].as_str().map_or(Locale::En, Locale::from_tag);
    let word = |value: &Value| plain(value.as_str().unwrap_or_default());
    let named = |value: &Value| word_name(&word(value), locale).to_owned();
    let mut out = format!("{}  {}\n", named(&found["status"]), word(&found["because"]));
    for next_move in found["moves"].as_array().into_iter().flatten() {
        let link =
            next_move["link"].as_str().map(|path| format!("  {base}{}", plain(path))).unwrap_or_default();
        out.push_str(&format!("  {}: {}{link}\n", named(&next_move["who"]), word(&next_move["how"])));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Status;
    use serde_json::json;

    #[test]
    fn the_reason_is_printed_above_the_moves() {
        let found = json!({"status": "waiting", "because": "It asks: May\nI?", "moves": [
            {"who": "person", "how": "answer", "link": "/#/runs/r"}, {"who": "time", "how": "it expires"}]});
        let expected = "waiting  It asks: May I?\n  person: answer  http://h/#/runs/r\n  time: it expires\n";
        assert_eq!(lines(&found, "http://h"), expected);
    }

    #[test]
    fn every_word_is_in_the_language_of_the_answer() {
        let found = json!({"status": "waiting", "because": "Питає: Яке місто?", "locale": "uk", "moves": [
            {"who": "person", "how": "відповісти на питання"}, {"who": "time", "how": "вийде час"}]});
        let expected = "чекає  Питає: Яке місто?\n  людина: відповісти на питання\n  час: вийде час\n";
        assert_eq!(lines(&found, ""), expected);
        let words = Status::names().into_iter().chain(["person", "time", "run", "model", "nobody"]);
        for word in words {
            assert!(!word_name(word, Locale::Uk).is_ascii(), "{word}");
        }
    }
}

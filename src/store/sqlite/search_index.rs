//! Full-text index of runs: titles, messages of people and agents, and visited sites. The index is written in
//! the transaction that writes the indexed row. It contains no secrets, because events contain only their
//! placeholders.

use crate::ids::RunId;
use crate::text::word_forms::{close_stem, unify_spelling};
use crate::turn::typed_secret;
use rusqlite::{Connection, Result, params};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Most characters of a text that are indexed.
const MAX_TEXT_CHARS: usize = 20_000;
/// Most words of a query, and most characters of it that are read.
const MAX_TERMS: usize = 12;
const MAX_QUERY_CHARS: usize = 400;
/// Depth to which an input is searched for texts.
const MAX_INPUT_DEPTH: usize = 4;

/// Prefixes of the events that contain indexed texts.
const INDEXED_EVENTS: [&str; 7] = [
    r#"{"type":"run_started""#,
    r#"{"type":"agent_message""#,
    r#"{"type":"agent_question""#,
    r#"{"type":"question_resolved""#,
    r#"{"type":"run_ended""#,
    r#"{"type":"event","event":"user_message""#,
    r#"{"type":"event","event":"observation""#,
];

/// Returns the search expressions of a query, one per word; a run must match all of them.
pub fn terms(query: &str) -> Vec<String> {
    let read: String = query.chars().take(MAX_QUERY_CHARS).collect();
    let plain = unify_spelling(&read).to_lowercase();
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut found: Vec<String> = Vec::new();
    for word in words.take(MAX_TERMS) {
        let term = format!("\"{}\" *", close_stem(word));
        if !found.contains(&term) {
            found.push(term);
        }
    }
    // A query without words matches nothing.
    if found.is_empty() { vec![String::from("\"\"")] } else { found }
}

/// Indexes the texts of an event, if it has any.
pub fn index_event(connection: &Connection, root: &RunId, run: &RunId, body: &str) -> Result<()> {
    if !INDEXED_EVENTS.iter().any(|beginning| body.starts_with(beginning)) {
        return Ok(());
    }
    let Ok(event) = serde_json::from_str(body) else { return Ok(()) };
    let words = collect_texts(&event);
    if words.trim().is_empty() {
        return Ok(());
    }
    add(connection, root, run, "event", &words)
}

/// Indexes the title in place of the earlier one.
pub fn index_title(connection: &Connection, run: &RunId) -> Result<()> {
    let sql = "select root_id, coalesce(own_title, title) from runs where id = ?";
    let (root, title): (String, String) =
        connection.prepare_cached(sql)?.query_row([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    connection
        .prepare_cached(
            "delete from search_index where rowid in (select id from search_texts where run_id = ? and kind = 'title')",
        )?
        .execute([run.as_str()])?;
    connection
        .prepare_cached("delete from search_texts where run_id = ? and kind = 'title'")?
        .execute([run.as_str()])?;
    add(connection, &RunId::from(root), run, "title", &title)
}

/// Removes a run tree from the index.
pub fn forget_tree(connection: &Connection, root: &RunId) -> Result<()> {
    let sql = "delete from search_index where rowid in (select id from search_texts where root_id = ?)";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    connection.prepare_cached("delete from search_texts where root_id = ?")?.execute([root.as_str()])?;
    Ok(())
}

fn add(connection: &Connection, root: &RunId, run: &RunId, kind: &str, text: &str) -> Result<()> {
    let read: String = typed_secret::mask_placeholders(text).chars().take(MAX_TEXT_CHARS).collect();
    let words = unify_spelling(&read);
    let hash: [u8; 32] = Sha256::digest(&words).into();
    let added = connection
        .prepare_cached(
            "insert or ignore into search_texts (root_id, run_id, kind, hash) values (?, ?, ?, ?)",
        )?
        .execute(params![root.as_str(), run.as_str(), kind, &hash[..8]])?;
    if added > 0 {
        let id = connection.last_insert_rowid();
        connection
            .prepare_cached("insert into search_index (rowid, text) values (?, ?)")?
            .execute(params![id, words])?;
    }
    Ok(())
}

/// Returns the texts of an event. Only the host of a URL is indexed: the rest may grant access to an account.
fn collect_texts(event: &Value) -> String {
    let mut found = Vec::new();
    match event["type"].as_str().unwrap_or_default() {
        "run_started" => texts_in(&event["input"], MAX_INPUT_DEPTH, &mut found),
        "agent_message" => texts_in(&event["text"], 1, &mut found),
        "run_ended" => texts_in(&event["final_response"], 1, &mut found),
        "agent_question" => {
            for text in [&event["text"], &event["payload"]["effect"], &event["payload"]["question"]] {
                texts_in(text, 1, &mut found);
            }
        }
        "question_resolved" => {
            for name in ["text", "comment", "message"] {
                texts_in(&event["answer"][name], 1, &mut found);
            }
        }
        _ if event["event"] == "user_message" => texts_in(&event["data"]["text"], 1, &mut found),
        _ => {
            texts_in(&event["data"]["title"], 1, &mut found);
            let url = event["data"]["url"].as_str().and_then(|url| url::Url::parse(url).ok());
            found.extend(url.and_then(|url| url.host_str().map(str::to_owned)));
        }
    }
    found.join("\n")
}

fn texts_in(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) if depth > 0 => items.iter().for_each(|item| texts_in(item, depth - 1, found)),
        Value::Object(fields) if depth > 0 => {
            let inputs = fields.iter().filter(|(name, _)| *name != "locale");
            inputs.for_each(|(_, field)| texts_in(field, depth - 1, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_search_query_consists_of_plain_words() {
        assert_eq!(terms("Лампу Zoria"), [r#""ламп" *"#, r#""zoria" *"#]);
        assert_eq!(terms("shop.test"), [r#""shop" *"#, r#""test" *"#]);
        assert_eq!(terms("м'яч"), [r#""мяч" *"#]);
        assert_eq!(terms("a\" OR b*"), [r#""a" *"#, r#""or" *"#, r#""b" *"#]);
        for nothing in ["", "\"*()", "  "] {
            assert_eq!(terms(nothing), ["\"\""], "{nothing:?}");
        }
    }

    #[test]
    fn the_indexed_text_of_an_event_has_hosts_instead_of_addresses() {
        let event = |event: &str, data: Value| json!({"type": "event", "event": event, "data": data});
        for (event, words) in [
            (
                json!({"type": "run_started", "input": {"text": "a lamp", "locale": "uk", "n": 1, "more": [{"x": "y"}]}}),
                "y\na lamp",
            ),
            (json!({"type": "agent_message", "text": "done", "html": "<b>"}), "done"),
            (
                json!({"type": "agent_question", "text": "May I?", "payload": {"effect": "Buy", "values": {"p": "s"}}}),
                "May I?\nBuy",
            ),
            (
                json!({"type": "question_resolved", "answer": {"confirmed": false, "comment": "the blue one"}}),
                "the blue one",
            ),
            (
                event("observation", json!({"title": "Lamps", "url": "https://shop.test/reset?token=abc"})),
                "Lamps\nshop.test",
            ),
            (event("user_message", json!({"text": "two"})), "two"),
        ] {
            let mut found: Vec<String> = collect_texts(&event).lines().map(str::to_owned).collect();
            let mut wanted: Vec<String> = words.lines().map(str::to_owned).collect();
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "{event}");
        }
    }
}

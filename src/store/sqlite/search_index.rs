//! Full-text index of runs. The index is written in the transaction that writes the indexed row.

use crate::ids::RunId;
use crate::store::search_texts::{IndexedText, query_words};
use rusqlite::{Connection, Result, params};

/// Returns the search expressions of a query, one per word; a run must match all of them.
pub fn terms(query: &str) -> Vec<String> {
    let found: Vec<String> = query_words(query).iter().map(|word| format!("\"{word}\" *")).collect();
    // A query without words matches nothing.
    if found.is_empty() { vec![String::from("\"\"")] } else { found }
}

/// Indexes the texts of an event, if it has any.
pub fn index_event(connection: &Connection, root: &RunId, run: &RunId, body: &str) -> Result<()> {
    match IndexedText::from_event(body) {
        Some(text) => add(connection, root, run, "event", &text),
        None => Ok(()),
    }
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
    add(connection, &RunId::from(root), run, "title", &IndexedText::new(&title))
}

/// Removes a run tree from the index.
pub fn forget_tree(connection: &Connection, root: &RunId) -> Result<()> {
    let sql = "delete from search_index where rowid in (select id from search_texts where root_id = ?)";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    connection.prepare_cached("delete from search_texts where root_id = ?")?.execute([root.as_str()])?;
    Ok(())
}

fn add(connection: &Connection, root: &RunId, run: &RunId, kind: &str, text: &IndexedText) -> Result<()> {
    let added = connection
        .prepare_cached(
            "insert or ignore into search_texts (root_id, run_id, kind, hash) values (?, ?, ?, ?)",
        )?
        .execute(params![root.as_str(), run.as_str(), kind, &text.hash[..]])?;
    if added > 0 {
        let id = connection.last_insert_rowid();
        connection
            .prepare_cached("insert into search_index (rowid, text) values (?, ?)")?
            .execute(params![id, text.words])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Tests of the search: notes are found by word forms, and links never lead out of their folder.

use super::*;
use crate::knowledge::passage::{CHARACTERS, PASSAGES};
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

struct TestFolders {
    agents: TempDir,
    data: TempDir,
}

impl TestFolders {
    fn new() -> Self {
        Self { agents: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.agents.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge::new(self.agents.path(), self.data.path())
    }
}

fn recalled(knowledge: &Knowledge, query: &str) -> Vec<String> {
    let found = knowledge.recall_now(&Scope::new("clerk"), query, &[]).unwrap();
    found.passages.into_iter().map(|passage| format!("{}: {}", passage.relic, passage.heading)).collect()
}

const SHOP: &str = "# Магазин\n\n## Доставка\nДоставляємо Новою поштою за 2 дні.\n\n## Повернення\nПовернути товар можна за 14 днів; м'яч теж.\n";
const POST: &str =
    "# Post\n\n## Shipping prices\nA parcel costs 70.\n\n## Opening hours\nFrom nine to six.\n";

// Words are found in any form (S4.2, S4.30).
#[test]
fn words_are_found_in_any_grammatical_form() {
    let folders = TestFolders::new();
    folders.write("clerk/knowledge/shop.md", SHOP);
    folders.write("knowledge/post.md", POST);
    let knowledge = folders.knowledge();
    for (query, found) in [
        ("Яка доставка?", "shop: Магазин › Доставка"),
        ("умови доставки", "shop: Магазин › Доставка"),
        ("хочу повернути товари", "shop: Магазин › Повернення"),
        ("м’яча", "shop: Магазин › Повернення"),
        ("what does it cost to ship, the price", "post: Post › Shipping prices"),
        ("OPEN hour", "post: Post › Opening hours"),
    ] {
        assert_eq!(recalled(&knowledge, query).first().map(String::as_str), Some(found), "{query}");
    }
    assert_eq!(recalled(&knowledge, "квантова фізика"), [""; 0]);
}

#[test]
fn an_agents_own_relic_hides_the_shared_one_of_its_name() {
    let folders = TestFolders::new();
    folders.write("clerk/knowledge/post.md", "# Own\nparcel");
    folders.write("knowledge/post.md", POST);
    folders.write("other/knowledge/secret.md", "parcel of another agent");
    let knowledge = folders.knowledge();
    assert_eq!(recalled(&knowledge, "parcel"), ["post: Own"]);
    let scope = Scope { agent: String::from("someone"), ..Scope::new("") };
    let found = knowledge.recall_now(&scope, "parcel", &[]).unwrap();
    assert_eq!(found.passages.len(), 1);
    assert_eq!(found.passages[0].heading, "Post › Shipping prices");
    let alone = Scope { shared: false, ..scope };
    assert_eq!(knowledge.known_now(&alone).unwrap(), KnowledgeList::default());
    let only = Scope { only: Some(vec![String::from("nothing")]), ..Scope::new("clerk") };
    assert_eq!(knowledge.known_now(&only).unwrap().relics, []);
}

#[test]
fn only_named_relics_are_searched_and_unknown_ones_are_reported() {
    let folders = TestFolders::new();
    folders.write("knowledge/a.md", "# A\nlamp");
    folders.write("knowledge/b.md", "# B\nlamp");
    let knowledge = folders.knowledge();
    let named = |query: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        knowledge.recall_now(&Scope::new("clerk"), query, &names).unwrap()
    };
    let found = named("lamp", &["b.md", "ghost"]);
    assert_eq!(found.passages.iter().map(|p| p.relic.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(found.text().contains("There is no relic ghost; there are: a, b."), "{}", found.text());
    assert_eq!(named("", &["a"]).passages.len(), 1);
    assert!(named("", &[]).text().starts_with("Nothing of that is known."));
}

// Queries come from models and pages, so nothing in them may be interpreted as an operator of the index.
#[test]
fn hostile_questions_are_words() {
    let folders = TestFolders::new();
    folders.write("knowledge/a.md", "# A\nlamp OR table");
    let knowledge = folders.knowledge();
    for query in [
        "\"",
        "lamp\" OR \"x",
        "name:lamp",
        "lamp*",
        "NEAR(a b)",
        "^",
        "a AND NOT (",
        "');drop table words;--",
    ] {
        knowledge.recall_now(&Scope::new("clerk"), query, &[String::from("'); drop")]).unwrap();
        knowledge.recall_now(&Scope::new("../../etc"), query, &[]).unwrap();
    }
    assert_eq!(recalled(&knowledge, "lamp"), ["a: A"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_knowledge_query_is_accepted(query in ".{0,200}", relic in ".{0,40}") {
        let folders = TestFolders::new();
        folders.write("knowledge/a.md", "# A\nlamp");
        let knowledge = folders.knowledge();
        prop_assert!(knowledge.recall_now(&Scope::new("clerk"), &query, &[relic]).is_ok());
    }
}

#[test]
fn recalled_text_is_limited() {
    let folders = TestFolders::new();
    folders.write("knowledge/long.md", &"lamp ".repeat(50_000));
    let found = folders.knowledge().recall_now(&Scope::new("clerk"), "lamp", &[]).unwrap();
    let length: usize = found.passages.iter().map(|passage| passage.text.chars().count()).sum();
    assert!((1..=PASSAGES).contains(&found.passages.len()) && length <= CHARACTERS);
    let little = Scope { characters: 10, ..Scope::new("clerk") };
    let found = folders.knowledge().recall_now(&little, "lamp", &[]).unwrap();
    assert_eq!(found.passages.iter().map(|passage| passage.text.len()).sum::<usize>(), 10);
}

#[test]
fn notes_that_are_too_long_or_not_text_are_refused_with_a_reason() {
    let folders = TestFolders::new();
    folders.write("knowledge/huge.md", &"x".repeat(note_folder::FILE_BYTES as usize + 1));
    folders.write("knowledge/good.md", "lamp");
    fs::write(folders.agents.path().join("knowledge/bytes.md"), [0xff, 0xfe]).unwrap();
    fs::create_dir(folders.agents.path().join("knowledge/folder.md")).unwrap();
    let found = folders.knowledge().recall_now(&Scope::new("clerk"), "lamp", &[]).unwrap();
    assert_eq!(found.passages.len(), 1);
    for words in [
        "huge.md is not read: it has more than 1024 kB; cut it into several.",
        "bytes.md is not read: it is not UTF-8 text.",
        "folder.md is not read: it is not a plain file.",
    ] {
        assert!(found.text().contains(words), "{}", found.text());
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_agents_folder_are_not_followed() {
    let folders = TestFolders::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("key.md"), "lamp secret").unwrap();
    folders.write("knowledge/good.md", "lamp");
    folders.write("knowledge/real.txt", "lamp within");
    let link = |from: std::path::PathBuf, to: &str| {
        std::os::unix::fs::symlink(from, folders.agents.path().join(to)).unwrap();
    };
    link(outside.path().join("key.md"), "knowledge/key.md");
    link(outside.path().join("none.md"), "knowledge/none.md");
    link(folders.agents.path().join("knowledge/real.txt"), "knowledge/within.md");
    fs::create_dir(folders.agents.path().join("clerk")).unwrap();
    link(outside.path().to_owned(), "clerk/knowledge");
    let found = folders.knowledge().recall_now(&Scope::new("clerk"), "lamp", &[]).unwrap();
    let mut names: Vec<&str> = found.passages.iter().map(|passage| passage.relic.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["good", "within"]);
    assert!(!found.text().contains("secret") && found.known.refused.len() == 3, "{:?}", found.known.refused);
}

#[test]
fn only_changed_notes_are_read_again_and_removed_ones_are_forgotten() {
    let folders = TestFolders::new();
    folders.write("knowledge/a.md", "# A\nlamp");
    folders.write("knowledge/b.md", "# B\nlamp");
    let old = fs::File::options().write(true).open(folders.agents.path().join("knowledge/a.md")).unwrap();
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    old.set_modified(then).unwrap();
    assert_eq!(recalled(&folders.knowledge(), "lamp"), ["a: A", "b: B"]);
    // With the same stamp, the note is not read again, not even by a new service.
    folders.write("knowledge/a.md", "# A\nlump");
    old.set_modified(then).unwrap();
    folders.write("knowledge/b.md", "# B\ntable");
    assert_eq!(recalled(&folders.knowledge(), "lamp"), ["a: A"]);
    old.set_modified(then + std::time::Duration::from_secs(1)).unwrap();
    let knowledge = folders.knowledge();
    assert_eq!(recalled(&knowledge, "lump"), ["a: A"]);
    fs::remove_file(folders.agents.path().join("knowledge/a.md")).unwrap();
    assert_eq!(recalled(&knowledge, "lump table"), ["b: B"]);
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let folders = TestFolders::new();
    folders.write("knowledge/a.md", "# A\nlamp");
    assert_eq!(recalled(&folders.knowledge(), "lamp"), ["a: A"]);
    fs::write(folders.data.path().join(index::FILE), "no database at all".repeat(1000)).unwrap();
    assert_eq!(recalled(&folders.knowledge(), "lamp"), ["a: A"]);
    let nowhere = Knowledge::new(folders.agents.path(), Path::new("/proc/none"));
    assert_eq!(recalled(&nowhere, "lamp"), ["a: A"]);
}

// Notes removed while the service was not running leave the index at its start, with all their text.
#[test]
fn the_text_of_removed_agents_and_notes_is_cleared_at_the_start() {
    let folders = TestFolders::new();
    folders.write("clerk.yaml", "name: clerk\n");
    for (path, text) in [
        ("clerk/knowledge/shop.md", "# Shop\nThe kept word is marigold.\n"),
        ("knowledge/post.md", "# Post\nThe lost word is chrysanthemum.\n"),
        ("gone/knowledge/note.md", "# Note\nThe lost word is bougainvillea.\n"),
    ] {
        folders.write(path, text);
    }
    let knowledge = folders.knowledge();
    for agent in ["clerk", "gone"] {
        knowledge.known_now(&Scope::new(agent)).unwrap();
    }
    drop(knowledge);
    let held = |word: &str| {
        let bytes = fs::read(folders.data.path().join("knowledge.sqlite")).unwrap();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    };
    assert!(["marigold", "chrysanthemum", "bougainvillea"].into_iter().all(held));
    // The folder of a removed agent may remain.
    fs::remove_file(folders.agents.path().join("knowledge/post.md")).unwrap();
    let opened = Knowledge::open(folders.agents.path(), folders.data.path());
    assert!(held("marigold"));
    assert!(!["chrysanthemum", "bougainvillea"].into_iter().any(held), "its text is gone");
    assert_eq!(recalled(&opened, "marigold"), ["shop: Shop"]);
}

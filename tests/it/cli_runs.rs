//! `askfirst runs` as a person or a script types it: found by words, renamed, pinned, archived, run again, deleted.

use crate::support::cli::{Terminal, askfirst};
use crate::support::many_tasks::{fill_folder, title};

#[actix_web::test]
async fn tasks_are_managed_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let ids = fill_folder(&folder.path().join("data"), 12).await;
    let id = |n: usize| ids[n].to_string();
    let run = async |words: &[&str]| askfirst(folder.path(), words, &[]).await;

    let found = run(&["runs", "search", "лампа"]).await;
    assert_eq!((found.code, found.out.lines().count()), (0, 1), "{found:?}");
    assert!(found.out.contains(&id(6)) && found.out.contains(&title(6)), "{found:?}");
    let listed = run(&["runs", "list", "--limit", "3", "--json"]).await.json();
    assert_eq!((listed["items"].as_array().unwrap().len(), listed["cursor"].is_string()), (3, true));

    let renamed = run(&["runs", "rename", &id(0), "Birthday present"]).await;
    assert!(renamed.code == 0 && renamed.out.contains("Birthday present"), "{renamed:?}");
    assert_eq!(run(&["runs", "search", "birthday"]).await.out.lines().count(), 1);
    assert_eq!(run(&["runs", "pin", &id(0)]).await.code, 0);
    let first = run(&["runs", "list", "--limit", "1"]).await;
    assert!(first.out.contains("* Birthday present"), "{first:?}");
    assert_eq!(run(&["runs", "archive", &id(1), &id(2)]).await.code, 0);
    assert_eq!(run(&["runs", "list", "--archived"]).await.out.lines().count(), 2);
    assert_eq!(run(&["runs", "archive", "--off", &id(1)]).await.code, 0);
    assert_eq!(run(&["runs", "list", "--archived"]).await.out.lines().count(), 1);

    let unasked = run(&["runs", "delete", &id(3)]).await;
    assert!(unasked.code == 2 && unasked.err.contains("--yes"), "{unasked:?}");
    let deleted = run(&["runs", "delete", "--yes", &id(3), "none", &id(4)]).await;
    assert_eq!((deleted.code, deleted.out.lines().count()), (3, 2), "{deleted:?}");
    assert!(deleted.err.contains("none: there is no run none"), "{deleted:?}");
    assert_eq!(run(&["runs", "list"]).await.out.lines().count(), 9);
}

#[actix_web::test]
async fn a_person_is_asked_before_a_task_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let ids = fill_folder(&folder.path().join("data"), 2).await;
    for (typed, code, left) in [("n\n", 4, 2), ("yes\n", 0, 1)] {
        let mut terminal = Terminal::open(folder.path(), &["runs", "delete", ids[0].as_str()], &[]);
        terminal.shows("It cannot be undone").await;
        terminal.types(typed).await;
        let ended = terminal.ends().await;
        assert_eq!(ended.code, code, "{ended:?}");
        let listed = askfirst(folder.path(), &["runs", "list"], &[]).await;
        assert_eq!(listed.out.lines().count(), left, "{listed:?}");
    }
}

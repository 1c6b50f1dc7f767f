//! The language of whoever asks: over HTTP that of `Accept-Language`, on the command line that of the terminal.

use crate::support::cli::askfirst;
use crate::support::service::{TestService, answer, word};
use reqwest::Method;
use reqwest::header::ACCEPT_LANGUAGE;
use serde_json::{Value, json};

async fn get_in_language(app: &TestService, path: &str, language: &str) -> (u16, Value) {
    answer(app.request(Method::GET, path).header(ACCEPT_LANGUAGE, language)).await
}

#[actix_web::test]
async fn errors_are_in_the_language_that_the_request_accepts() {
    let app = TestService::start();
    let (status, english) = app.get("/api/runs/nothing").await;
    assert_eq!(
        (status, word(&english, "title"), word(&english, "detail")),
        (404, "Not Found".into(), "there is no run nothing".into())
    );
    for (language, title, detail) in [
        ("uk", "Не знайдено", "Запуску nothing немає."),
        ("uk-UA,uk;q=0.9,en;q=0.8", "Не знайдено", "Запуску nothing немає."),
        ("en-US,en;q=0.9,uk;q=0.8", "Not Found", "there is no run nothing"),
        ("de", "Not Found", "there is no run nothing"),
    ] {
        let (status, problem) = get_in_language(&app, "/api/runs/nothing", language).await;
        assert_eq!((status, word(&problem, "code")), (404, word(&english, "code")), "{language}");
        assert_eq!(
            (word(&problem, "title").as_str(), word(&problem, "detail").as_str()),
            (title, detail),
            "{language}"
        );
    }
    let (_, problem) = get_in_language(&app, "/api/runs?status=odd", "uk").await;
    assert!(word(&problem, "detail").starts_with("Статусу «odd» немає; є такі: "), "{problem}");
    app.finish().await;
}

#[actix_web::test]
async fn a_run_speaks_the_language_of_its_request_where_it_names_none() {
    let app = TestService::start();
    for (input, language, expected) in [
        (json!({"text": "x"}), Some("uk"), "Просить дозволу: May I?"),
        (json!({"text": "x"}), Some("en-GB"), "Asking for approval: May I?"),
        (json!({"text": "x"}), None, "Asking for approval: May I?"),
        // The locale of the input, then the language of its text, come before the request's language.
        (json!({"text": "x", "locale": "en"}), Some("uk"), "Asking for approval: May I?"),
        (json!({"text": "купи лампу"}), Some("en"), "Просить дозволу: May I?"),
    ] {
        let begin = app.request(Method::POST, "/api/runs").json(&json!({"agent": "asks", "input": input}));
        let begin = language.iter().fold(begin, |begin, language| begin.header(ACCEPT_LANGUAGE, *language));
        let (_, begun) = answer(begin).await;
        let run = word(&begun, "run_id");
        app.until(&run, "waiting").await;
        let (_, why) = app.get(&format!("/api/runs/{run}/why")).await;
        assert_eq!(why["because"], expected, "{input} {language:?}");
    }
    // A run without a language of its own is told of in that of whoever asks.
    let run = app.begin(json!({"agent": "asks", "input": {"text": "x"}})).await;
    app.until(&run, "waiting").await;
    let path = format!("/api/runs/{run}/why");
    assert_eq!(get_in_language(&app, &path, "uk").await.1["because"], "Просить дозволу: May I?");
    assert_eq!(get_in_language(&app, &path, "en").await.1["because"], "Asking for approval: May I?");
    app.finish().await;
}

#[actix_web::test]
async fn commands_speak_the_language_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let task = ["run", "echo_simple", "--input", "task=hello", "--json"];
    for (vars, ended, nobody, missing) in [
        (&[("LC_ALL", "uk_UA.UTF-8")][..], "виконано за ", "  ніхто: ", "Запуску nothing немає."),
        (
            &[("LC_ALL", ""), ("LC_MESSAGES", "uk_UA.UTF-8"), ("LANG", "C")],
            "виконано за ",
            "  ніхто: ",
            "Запуску nothing немає.",
        ),
        (&[("LC_ALL", ""), ("LANG", "C.UTF-8")], "succeeded in ", "  nobody: ", "there is no run nothing"),
        (
            &[("LC_ALL", "POSIX"), ("LANG", "uk_UA.UTF-8")],
            "succeeded in ",
            "  nobody: ",
            "there is no run nothing",
        ),
    ] {
        let ran = askfirst(folder.path(), &task, vars).await;
        assert!(ran.err.contains(ended), "{vars:?} {ran:?}");
        let run = word(&ran.json(), "run_id");
        let output = askfirst(folder.path(), &["why", &run], vars).await;
        assert!(output.out.contains(nobody), "{vars:?} {output:?}");
        let none = askfirst(folder.path(), &["why", "nothing"], vars).await;
        assert!(none.err.contains(missing), "{vars:?} {none:?}");
    }
}

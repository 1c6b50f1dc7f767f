//! Agents that are code or a command, through the whole service: the gate before them, what goes in and
//! what comes out. The sandbox itself has tests of its own.

use crate::support::agents::{ended, get, run, with_agents, with_settings};
use crate::support::app::TestApp;
use serde_json::{Value, json};

const SUM: &str = "
kind: atomic
inputs: [{name: numbers, type: list}]
locals: [{name: unit, value: UAH}]
outputs: [{name: total, type: number}, {name: text}]
python:
  code: |
    hidden = 1
    total = sum(numbers)
    text = f'{total} {unit}'
";

const UPPER: &str = "
kind: atomic
inputs: [{name: word}]
outputs: [{name: text}]
shell: {command: printf, args: ['%s|', '{{ word }}', 'a b; echo $HOME']}
";

/// Waits for the question that a run asks, and gives it.
async fn take_question(answer: &Value) -> Value {
    assert_eq!(answer["status"], "waiting", "{answer}");
    answer["questions"][0].clone()
}

async fn answer_question(app: &TestApp, question: &Value, answer: Value) -> Value {
    let http = reqwest::Client::new();
    let reference = question["reference"].as_str().unwrap();
    let response =
        http.post(format!("{}/api/questions/{reference}", app.base)).json(&answer).send().await.unwrap();
    assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    let run = question["run_id"].as_str().unwrap();
    ended(app, run).await
}

// S0.30, S0.31, S0.33: a function of its inputs asks nobody; only declared outputs leave it.
#[actix_web::test]
async fn code_and_commands_that_only_compute_ask_nobody() {
    let app = with_agents(&[("sum", SUM), ("upper", UPPER)], None).await;
    let done = run(&app, "sum", json!({"numbers": [1, 2.5]})).await;
    assert_eq!(
        (&done["ok"], &done["vars"]),
        (&json!(true), &json!({"total": 3.5, "text": "3.5 UAH"})),
        "{done}"
    );
    // S0.32: each argument is one, whatever stands in it.
    let mut done = Value::Null;
    for word in ["x'; $(id) \"q\"", "-n", "--help", "two\nlines", "{{ word }}", "`id`", "  "] {
        done = run(&app, "upper", json!({"word": word})).await;
        assert_eq!(done["vars"], json!({"text": format!("{word}|a b; echo $HOME|")}), "{done}");
    }
    let trace = get(&app, &format!("/api/runs/{}/trace", done["run_id"].as_str().unwrap())).await;
    let nodes: Vec<&str> =
        trace["steps"].as_array().unwrap().iter().map(|s| s["node"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["policy_gate", "execute", "finalize_done"]);
    let failed = run(&app, "sum", json!({"numbers": [1, "x"], "locale": "en"})).await;
    let error = failed["error"].as_str().unwrap();
    assert!(
        failed["status"] == "failed" && error.contains("TypeError") && error.contains("line 2"),
        "{failed}"
    );
    app.finish().await;
}

// C11: code and commands that touch files or variables ask first, and run once.
#[actix_web::test]
async fn code_with_files_and_commands_with_variables_ask_first() {
    let writes = "
kind: atomic
inputs: [{name: word}]
outputs: [{name: names, type: list}]
python:
  files: true
  code: |
    import os
    with open('files/note.txt', 'a') as note:
        note.write(word)
    names = sorted(os.listdir('files'))
";
    let env = "
kind: atomic
outputs: [{name: home}]
shell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}
";
    let app = with_agents(&[("writes", writes), ("env", env)], None).await;
    let waiting = run(&app, "writes", json!({"word": "so", "locale": "en"})).await;
    let question = take_question(&waiting).await;
    assert_eq!((&question["kind"], &question["payload"]["rule"]), (&json!("confirm"), &json!("python")));
    assert!(question["text"].as_str().unwrap().contains("with the files of this task"), "{question}");
    assert_eq!(question["payload"]["values"], json!({"word": "so"}));
    assert!(question["payload"]["action"]["params"]["code"].as_str().unwrap().contains("note.txt"));
    assert_eq!(question["remember"], json!(["once"]), "code is never remembered");
    let done = answer_question(&app, &question, json!({"confirmed": true})).await;
    assert_eq!(
        (&done["status"], &done["vars"]),
        (&json!("succeeded"), &json!({"names": ["note.txt"]})),
        "{done}"
    );
    let files = get(&app, &format!("/api/runs/{}/files", done["run_id"].as_str().unwrap())).await;
    assert_eq!(files["items"][0]["size"], 2, "{files}");

    let waiting = run(&app, "env", json!({"locale": "en"})).await;
    let question = take_question(&waiting).await;
    assert_eq!(question["payload"]["rule"], "shell");
    assert!(question["text"].as_str().unwrap().contains("`printenv CARGO_PKG_NAME`"), "{question}");
    let done = answer_question(&app, &question, json!({"confirmed": false})).await;
    assert_eq!((&done["status"], &done["vars"]), (&json!("cancelled"), &json!({})));
    app.finish().await;
}

// `read_file` of a run's own files does not ask; code that may only read them cannot change them.
#[actix_web::test]
async fn code_that_reads_the_files_of_its_run_does_not_ask() {
    let reads = "
kind: atomic
outputs: [{name: refused}, {name: names, type: list}]
python:
  files: read
  code: |
    import os
    try:
        open('files/note.txt', 'w').close()
        refused = ''
    except OSError as fault:
        refused = type(fault).__name__
    names = os.listdir('files')
";
    let types = "kind: atomic\noutputs: [{name: said}]\nshell: {command: sh, args: [-c, 'echo x > files/a || echo refused'], files: read}\n";
    let app = with_agents(&[("reads", reads), ("types", types)], None).await;
    let done = run(&app, "reads", json!({"locale": "en"})).await;
    assert_eq!(done["vars"]["names"], json!([]), "{done}");
    assert!(["OSError", "PermissionError"].contains(&done["vars"]["refused"].as_str().unwrap()), "{done}");
    let done = run(&app, "types", json!({"locale": "en"})).await;
    assert_eq!(done["vars"]["said"], "refused", "{done}");
    app.finish().await;
}

// A person must see all that they approve, whatever its length.
#[actix_web::test]
async fn question_values_are_shown_untruncated() {
    let types =
        "kind: atomic\ninputs: [{name: text}]\nshell: {command: echo, args: ['{{ text }}'], files: true}\n";
    let keeps = "kind: atomic\ninputs: [{name: text}]\npython: {files: true, code: 'x = text'}\n";
    let app = with_agents(&[("types", types), ("keeps", keeps)], None).await;
    let long = format!("{} and the tail", "a harmless word ".repeat(100));
    for (agent, rows) in [("types", &["command", "text"][..]), ("keeps", &["text"])] {
        let waiting = run(&app, agent, json!({"text": long, "locale": "en"})).await;
        let question = take_question(&waiting).await;
        let values = question["payload"]["values"].as_object().unwrap();
        assert_eq!(values.keys().collect::<Vec<_>>(), rows, "{agent}");
        assert!(values.values().all(|value| value.as_str().unwrap().contains("and the tail")), "{values:?}");
        let done = answer_question(&app, &question, json!({"confirmed": false})).await;
        assert_eq!(done["status"], "cancelled");
    }
    app.finish().await;
}

// The sentence in the reader's language comes first; the error of the code stands below it.
#[actix_web::test]
async fn code_that_fails_reports_why_in_the_language_of_the_reader() {
    let breaks = "kind: atomic\ntitle_ua: Лічильник\ntitle_en: Counter\npython: {code: 'x = 1 // 0'}\n";
    let app = with_agents(&[("breaks", breaks)], None).await;
    for (locale, first, second) in [
        (
            "uk",
            "Програма агента «Лічильник» зупинилася через помилку.",
            "Файла «nope.txt» немає; це виконання ще не має жодного.",
        ),
        (
            "en",
            "The program of the agent “Counter” stopped with an error.",
            "There is no file “nope.txt”; this run has none yet.",
        ),
    ] {
        let done = run(&app, "breaks", json!({"locale": locale})).await;
        let done = ended(&app, done["run_id"].as_str().unwrap()).await;
        let words = done["final_response"].as_str().unwrap();
        assert!(words.starts_with(&format!("{first}\n\nZeroDivisionError: ")), "{words}");
        assert!(words.contains("line 1: x = 1 // 0"), "{words}");
        let done = run(&app, "read_file", json!({"name": "nope.txt", "locale": locale})).await;
        let done = ended(&app, done["run_id"].as_str().unwrap()).await;
        let words = done["final_response"].as_str().unwrap();
        assert!(words.starts_with(&format!("{second}\n\nFileNotFoundError: There is no file")), "{words}");
    }
    app.finish().await;
}

// The question names the program by the title in its agent's file, in the reader's language.
#[actix_web::test]
async fn the_question_about_a_program_names_its_agent() {
    let app = with_agents(&[], None).await;
    for (locale, sentence, about, label) in [
        (
            "uk",
            "Виконати програму агента «Записати файл», із файлами цього завдання: програма може їх читати, змінювати й створювати.",
            "Записує текст у файл",
            "Увесь текст файла",
        ),
        (
            "en",
            "Run the program of the agent “Write a file”, with the files of this task: it can read, change and create them.",
            "Writes a text to a file",
            "The whole text of the file",
        ),
    ] {
        let waiting =
            run(&app, "write_file", json!({"name": "a.txt", "content": "x", "locale": locale})).await;
        let question = take_question(&waiting).await;
        let payload = &question["payload"];
        assert_eq!((&question["text"], &payload["effect"]), (&json!(sentence), &json!(sentence)));
        assert!(payload["about"].as_str().unwrap().starts_with(about), "{payload}");
        assert_eq!(
            (&payload["values"]["content"], &payload["labels"]["content"]),
            (&json!("x"), &json!(label))
        );
        answer_question(&app, &question, json!({"confirmed": false})).await;
    }
    app.finish().await;
}

// The owner's word takes the place of the sandbox: then everything asks.
#[actix_web::test]
async fn without_a_sandbox_all_code_asks() {
    let settings = [("ASKFIRST_SANDBOX__MEANS", "none")];
    let app = with_settings(&[("sum", SUM)], None, &settings).await;
    let waiting = run(&app, "sum", json!({"numbers": [1], "locale": "en"})).await;
    let question = take_question(&waiting).await;
    assert!(question["text"].as_str().unwrap().contains("without a sandbox"), "{question}");
    let done = answer_question(&app, &question, json!({"confirmed": true})).await;
    assert_eq!(done["vars"], json!({"total": 1, "text": "1 UAH"}), "{done}");
    app.finish().await;
}

// C4: a child asks its own question, and the lanes go on with its answer.
#[actix_web::test]
async fn a_child_asks_its_own_question() {
    let env = "kind: atomic\noutputs: [{name: home}]\nshell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}\n";
    let lanes = "
kind: composite
outputs: [{name: home}]
graph: {lanes: [{items: [{id: a, agent: env}]}]}
";
    let app = with_agents(&[("env", env), ("lanes", lanes)], None).await;
    let waiting = run(&app, "lanes", json!({"locale": "en"})).await;
    assert_eq!((&waiting["status"], &waiting["ok"]), (&json!("running"), &json!(false)), "{waiting}");
    let question = waiting["questions"][0].clone();
    assert_eq!(question["root_run_id"], waiting["run_id"]);
    assert_ne!(question["run_id"], waiting["run_id"]);
    let done = answer_question(&app, &question, json!({"confirmed": true})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let root = waiting["run_id"].as_str().unwrap();
    let whole = ended(&app, root).await;
    assert_eq!((&whole["status"], &whole["vars"]["home"]), (&json!("succeeded"), &json!("askfirst")));
    app.finish().await;
}

// C3: a program of another version is told by its name, and not taken for the one that is at hand.
#[actix_web::test]
async fn a_run_of_an_unknown_program_is_refused() {
    let writes = "kind: atomic\noutputs: [{name: x}]\npython: {code: 'x = 1', files: true}\n";
    let app = with_agents(&[("writes", writes)], None).await;
    let question = take_question(&run(&app, "writes", json!({"locale": "en"})).await).await;
    let database = rusqlite::Connection::open(app.data().join("askfirst.db")).unwrap();
    database.execute("update runs set program = 'premonition'", []).unwrap();
    let done = answer_question(&app, &question, json!({"confirmed": true})).await;
    assert_eq!(done["status"], "failed", "{done}");
    let words = done["final_response"].as_str().unwrap();
    assert!(words.contains("no program \"premonition\""), "{words}");
    app.finish().await;
}

// S0.36, S0.37: a run of a file that is faulty is refused with what to mend, not as if there were none.
#[actix_web::test]
async fn starting_an_agent_with_a_faulty_file_reports_its_faults() {
    let app = with_agents(&[("broken", "kind: atomic\npyhton: {code: x}\n")], None).await;
    let problem = run(&app, "broken", json!({})).await;
    assert_eq!((&problem["status"], &problem["code"]), (&json!(422), &json!("bad_agent")), "{problem}");
    assert_eq!((&problem["faults"][0]["line"], &problem["faults"][0]["path"]), (&json!(3), &json!("pyhton")));
    app.finish().await;
}

//! Inputs, outputs and errors of a Python agent's code: S0.30, S0.31, S2.25 to S2.28.

use crate::support::sandboxes::{TestSandbox, map, python, settings};
use askfirst::config::{self, SandboxMeans};
use askfirst::sandbox::calls::PythonCall;
use askfirst::sandbox::error::SandboxError;
use serde_json::{Value, json};

fn fixture() -> TestSandbox {
    TestSandbox::held_by(SandboxMeans::Auto)
}

async fn fault(fixture: &TestSandbox, code: &str, outputs: &[&str]) -> SandboxError {
    fixture.python(code, outputs).await.unwrap_err()
}

// S0.30, S0.31: each input is a variable, `context` holds all, and only declared outputs are returned.
#[tokio::test]
async fn inputs_are_variables_and_only_declared_outputs_leave() {
    let fixture = fixture();
    let inputs = map(json!({"name": "Олена", "list": [1, 2.5, null, true], "deep": {"a": {"b": "c"}}}));
    for (code, outputs, vars) in [
        ("result = {'text': name.upper(), 'other': 1}", vec!["text"], json!({"text": "ОЛЕНА"})),
        ("result = context['list']", vec!["all"], json!({"all": [1, 2.5, null, true]})),
        ("b = deep['a']['b']; a = sum(list[:2]); c = 3", vec!["a", "b"], json!({"a": 3.5, "b": "c"})),
        ("result = (1, 'two')", vec!["pair"], json!({"pair": [1, "two"]})),
        ("result = {'a': {1: 2}}\nb = 5", vec!["a"], json!({"a": {"1": 2}})),
        ("x = 1", vec![], json!({})),
        ("result = None", vec!["nothing"], json!({"nothing": null})),
        ("def f():\n    return name\nresult = [f() for _ in list][0]", vec!["n"], json!({"n": "Олена"})),
        ("result = 'a\"\\n\\u2028😀'", vec!["text"], json!({"text": "a\"\n\u{2028}😀"})),
        (
            "result = {'big': 2**63, 'small': -2**63}",
            vec!["big", "small"],
            json!({"big": 1u64 << 63, "small": i64::MIN}),
        ),
    ] {
        let call = PythonCall { inputs: inputs.clone(), ..python(code, &outputs) };
        let result = fixture.sandbox.python(call).await.unwrap();
        assert_eq!(Value::Object(result.vars), vars, "{code}");
    }
    fixture.is_clean().await;
}

// S2.26
#[tokio::test]
async fn imports_run_first_and_a_missing_library_is_reported_with_advice() {
    let fixture = fixture();
    let code = "print('this comes later')\nimport no_such_thing.inside\nresult = 1";
    let missing = fault(&fixture, code, &["r"]).await;
    assert_eq!(missing.code(), "missing_library");
    let words = missing.to_string();
    assert!(words.contains("ModuleNotFoundError: No module named 'no_such_thing'"), "{words}");
    assert!(words.contains("pip install no_such_thing") && words.contains("sandbox.python"), "{words}");
    let wrong = fault(&fixture, "from math import cosinus\nresult = 1", &["r"]).await;
    assert!(wrong.code() == "missing_library" && wrong.to_string().contains("correct the name"), "{wrong}");
    let guarded = "try:\n    import no_such_thing\nexcept ImportError:\n    no_such_thing = None\nresult = no_such_thing";
    assert_eq!(fixture.python(guarded, &["r"]).await.unwrap().vars["r"], Value::Null);
    let future = "from __future__ import annotations\nimport json, re\nfrom os import path as p\nresult = p.join('a', 'b')";
    assert_eq!(fixture.python(future, &["r"]).await.unwrap().vars["r"], "a/b");
}

// S2.27
#[tokio::test]
async fn code_without_a_result_lists_its_variables() {
    let fixture = fixture();
    let none = fault(&fixture, "import math\ntotal = 3\n_hidden = 4\nnames = ['a']", &["sum"]).await;
    assert_eq!(none.code(), "no_result");
    let words = none.to_string();
    assert!(words.contains("assign `result`, or a variable of each output's name: sum"), "{words}");
    assert!(words.contains("total (int), names (list)") && !words.contains("_hidden"), "{words}");
    let other = fault(&fixture, "result = {'c': 1}", &["a", "b"]).await.to_string();
    assert!(other.contains("`result` has none of the keys a, b"), "{other}");
    for half in ["result = {'a': 1}", "a = 1"] {
        let vars = fixture.python(half, &["a", "b"]).await.unwrap().vars;
        assert_eq!(Value::Object(vars), json!({"a": 1}), "whether `b` may be lacking is its agent's to say");
    }
    let plain = fault(&fixture, "result = 1", &["a", "b"]).await.to_string();
    assert!(plain.contains("of the type int; with 2 outputs it must be a map with the keys a, b"), "{plain}");
    let given = PythonCall { inputs: map(json!({"result": 5})), ..python("x = 1", &["sum"]) };
    assert_eq!(fixture.sandbox.python(given).await.unwrap_err().code(), "no_result");
}

// S2.27
#[tokio::test]
async fn interactive_python_functions_are_refused() {
    let fixture = fixture();
    for name in ["input", "breakpoint", "exit", "quit", "help"] {
        let refused = fault(&fixture, &format!("{name}()"), &[]).await.to_string();
        assert!(refused.contains(&format!("{name}() is not to be had in the sandbox")), "{refused}");
    }
    assert!(fixture.python("import sys\nresult = sys.stdin.read()", &["r"]).await.unwrap().vars["r"] == "");
    assert_eq!(fixture.python("import sys\nresult = 1\nsys.exit()", &["r"]).await.unwrap().vars["r"], 1);
    let ended = fault(&fixture, "import sys\nsys.exit('no more')", &["r"]).await;
    assert!(ended.code() == "exception" && ended.to_string().contains("no more"), "{ended}");
    let gone = fault(&fixture, "import os\nprint('last words', flush=True)\nos._exit(7)", &["r"]).await;
    assert_eq!(gone.code(), "no_answer");
    assert!(gone.to_string().contains("status 7") && gone.to_string().contains("last words"), "{gone}");
}

// S2.28
#[tokio::test]
async fn the_traceback_of_an_exception_has_only_lines_of_the_agents_code() {
    let fixture = fixture();
    let code = "import json\nprint('before')\ndef inner(x):\n    return json.loads(x)\n\nresult = inner('{')";
    let failed = fault(&fixture, code, &["r"]).await;
    let SandboxError::Exception { kind, message, traceback, printed, .. } = &failed else {
        panic!("{failed:?}")
    };
    assert_eq!(kind, "json.decoder.JSONDecodeError");
    assert!(message.starts_with("Expecting property name"), "{message}");
    assert_eq!(traceback, "line 6: result = inner('{')\nline 4, in inner: return json.loads(x)");
    assert_eq!((printed.as_str(), failed.traceback()), ("before\n", Some(traceback.as_str())));
    let syntax = fault(&fixture, "a = 1\nif a\n    b = 2", &["r"]).await;
    assert!(syntax.to_string().starts_with("SyntaxError: expected ':'"), "{syntax}");
    assert_eq!(syntax.traceback(), Some("line 2: if a"));
    let unspeakable = "class E(Exception):\n    def __str__(self):\n        return 1 / 0\nraise E()";
    assert!(fault(&fixture, unspeakable, &[]).await.to_string().contains("it cannot be told"));
}

// Messages of an exception in both languages; exceptions with other arguments are reported as before.
#[tokio::test]
async fn an_exception_may_have_messages_in_both_languages() {
    let fixture = fixture();
    let failed = fault(&fixture, "raise ValueError({'uk': 'Ні.', 'en': 'No.'})", &[]).await;
    let SandboxError::Exception { uk, en, .. } = &failed else { panic!("{failed:?}") };
    assert_eq!((uk.as_str(), en.as_str(), failed.to_string().as_str()), ("Ні.", "No.", "ValueError: No."));
    for other in ["{'uk': 'Ні.'}", "{'uk': 1, 'en': 2, 'de': 3}", "'uk', 'en'", ""] {
        let failed = fault(&fixture, &format!("raise ValueError({other})"), &[]).await;
        let SandboxError::Exception { uk, en, .. } = &failed else { panic!("{failed:?}") };
        assert_eq!((uk.as_str(), en.as_str()), ("", ""), "{other}");
    }
}

// S2.28: values that are no JSON are told by name and type.
#[tokio::test]
async fn a_result_that_is_no_json_is_reported_by_name_and_type() {
    let fixture = fixture();
    for (code, words) in [
        (
            "import datetime\nresult = {'when': datetime.date(2026, 1, 1)}",
            "`when` is of the type datetime.date",
        ),
        ("result = {'when': [1, {'x': {1, 2}}]}", "`when[1].x` is of the type set"),
        ("when = b'bytes'", "`when` is of the type bytes"),
        ("when = float('nan')", "`when` is nan, which is no number in JSON"),
        ("when = [-1e999]", "`when[0]` is -inf, which is no number in JSON"),
        ("when = 2 ** 64", "`when` is a number of more than 64 bits"),
        ("when = {(1, 2): 3}", "`when` has a key of the type tuple"),
        ("when = '\\ud800'", "`when` holds half of a character"),
        ("when = []\nwhen.append(when)", "goes deeper than 100 levels, or holds itself"),
        ("when = lambda: 1", "`when` is of the type function"),
    ] {
        let refused = fault(&fixture, code, &["when"]).await;
        assert!(refused.code() == "not_json" && refused.to_string().contains(words), "{refused}");
    }
    let hidden = fixture.python("_x = 1\nresult = {'_x': 1, 'a': 2}", &["_x", "a"]).await.unwrap();
    assert_eq!(Value::Object(hidden.vars), json!({"a": 2}));
}

// S2.25
#[tokio::test]
async fn a_working_folder_that_was_deleted_is_no_fault() {
    let fixture = fixture();
    let code = "import os\nwork = os.getcwd()\nos.rmdir(work)\nimport shutil\nresult = os.path.exists(work)";
    assert_eq!(fixture.python(code, &["there"]).await.unwrap().vars["there"], false);
    fixture.is_clean().await;
}

#[tokio::test]
async fn printed_text_is_separate_from_the_result() {
    let fixture = fixture();
    let code = "import os, subprocess, sys\nprint('one')\nprint('two', file=sys.stderr)\nos.write(1, b'three\\n')\n\
        subprocess.run(['echo', 'four'])\nprint('{\"vars\": {\"r\": 2}}')\nresult = 1";
    let result = fixture.python(code, &["r"]).await.unwrap();
    assert_eq!(result.vars["r"], 1);
    assert_eq!(result.printed, "one\ntwo\nthree\nfour\n{\"vars\": {\"r\": 2}}\n");
}

#[tokio::test]
async fn files_that_were_not_closed_are_written_and_libraries_are_found() {
    let fixture = fixture();
    let files = fixture.files();
    std::fs::write(files.join("in.txt"), "12").unwrap();
    let code = "import pathlib\nout = open('files/out.txt', 'w')\nout.write(pathlib.Path('files/in.txt').read_text() * 2)\nresult = 1";
    let call = PythonCall { files: Some(files.clone()), ..python(code, &["r"]) };
    fixture.sandbox.python(call).await.unwrap();
    assert_eq!(std::fs::read_to_string(files.join("out.txt")).unwrap(), "1212");
    let found = "import sys\nresult = [p for p in sys.path if p.endswith('-packages')]\ntry:\n    import nothing_here\nexcept ImportError:\n    pass\nresult = result or sys.path";
    assert!(fixture.python(found, &["r"]).await.unwrap().vars["r"].is_array());
    fixture.is_clean().await;
}

#[tokio::test]
async fn outputs_are_bounded() {
    let fixture = TestSandbox::open(config::Sandbox { output_kb: 10, ..settings(SandboxMeans::Auto) });
    let large = fault(&fixture, "result = 'x' * 20000", &["r"]).await;
    assert!(large.code() == "output_limit" && large.to_string().contains("10 KB"), "{large}");
    let many = fault(&fixture, "result = [[]] * 100000", &["r"]).await;
    assert_eq!(many.code(), "output_limit");
    assert_eq!(
        fixture.python("result = 'x' * 9000", &["r"]).await.unwrap().vars["r"].as_str().unwrap().len(),
        9000
    );
    fixture.is_clean().await;
}

#[tokio::test]
async fn the_configured_python_can_read_its_folder_and_a_missing_one_is_reported() {
    let missing = TestSandbox::open(config::Sandbox {
        python: Some("/nowhere/python3".into()),
        ..settings(SandboxMeans::Auto)
    });
    let refused = fault(&missing, "result = 1", &["r"]).await;
    assert!(
        refused.to_string().contains("there is no /nowhere/python3; correct sandbox.python"),
        "{refused}"
    );

    let home = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("/usr/bin/python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(home.path().join("venv"))
        .status();
    assert!(made.unwrap().success());
    let libraries = home.path().join("venv/lib").read_dir().unwrap().next().unwrap().unwrap().path();
    std::fs::write(libraries.join("site-packages/of_our_own.py"), "value = 42").unwrap();
    for means in crate::support::sandboxes::HELD {
        let python = Some(home.path().join("venv/bin/python3"));
        let fixture = TestSandbox::open(config::Sandbox { python, ..settings(means) });
        assert_eq!(
            fixture.python("import of_our_own\nresult = of_our_own.value", &["r"]).await.unwrap().vars["r"],
            42
        );
        let changed = "import of_our_own\nopen(of_our_own.__file__, 'w')";
        let refused = fault(&fixture, changed, &[]).await.to_string();
        assert!(
            refused.contains("Read-only file system") || refused.contains("Permission denied"),
            "{refused}"
        );
        fixture.is_clean().await;
    }
    let inside = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(inside.path().join("bin")).unwrap();
    std::os::unix::fs::symlink("/usr/bin/python3", inside.path().join("bin/python3")).unwrap();
    let settings =
        config::Sandbox { python: Some(inside.path().join("bin/python3")), ..settings(SandboxMeans::Auto) };
    let sandbox = askfirst::sandbox::Sandbox::open(&settings, inside.path().join("data/sandbox"));
    let refused = sandbox.python(python_one()).await.unwrap_err();
    assert!(refused.to_string().contains("holds the service's data"), "{refused}");
}

fn python_one() -> PythonCall {
    python("result = 1", &["r"])
}

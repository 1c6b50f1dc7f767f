//! Agents that run in an image (S4.28), with a small script in the place of podman: what it is told, when it is
//! told to build, and what is said where there is none.

use crate::support::agents::run;
use crate::support::app::TestApp;
use crate::support::python_packages::{Shop, builds, tasks};
use askfirst::cli::doctor;
use askfirst::cli::doctor::finding::Grade;
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::protocol::Locale;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Keeps images as files, writes down what it is told, and runs what would be in the container.
const ENGINE: &str = r#"#!/bin/bash
state="$(dirname "$0")"
echo "$*" >> "$state/told"
case "$1" in
  info) exit 0;;
  image)
    case "$2" in
      inspect) test -e "$state/image-${3//[\/:]/_}";;
      rm) rm "$state/image-${3//[\/:]/_}";;
    esac;;
  build)
    while [ $# -gt 1 ]; do
      case "$1" in
        --tag) tag="$2";;
        --file) file="$2";;
      esac
      shift
    done
    echo "STEP 1/2: FROM x"
    cp "$file" "$state/Containerfile"
    ls "$1" > "$state/context"
    if grep -q "RUN false" "$file"; then echo "error: RUN false ended with 1" >&2; exit 1; fi
    touch "$state/image-${tag//[\/:]/_}";;
  run)
    while [ "$1" != "--entrypoint" ]; do shift; done
    program="$2"; shift 3
    exec "$program" "$@";;
esac
"#;

fn engine(folder: &Path) -> PathBuf {
    let path = folder.join("engine/podman");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, ENGINE).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("engine/image-debian_12-slim"), "").unwrap();
    path
}

fn read_engine_log(app: &TestApp) -> Vec<String> {
    let text = std::fs::read_to_string(app.folder.path().join("engine/told")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

const PRINTS: &str = "
kind: atomic
inputs: [{name: word}]
outputs: [{name: text}]
shell: {command: printf, args: ['%s', '{{ word }}']}
build: {image: {from: 'debian:12-slim'}}
";

const ADDS: &str = "
kind: atomic
inputs: [{name: a, type: integer}]
outputs: [{name: sum, type: integer}]
python: {code: sum = a + 1}
build: {image: {file: Containerfile}}
";

fn error(run: &Value) -> &str {
    assert_eq!(run["status"], "failed", "{run}");
    run["error"].as_str().unwrap()
}

// S4.28: built once, then each call is a container without a network, with the bounds of every other call.
#[actix_web::test]
async fn an_agent_runs_in_its_image_without_a_network_and_within_the_bounds() {
    let shop = Shop::default();
    let engine = engine(shop.folder.path());
    shop.agent("prints", PRINTS);
    shop.agent("adds", ADDS);
    shop.file("adds", "Containerfile", "FROM debian:12-slim\nCOPY data.txt /data.txt\n");
    shop.file("adds", "data.txt", "1");
    let app = shop.serve(&[("ASKFIRST_BUILD__ENGINE", engine.to_str().unwrap())]).await;
    let done = run(&app, "prints", json!({"word": "a b; $HOME"})).await;
    assert_eq!(done["vars"], json!({"text": "a b; $HOME"}), "{done}");
    let ends = tasks(&app, &done).await.pop().unwrap();
    assert_eq!((&ends["status"], &ends["progress"]), (&json!("succeeded"), &json!(1.0)), "{ends}");
    let containerfile = app.folder.path().join("engine/Containerfile");
    assert_eq!(std::fs::read_to_string(&containerfile).unwrap(), "FROM debian:12-slim\n");
    let lines = read_engine_log(&app);
    let built = lines.iter().find(|line| line.starts_with("build ")).unwrap();
    assert!(
        built.contains("--tag askfirst-build:") && built.contains("--network none --pull=never"),
        "{built}"
    );
    let ran = lines.iter().find(|line| line.starts_with("run ")).unwrap();
    for words in [
        "--rm",
        "--network none",
        "--read-only",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--pids-limit 64",
        "--memory 512m --memory-swap 512m",
        "--ulimit cpu=60:61",
        "--user 65534:65534",
        "--tmpfs /tmp:rw,size=64m",
        "--workdir /work",
        "--entrypoint printf askfirst-build:",
    ] {
        assert!(ran.contains(words), "{words}: {ran}");
    }
    let added = run(&app, "adds", json!({"a": 41})).await;
    assert_eq!(added["vars"], json!({"sum": 42}), "{added}");
    let context = std::fs::read_to_string(app.folder.path().join("engine/context")).unwrap();
    assert!(context.contains("data.txt"), "{context}");
    let again = run(&app, "adds", json!({"a": 1})).await;
    assert_eq!((&again["vars"]["sum"], tasks(&app, &again).await.len()), (&json!(2), 0));
    let count = read_engine_log(&app).iter().filter(|line| line.starts_with("build ")).count();
    assert_eq!((count, builds(&app.data()).0.len()), (2, 2));
    std::fs::write(app.folder.path().join("agents/adds/data.txt"), "2").unwrap();
    let changed = run(&app, "adds", json!({"a": 1})).await;
    assert!(!tasks(&app, &changed).await.is_empty(), "what is copied is a part of the hash");
    app.finish().await;
}

// S4.28: no network without the settings' word, failures with their words, and no engine at all.
#[actix_web::test]
async fn a_failed_image_build_gives_advice() {
    let shop = Shop::default();
    let engine = engine(shop.folder.path());
    shop.agent("prints", PRINTS);
    shop.agent("adds", ADDS);
    let app = shop.serve(&[("ASKFIRST_BUILD__ENGINE", engine.to_str().unwrap())]).await;
    let file = app.folder.path().join("agents/adds/Containerfile");
    for (text, words) in [
        (
            "FROM alpine\n",
            "`alpine`, which its own begins with, is not on this machine; fetch it (podman pull alpine)",
        ),
        (
            "FROM debian:12-slim\nADD https://x.test/y /y\n",
            "`ADD https://x.test/y /y` in its Containerfile could reach for the network: use COPY",
        ),
        (
            "FROM debian:12-slim\nCOPY --from=evil.test/img /y /y\n",
            "`COPY --from=evil.test/img /y /y` in its Containerfile could reach for the network: name a stage",
        ),
        ("FROM debian:12-slim\nRUN false\n", "error: RUN false ended with 1"),
    ] {
        std::fs::write(&file, text).unwrap();
        let failed = run(&app, "adds", json!({"a": 1, "locale": "en"})).await;
        assert!(error(&failed).contains(words), "{failed}");
    }
    std::fs::remove_file(&engine).unwrap();
    let none = run(&app, "prints", json!({"word": "x", "locale": "en"})).await;
    assert!(error(&none).contains("neither podman nor docker on this machine; install one"), "{none}");
    app.finish().await;
}

// S4.28
#[tokio::test]
async fn doctor_reports_whether_images_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let check = async |program: &Path| {
        let flags = Flags { data_dir: Some(folder.path().join("data")), port: Some(0), ..Flags::default() };
        let vars = [
            ("ASKFIRST_BUILD__ENGINE", program.to_str().unwrap()),
            ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
        ];
        let settings = Settings::load(&flags, vars.map(|(n, v)| (n.to_owned(), v.to_owned()))).unwrap();
        doctor::run_checks(&settings, Locale::En)
            .await
            .into_iter()
            .find(|found| found.subject == "images")
            .unwrap()
    };
    let good = check(&engine).await;
    assert_eq!((good.grade, good.text.as_str()), (Grade::Good, "podman works"));
    let none = check(Path::new("/nowhere/podman")).await;
    assert_eq!(none.grade, Grade::Note);
    assert!(none.advice.unwrap().contains("build.engine") && none.text.contains("cannot run"));
}

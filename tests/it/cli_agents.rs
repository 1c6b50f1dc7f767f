//! `askfirst agents`: lists, checks, new agents, and agents as files, on a folder of agents of the test's own.

use crate::support::app::Process;
use crate::support::cli::{CommandResult, askfirst, askfirst_with};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A folder with data and agents, and a place for files beside them.
struct Workspace(tempfile::TempDir);

const LEAF: &str = "# Kept as it is.\nname: leaf\nkind: atomic\ninputs: [{name: n, type: integer}]\n\
    outputs: [{name: m, type: integer}]\npython: {code: \"m = n + 1\"}\n";
const TOP: &str = "name: top\nkind: composite\ninputs: [{name: n, type: integer}]\noutputs: [{name: m}]\n\
    graph:\n  lanes:\n    - items:\n        - id: one\n          agent: leaf\n          bindings:\n            \
    - {from_agent_item_id: __CTX__, from_var: n, to_agent_item_id: one, to_var: n}\n";

impl Workspace {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    async fn agents(&self, words: &[&str]) -> CommandResult {
        askfirst(self.0.path(), &[&["agents"], words].concat(), &[]).await
    }

    async fn agents_with(&self, words: &[&str], input: &str) -> CommandResult {
        askfirst_with(self.0.path(), &[&["agents"], words].concat(), &[], input).await
    }

    /// A file beside the data.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn saved(&self, name: &str) -> PathBuf {
        self.0.path().join("agents").join(format!("{name}.yaml"))
    }

    fn text_of(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.saved(name)).ok()
    }
}

#[actix_web::test]
async fn agents_are_listed_and_shown() {
    let workspace = Workspace::new();
    let listed = workspace.agents(&["list"]).await;
    assert_eq!((listed.code, listed.err.as_str()), (0, ""), "{listed:?}");
    let line = listed.out.lines().find(|line| line.starts_with("browser ")).unwrap();
    assert!(line.contains("text") && line.ends_with("Browser"), "{line}");
    // S0.34: the same bare list.
    let listed = workspace.agents(&["list", "--json"]).await.json();
    assert!(listed.as_array().unwrap().iter().any(|agent| agent["name"] == "browser"), "{listed}");

    let shown = workspace.agents(&["show", "browser"]).await;
    assert!(shown.out.contains("inputs   text (string): What to do, in plain words."), "{shown:?}");
    assert!(shown.out.ends_with("askfirst run browser --input text=…\n"), "{shown:?}");
    assert_eq!(workspace.agents(&["show", "browser", "--json"]).await.json()["name"], "browser");
    let yaml = workspace.agents(&["show", "browser", "--yaml"]).await;
    assert_eq!(Some(yaml.out), workspace.text_of("browser"), "comments and all");

    let unknown = workspace.agents(&["show", "nosuch"]).await;
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""));
    assert!(unknown.err.contains("there is no agent nosuch"), "{unknown:?}");
    std::fs::write(workspace.saved("broken"), "name: broken\nkind: none\n").unwrap();
    let listed = workspace.agents(&["list"]).await;
    let line =
        listed.out.lines().find(|line| line.starts_with("broken ")).unwrap_or_else(|| panic!("{listed:?}"));
    assert!(line.contains("has errors") && line.ends_with("see `askfirst agents validate broken`"), "{line}");
    let broken = workspace.agents(&["show", "broken"]).await;
    assert_eq!(broken.code, 3, "{broken:?}");
    assert!(broken.err.contains("askfirst agents validate broken"), "{broken:?}");
}

#[actix_web::test]
async fn faults_are_printed_with_file_line_and_hint() {
    let workspace = Workspace::new();
    let good = workspace.file("good.yaml", LEAF);
    // S3.1: the orchestrator comes with the service, and has no file.
    let talks =
        "name: talks\nkind: atomic\nllm: {prompt: hi, uses: [agent_orchestrate, cp__agent_orchestrate]}\n";
    let talks = workspace.agents(&["validate", &workspace.file("talks.yaml", talks)]).await;
    assert_eq!(talks.code, 0, "{talks:?}");
    let fine = workspace.agents(&["validate", &good]).await;
    assert_eq!((fine.code, fine.out.as_str()), (0, ""), "{fine:?}");

    // The second document of the file calls one that is not there, as its own line says.
    let both =
        workspace.file("both.yaml", &format!("{LEAF}---\n{}", TOP.replace("agent: leaf", "agent: laef")));
    let faulty = workspace.agents(&["validate", &both]).await;
    assert_eq!(faulty.code, 3, "{faulty:?}");
    let line = both_line(&both, "agent: laef");
    let fault_line = format!(
        "{both}:{line}: graph.lanes[0].items[0].agent: there is no agent \"laef\" (did you mean \"leaf\"?)"
    );
    assert!(faulty.out.lines().any(|line| line == fault_line), "{fault_line}\n{faulty:?}");

    let as_json = workspace.agents(&["validate", &both, "--json"]).await;
    assert_eq!((as_json.code, &as_json.json()["ok"]), (3, &json!(false)), "{as_json:?}");
    let faults = as_json.json()["faults"].clone();
    assert_eq!((&faults[0]["file"], &faults[0]["line"]), (&json!(both), &json!(line)), "{faults}");
    assert_eq!(faults[0]["hint"], "did you mean \"leaf\"?");

    // Given together they know each other, in whatever order.
    let top = workspace.file("top.yaml", TOP);
    assert_eq!(workspace.agents(&["validate", &top]).await.code, 3);
    assert_eq!(workspace.agents(&["validate", &top, &good]).await.code, 0);

    let piped = workspace.agents_with(&["validate", "-"], "name: x\nkind: atomic\npython: {cod: 1}\n").await;
    assert_eq!(piped.code, 3, "{piped:?}");
    assert!(piped.out.starts_with("-:3: python"), "{piped:?}");
    assert_eq!(workspace.agents(&["validate", "browser"]).await.code, 0);
    std::fs::write(workspace.saved("broken"), "name: broken\nkind: none\n").unwrap();
    let broken = workspace.agents(&["validate", "broken"]).await;
    assert_eq!(broken.code, 3);
    assert!(broken.out.starts_with("broken:2: kind"), "{broken:?}");
    assert_eq!(workspace.agents(&["validate", "/nowhere/x.yaml"]).await.code, 2);
    assert_eq!(workspace.agents(&["validate", "nosuch"]).await.code, 2);
}

/// Files with faults of all kinds, each with words of what is told of it; no words: it is sound.
fn files_to_check() -> Vec<(&'static str, String, &'static str)> {
    let calls = |agent: &str| TOP.replace("agent: leaf", &format!("agent: {agent}"));
    let lock = "build: {pip: {lock: ../lock.txt}}\n";
    let long = format!("{LEAF}# {}\n", "x".repeat(600_000));
    vec![
        ("sound", LEAF.to_owned(), ""),
        ("calls_what_is_there", calls("echoes"), ""),
        ("calls_nobody", calls("nobody"), "there is no agent \"nobody\""),
        ("calls_what_is_faulty", calls("broken"), "has errors of its own"),
        ("calls_a_tool_of_no_server", calls("'mcp:nobody/tool'"), "nobody"),
        (
            "uses_nobody",
            "name: a\nkind: atomic\nllm: {prompt: hi, uses: [nobody]}\n".into(),
            "there is no agent",
        ),
        ("no_yaml", String::from("name: [\n"), ":"),
        ("no_agent", String::from("- 1\n"), ":"),
        ("empty", String::new(), ":"),
        ("unknown_key", LEAF.replace("code:", "cod:"), "cod"),
        ("no_kind", LEAF.replace("kind: atomic", "kind: none"), "kind"),
        ("bad_name", LEAF.replace("name: leaf", "name: Leaf"), "name"),
        ("own_name", LEAF.replace("name: leaf", "name: agent_orchestrate"), "service's own"),
        ("name_of_the_api", LEAF.replace("name: leaf", "name: import"), "a word of the API"),
        ("lock_elsewhere", format!("{LEAF}{lock}"), "build.pip.lock"),
        ("build_beside", LEAF.replace("name: leaf", "name: built"), "build"),
        ("too_long", long, "kB"),
        (
            "old_form",
            "name: old\ntitle: Старий\nexecutor: llm\nprompt: hi\noutputs: [{name: x}]\n".into(),
            "",
        ),
    ]
}

// `agents validate` and `import` agree, on the command line and over HTTP.
#[actix_web::test]
async fn import_refuses_the_faults_that_validate_finds() {
    let workspace = Workspace::new();
    std::fs::create_dir_all(workspace.0.path().join("agents/built")).unwrap();
    std::fs::write(workspace.saved("echoes"), LEAF.replace("name: leaf", "name: echoes")).unwrap();
    std::fs::write(workspace.saved("broken"), "name: broken\nkind: none\n").unwrap();
    std::fs::write(workspace.0.path().join("agents/built/build.tool.yml"), "pip: {lock: /etc/passwd}\n")
        .unwrap();
    let service = Process::start(workspace.0.path(), &[]).await;
    let http = reqwest::Client::new();
    for (name, text, words) in files_to_check() {
        let file = workspace.file(&format!("{name}.yaml"), &text);
        let checked = workspace.agents(&["validate", &file]).await;
        let imported = workspace.agents(&["import", "--overwrite", &file]).await;
        let errors = |typed: &CommandResult| {
            let lines =
                typed.out.lines().filter(|line| line.starts_with(&file) && !line.contains(": warning: "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(checked.code, imported.code, "{name}:\n{checked:?}\n{imported:?}");
        assert_eq!(errors(&checked), errors(&imported), "{name}:\n{checked:?}\n{imported:?}");
        assert_eq!(checked.code, if words.is_empty() { 0 } else { 3 }, "{name}: {checked:?}");
        assert!(checked.out.contains(words), "{name}: {checked:?}");

        let url = |path: &str| format!("{}/api/agents/{path}", service.base);
        let body = json!({"documents": [{"yaml": text}], "overwrite": true});
        let reply: Value = http.post(url("validate")).json(&body).send().await.unwrap().json().await.unwrap();
        let answer = http.post(url("import")).json(&body).send().await.unwrap();
        assert_eq!(answer.status() == 200, reply["ok"] == true, "{name}: {reply}");
        assert_eq!(reply["ok"] == true, words.is_empty(), "{name}: {reply}");
        let refused: Value = answer.json().await.unwrap();
        if !words.is_empty() {
            assert_eq!(refused["documents"], reply["documents"], "{name}");
        }
        // A file checked alone gets the same result as among several.
        let alone = http.post(url("validate")).header("content-type", "application/yaml").body(text.clone());
        let alone: Value = alone.send().await.unwrap().json().await.unwrap();
        assert_eq!(
            (&alone["ok"], &alone["faults"]),
            (&reply["ok"], &reply["documents"][0]["faults"]),
            "{name}"
        );
    }
    assert!(service.terminate().await.success());
}

// An existing agent is never reported as missing; a file beside it counts only once it is given, too.
#[actix_web::test]
async fn a_missing_agent_in_a_neighbouring_file_is_named() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.0.path().join("mine")).unwrap();
    let top = workspace.file("mine/top.yaml", TOP);
    let leaf = workspace.file("mine/leaf.yaml", LEAF);
    for order in ["validate", "import"] {
        let alone = workspace.agents(&[order, &top]).await;
        assert_eq!(alone.code, 3, "{order}: {alone:?}");
        let hint = format!("there is no agent \"leaf\" ({leaf} lies beside it: name that file, too)");
        assert!(alone.out.contains(&hint), "{order}: {alone:?}");
    }
    assert_eq!(workspace.agents(&["validate", &top, &leaf]).await.code, 0);
    // With a fault of its own, too, what it calls is known.
    let odd = workspace.file(
        "odd.yaml",
        &TOP.replace("agent: leaf", "agent: browser").replace("graph:", "lines: 1\ngraph:"),
    );
    let validated = workspace.agents(&["validate", &odd]).await;
    assert!(validated.code == 3 && !validated.out.contains("there is no agent"), "{validated:?}");
    std::fs::write(&leaf, "name: leaf\nkind: none\n").unwrap();
    let faulty = workspace.agents(&["validate", &top, &leaf]).await;
    assert!(faulty.out.contains("the agent \"leaf\" has errors of its own (fix it first)"), "{faulty:?}");
    assert_eq!(workspace.agents(&["import", &top, &leaf]).await.code, 3);
}

fn both_line(file: &str, words: &str) -> usize {
    let text = std::fs::read_to_string(file).unwrap();
    1 + text.lines().position(|line| line.contains(words)).unwrap()
}

#[actix_web::test]
async fn generated_agents_are_valid_and_replace_nothing() {
    let workspace = Workspace::new();
    for (name, kind, executor) in [
        ("a_llm", "atomic", Some("llm")),
        ("a_python", "atomic", Some("python")),
        ("a_shell", "atomic", Some("shell")),
        ("a_browser", "atomic", Some("browser")),
        ("lanes", "composite", None),
    ] {
        let mut words = vec!["new", name, "--kind", kind];
        words.extend(executor.iter().flat_map(|executor| ["--executor", executor]));
        let made = workspace.agents(&words).await;
        assert_eq!(made.code, 0, "{made:?}");
        let checked = workspace.agents(&["validate", name]).await;
        assert_eq!((checked.code, checked.out.as_str()), (0, ""), "{name}: {checked:?}");
        let text = workspace.text_of(name).unwrap();
        assert!(text.contains(&format!("name: {name}\n")) && text.contains("# "), "{text}");
        assert!(!text.to_lowercase().contains("new agent") && !text.contains("Новий"), "{text}");
        std::fs::write(workspace.saved(name), format!("{text}# mine\n")).unwrap();
        let again = workspace.agents(&words).await;
        assert_eq!(again.code, 2, "{again:?}");
        assert!(again.err.contains(&format!("there is an agent {name} already")), "{again:?}");
        assert!(workspace.text_of(name).unwrap().ends_with("# mine\n"));
    }
    for name in ["../evil", "Bad", "a-b", "", "/etc/x"] {
        let refused = workspace.agents(&["new", name, "--kind", "composite"]).await;
        assert_eq!(refused.code, 2, "{name}: {refused:?}");
    }
    let titled = [
        "new",
        "words",
        "--kind",
        "atomic",
        "--executor",
        "llm",
        "--title-ua",
        "Слова",
        "--title-en",
        "Words",
    ];
    assert_eq!(workspace.agents(&titled).await.code, 0);
    let listed = workspace.agents(&["list", "--json"]).await.json();
    let titles: Vec<&Value> = listed.as_array().unwrap().iter().map(|agent| &agent["title_en"]).collect();
    for title in ["A llm", "A python", "A shell", "A browser", "Lanes", "Words"] {
        assert!(titles.contains(&&json!(title)), "{title}: {titles:?}");
    }
    let file = workspace.path("x.yaml");
    let words = ["new", "other", "--kind", "atomic", "--executor", "python", "-o", file.as_str()];
    assert_eq!(workspace.agents(&words).await.code, 0);
    assert!(std::fs::read_to_string(&file).unwrap().contains("name: other"));
    assert_eq!(workspace.agents(&words).await.code, 2, "a file that is there is not replaced");
    assert!(workspace.text_of("other").is_none());
}

#[actix_web::test]
async fn agents_are_exported_with_the_agents_that_they_call() {
    let (here, there) = (Workspace::new(), Workspace::new());
    // In one file, the caller first.
    let file = here.file("both.yaml", &format!("{TOP}---\n{LEAF}"));
    let came = here.agents(&["import", &file]).await;
    assert_eq!((came.code, came.out.as_str()), (0, "saved leaf\nsaved top\n"), "{came:?}");
    assert_eq!((here.text_of("leaf").as_deref(), here.text_of("top").as_deref()), (Some(LEAF), Some(TOP)));

    let alone = here.agents(&["export", "top"]).await;
    assert_eq!((alone.code, alone.out.as_str()), (0, TOP));
    let both = here.agents(&["export", "top", "--with-used"]).await;
    assert_eq!(both.out, format!("{TOP}---\n{LEAF}"));
    let out = here.path("out.yaml");
    assert_eq!(here.agents(&["export", "top", "--with-used", "-o", &out]).await.code, 0);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), both.out);
    let again = here.agents(&["export", "top", "-o", &out]).await;
    assert_eq!(again.code, 2, "{again:?}");
    assert_eq!(here.agents(&["export", "top", "-o", &out, "--overwrite"]).await.code, 0);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), TOP);

    let folder = here.path("agents-out/");
    assert_eq!(here.agents(&["export", "top", "--with-used", "-o", &folder]).await.code, 0);
    let files = ["leaf", "top"].map(|name| format!("{folder}{name}.yaml"));
    let came = there.agents(&["import", &files[1], &files[0]]).await;
    assert_eq!(came.code, 0, "{came:?}");
    assert_eq!(there.text_of("leaf").as_deref(), Some(LEAF));
    // S0.21: and they work there.
    let ran = askfirst(there.0.path(), &["run", "top", "-i", "n=4", "--json"], &[]).await;
    assert_eq!((ran.code, &ran.json()["vars"]["m"]), (0, &json!(5)), "{ran:?}");

    std::fs::remove_file(here.saved("leaf")).unwrap();
    let lacking = here.agents(&["export", "top", "--with-used"]).await;
    assert_eq!((lacking.code, lacking.out.as_str()), (3, TOP), "{lacking:?}");
    assert!(lacking.err.contains("there is no agent leaf, which top calls"), "{lacking:?}");
    assert_eq!(here.agents(&["export", "nosuch"]).await.code, 2);
}

#[actix_web::test]
async fn an_import_saves_all_of_them_or_none() {
    let workspace = Workspace::new();
    let leaf = workspace.file("leaf.yaml", LEAF);
    let bad = workspace.file("bad.yaml", "name: bad\nkind: atomic\npython: {}\n");
    let refused = workspace.agents(&["import", &leaf, &bad]).await;
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.out.starts_with(&format!("{bad}:")), "{refused:?}");
    assert!(workspace.text_of("leaf").is_none() && workspace.text_of("bad").is_none());

    assert_eq!(workspace.agents(&["import", &leaf]).await.code, 0);
    let same = workspace.agents(&["import", &leaf]).await;
    assert_eq!((same.code, same.out.as_str()), (0, "unchanged leaf\n"), "{same:?}");
    let (changed, top) =
        (workspace.file("changed.yaml", &LEAF.replace("n + 1", "n + 2")), workspace.file("top.yaml", TOP));
    let taken = workspace.agents(&["import", &top, &changed]).await;
    assert_eq!(taken.code, 2, "{taken:?}");
    assert!(taken.err.contains("there already: leaf; --overwrite replaces them"), "{taken:?}");
    assert_eq!((workspace.text_of("leaf").as_deref(), workspace.text_of("top")), (Some(LEAF), None));

    // The last of them cannot be written: those before it are as they were.
    std::fs::create_dir(workspace.saved("top")).unwrap();
    let broken = workspace.agents(&["import", "--overwrite", &top, &changed]).await;
    assert_eq!(broken.code, 3, "{broken:?}");
    assert_eq!(workspace.text_of("leaf").as_deref(), Some(LEAF), "{broken:?}");
    std::fs::remove_dir(workspace.saved("top")).unwrap();
    let replaced = workspace.agents(&["import", "--overwrite", &top, &changed]).await;
    assert_eq!((replaced.code, replaced.out.as_str()), (0, "replaced leaf\nsaved top\n"), "{replaced:?}");
}

// S0.15: names cannot leave the folder.
#[actix_web::test]
async fn no_name_leaves_the_folder() {
    let workspace = Workspace::new();
    for name in ["../evil", "/tmp/evil", "a/b", "..", "evil.yaml", "Evil", "%2e%2e%2fevil"] {
        let file = workspace.file("evil.yaml", &LEAF.replace("name: leaf", &format!("name: {name:?}")));
        let refused = workspace.agents(&["import", "--overwrite", &file]).await;
        assert_eq!(refused.code, 3, "{name}: {refused:?}");
        assert!(refused.out.contains("name: must be a-z"), "{name}: {refused:?}");
        for words in [["show", name], ["export", name]] {
            assert_eq!(workspace.agents(&words).await.code, 2, "{words:?}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(workspace.0.path().join("agents")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("evil")), "{left:?}");
    assert!(!Path::new("/tmp/evil.yaml").exists());
}

#[actix_web::test]
async fn a_running_service_learns_of_new_agents() {
    let workspace = Workspace::new();
    let service = Process::start(workspace.0.path(), &[("ASKFIRST_SERVER__TOKEN", "0123456789abcdef")]).await;
    let leaf = workspace.file("leaf.yaml", LEAF);
    assert_eq!(workspace.agents(&["import", &leaf]).await.code, 0);
    let listed: Value = workspace.agents(&["list", "--json"]).await.json();
    assert!(listed.as_array().unwrap().iter().any(|agent| agent["name"] == "leaf"), "{listed}");
    let ran = askfirst(workspace.0.path(), &["run", "leaf", "--input", "n=41"], &[]).await;
    assert_eq!((ran.code, ran.out.as_str()), (0, "42\n"), "{ran:?}");
    // A new file that will be edited names its schema.
    let file = workspace.path("fresh.yaml");
    let words = ["new", "fresh", "--kind", "atomic", "--executor", "python", "-o", file.as_str()];
    assert_eq!(workspace.agents(&words).await.code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text.lines().next().unwrap();
    assert!(line.starts_with("# yaml-language-server: $schema=http://127.0.0.1:"), "{line}");
    assert!(line.ends_with("/api/schema/agent"), "{line}");
    assert!(service.terminate().await.success());
}

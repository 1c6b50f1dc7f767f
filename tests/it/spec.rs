//! Agent files: both ways between text and types, what is refused and how, the folder.

use askfirst::agent_spec::check;
use askfirst::agent_spec::files::built_in::BUILT_IN;
use askfirst::agent_spec::files::library::Library;
use askfirst::agent_spec::parse::fault::SpecFault;
use askfirst::agent_spec::types::conversation_parts::VisionMode;
use askfirst::agent_spec::types::spec::{AgentSpec, Kind, TitleLanguage};
use askfirst::config::Settings;
use askfirst::config::layers::Flags;

const WORKFLOW: &str = r#"
name: workflow_demo
title_ua: "Демо-процес"
description_ua: "Дві смуги"
title_en: "Workflow demo"
kind: composite
inputs: [{name: task, type: string, description: "what", default: null, required: true}]
locals: [{name: tone, value: "polite"}]
outputs: [{name: text}]
graph:
  lanes:
    - items:
        - {id: 7d0c, agent: classify_task, bindings: [{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: 7d0c, to_var: task}]}
    - items:
        - {id: 1b2a, agent: echo_simple, when: {var: is_complex, equals: false}, ui: {lane_index: 1, order: 0, x: 1.5, y: 2.5}}
        - {id: 9f3e, agent: echo_plan, when: {var: is_complex, equals: true}, bindings: [{from_agent_item_id: 7d0c, from_var: why, to_agent_item_id: 9f3e, to_var: why}]}
limits: {total_steps: 20, money: 0.5}
durability: ephemeral
"#;

const EXECUTORS: [(&str, &str); 4] = [
    (
        "llm",
        "llm: {prompt: 'Say {{ x }}', system: s, parse_json: true, model: m, temperature: 0.2, uses: [echo], knowledge: {relics: [a], shared: false}, premoves: [{name: now, agent: time, params: {zone: utc}, ttl_s: 5, tokens: 50}], compaction: false, tasks: off, plan: true, thinking: {mode: always, budget_tokens: 900}, vision: true}",
    ),
    ("python", "python: {code: 'result = 1', timeout_s: 5}"),
    ("shell", "shell: {command: ls, args: [-l], cwd: sub, timeout_s: 5, allow_failure: true, env: [EDITOR]}"),
    (
        "browser",
        "browser: {goal: g, start_url: 'http://a.test/', allowed_hosts: [a.test], uses: [echo], plan: false, thinking: auto, knowledge: off, premoves: on, compaction: off, tasks: true, vision: true, profile: p, script: [{action: click, target: {role: button, name: Buy}}]}",
    ),
];

fn atomic(section: &str) -> String {
    format!(
        "name: one\ntitle_ua: Один\nkind: atomic\ninputs: [{{name: x}}]\noutputs: [{{name: y}}]\n{section}\n"
    )
}

fn complaints(text: &str) -> String {
    let faults = check::read(text, "one").unwrap_err();
    faults.iter().map(SpecFault::to_string).collect::<Vec<_>>().join("\n")
}

// S0.5, S0.6, S0.7, S0.8, S0.9, S0.10, S0.12, S0.13, S0.14, S0.15
#[test]
fn yaml_and_json_map_one_to_one_both_ways() {
    let mut texts = vec![("workflow_demo", WORKFLOW.to_owned())];
    texts.extend(EXECUTORS.iter().map(|(_, section)| ("one", atomic(section))));
    texts.extend(BUILT_IN.iter().map(|(name, text)| (*name, (*text).to_owned())));
    for (name, text) in texts {
        let spec = check::read(&text, name).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let yaml = check::write(&spec).unwrap();
        assert_eq!(check::read(&yaml, name).as_ref(), Ok(&spec), "{yaml}");
        let json = serde_json::to_value(&spec).unwrap();
        assert_eq!(serde_json::from_value::<AgentSpec>(json.clone()).unwrap(), spec);
        let options = serde_saphyr::options! { strict_booleans: true };
        let plain: serde_json::Value = serde_saphyr::from_str_with_options(&text, options).unwrap();
        for (key, value) in plain.as_object().unwrap() {
            assert_eq!(&json[key], value, "{name}: {key}");
        }
    }
}

#[test]
fn the_section_names_the_executor() {
    for (word, section) in EXECUTORS {
        let spec = check::read(&atomic(section), "one").unwrap();
        assert_eq!((spec.kind, spec.executor()), (Kind::Atomic, Some(word)));
    }
    assert_eq!(check::read(WORKFLOW, "workflow_demo").unwrap().executor(), None);
}

// S0.6, C18
#[test]
fn titles_fall_back() {
    let spec = |titles: &str| {
        check::read(&format!("name: one\nkind: atomic\npython: {{code: x}}\n{titles}"), "one").unwrap()
    };
    assert_eq!(spec("").title(TitleLanguage::Uk), "one");
    assert_eq!(spec("title_ua: ' '").title(TitleLanguage::En), "one");
    assert_eq!(spec("title_ua: Один").title(TitleLanguage::En), "Один");
    assert_eq!(spec("title_ua: Один\ntitle_en: One").title(TitleLanguage::En), "One");
}

#[test]
fn faults_say_where_and_what_to_write() {
    for (text, expected) in [
        ("name: One\nkind: atomic\npython: {code: x}", "`name` must be a-z"),
        ("name: two\nkind: atomic\npython: {code: x}", "`name` must be \"one\""),
        ("name: one\nkind: atomic", "exactly one of llm, python, shell, browser"),
        ("name: one\nkind: atomic\npython: {code: x}\nshell: {command: x}", "exactly one of"),
        ("name: one\nkind: atomic\npython: {code: x}\ngraph: {lanes: []}", "`graph` belongs to a composite"),
        ("name: one\nkind: composite", "`graph` is missing"),
        ("name: one\nkind: composite\ngraph: {lanes: []}\nllm: {prompt: x}", "`llm` belongs to an atomic"),
        (
            "name: one\nkind: atomic\npython: {code: x}\ninputs: [{name: a}, {name: a}]",
            "`inputs[1].name` \"a\" appears twice",
        ),
        ("name: one\nkind: atomic\npython: {code: x}\noutputs: [{name: 'a b'}]", "`outputs[0].name`"),
        (
            "name: one\nkind: atomic\nbrowser: {start_url: 'file:///etc/passwd'}",
            "`browser.start_url` must be an address",
        ),
        (
            "name: one\nkind: atomic\nbrowser: {allowed_hosts: ['http://a.test/']}",
            "`browser.allowed_hosts[0]`",
        ),
        // The profile's name becomes the name of a folder.
        ("name: one\nkind: atomic\nbrowser: {profile: ../../etc}", "`browser.profile` must be a-z"),
        (
            "name: one\nkind: atomic\npython: {code: x}\nlimits: {tool_steps: 0}",
            "`limits.tool_steps` must be more than 0",
        ),
        (
            "name: one\nkind: composite\ngraph: {lanes: [{items: [{id: a, agent: B}]}]}",
            "`graph.lanes[0].items[0].agent` \"B\" is not an agent name",
        ),
        (
            "name: one\nkind: composite\ngraph: {lanes: [{items: [{id: a, agent: b}, {id: a, agent: b}]}]}",
            "`graph.lanes[0].items[1].id`",
        ),
        (
            "name: one\nkind: composite\ngraph: {lanes: [{items: [{id: a, agent: b, bindings: [{from_agent_item_id: z, from_var: x, to_agent_item_id: a, to_var: y}]}]}]}",
            "\"z\" is neither __CTX__ nor the id of an item",
        ),
    ] {
        let faults = complaints(text);
        assert!(faults.contains(expected), "{text}\nsays: {faults}\nnot: {expected}");
    }
}

#[test]
fn an_unreadable_agent_file_names_its_line() {
    for (text, line) in [
        ("name: one\nkind: atom\n", 2),
        ("name: one\nkind: atomic\npython: {code: x}\ntitel_ua: Один\n", 4),
        ("name: one\nkind: atomic\npython:\n  cod: x\n", 4),
        ("name: [\n", 1),
    ] {
        let faults = check::read(text, "one").unwrap_err();
        assert!(faults[0].line.is_some_and(|found| found >= line), "{text}: {faults:?}");
        assert!(!faults[0].message.contains('\n'), "{faults:?}");
    }
}

// C5, S3.27
#[test]
fn limits_of_an_agent_file_lift_no_limit_of_the_settings() {
    let home = [("HOME".to_owned(), "/home/olena".to_owned())];
    let mut settings = Settings::load(&Flags::default(), home).unwrap().limits;
    settings.tokens = Some(1_000);
    let text = atomic(
        "python: {code: x}\nlimits: {tool_steps: 60, orchestration_steps: 99, total_steps: 5, tokens: 9000, wall_s: 7}",
    );
    let limits = check::read(&text, "one").unwrap().limits(&settings);
    assert_eq!((limits.tool_steps, limits.orchestration_steps, limits.total_steps), (60, 12, 5));
    assert_eq!((limits.tokens, limits.wall_s, limits.iterations), (Some(1_000), Some(7), 50));
    let plain = check::read(&atomic("python: {code: x}"), "one").unwrap();
    assert_eq!(plain.limits(&settings), settings);
}

#[test]
fn the_folder_is_filled_and_a_bad_file_affects_no_other() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("agents");
    let first = Library::open(&folder).unwrap();
    let browser = first.get("browser").unwrap();
    assert_eq!((browser.executor(), browser.inputs[0].name.as_str()), (Some("browser"), "text"));
    assert!(browser.browser.as_ref().unwrap().goal.as_ref().unwrap().contains("Never invent"));

    let (_, shipped) = BUILT_IN.iter().find(|(name, _)| *name == "browser").unwrap();
    let mine = shipped.replace("vision: false", "vision: true");
    std::fs::write(folder.join("browser.yaml"), &mine).unwrap();
    std::fs::write(folder.join("broken.yaml"), "name: [").unwrap();
    std::fs::write(folder.join("notes.txt"), "no agent").unwrap();
    let again = Library::open(&folder).unwrap();
    assert_eq!(
        again.get("browser").unwrap().browser.as_ref().unwrap().vision.mode(),
        VisionMode::Always,
        "a changed file is kept"
    );
    assert_eq!(again.list().len(), BUILT_IN.len());
    assert!(again.get("broken").is_none() && !again.find_faults("broken").is_empty());
    assert_eq!(again.faults().len(), 1);

    std::fs::write(root.path().join("file"), "").unwrap();
    let refused = Library::open(&root.path().join("file")).unwrap_err().to_string();
    assert!(refused.contains("agents_dir"), "{refused}");
}

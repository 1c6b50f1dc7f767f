//! Kinds of faults in agent files, one row each: path, line, words and hint, all exact; and files with arbitrary
//! content.

use askfirst::agent_spec::agent_lookup::AgentLookup;
use askfirst::agent_spec::check;
use askfirst::agent_spec::files::library::Library;
use askfirst::agent_spec::types::spec::AgentSpec;
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Lookup with the agent `echo` alone, which returns its input `text`.
struct Echo;

impl AgentLookup for Echo {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        let text = "name: echo\nkind: atomic\ninputs: [{name: text, type: string}]\n\
                    outputs: [{name: text, type: string}]\npython: {code: x}\n";
        (name == "echo").then(|| Arc::new(check::parse(text).unwrap()))
    }

    fn names(&self) -> Vec<String> {
        vec![String::from("echo")]
    }
}

/// `path|line|message|hint` of each error, one a line.
fn faults_as_text(text: &str) -> String {
    let examined = check::examine(text, None, Some(&Echo));
    let line = |fault: &askfirst::agent_spec::parse::fault::SpecFault| {
        let line = fault.line.map_or_else(|| String::from("?"), |line| line.to_string());
        format!("{}|{line}|{}|{}", fault.path, fault.message, fault.hint.as_deref().unwrap_or_default())
    };
    examined.errors().map(line).collect::<Vec<_>>().join("\n")
}

const ONE: &str = "name: one\nkind: atomic\noutputs: [{name: y}]\n";

/// Lanes with the lists of items that are given, from line 6 on.
fn flow(lanes: &[&[&str]]) -> String {
    let mut text = String::from(
        "name: flow\nkind: composite\ninputs: [{name: n, type: integer}, {name: t, type: string}]\ngraph:\n  lanes:\n",
    );
    for items in lanes {
        text.push_str("    - items:\n");
        items.iter().for_each(|item| text.push_str(&format!("        - {item}\n")));
    }
    text
}

fn echo(id: &str, from: &str, var: &str) -> String {
    format!(
        "{{id: {id}, agent: echo, bindings: [{{from_agent_item_id: {from}, from_var: {var}, to_agent_item_id: {id}, to_var: text}}]}}"
    )
}

// S0.6 to S0.13, S0.15
#[test]
fn each_kind_of_fault_has_its_path_its_line_and_what_to_write() {
    let (a, b) = (echo("a", "__CTX__", "t"), echo("b", "__CTX__", "t"));
    for (kind, text, expected) in [
        (
            "an unknown agent",
            flow(&[&["{id: a, agent: ecko}"]]),
            &["graph.lanes[0].items[0].agent|7|there is no agent \"ecko\"|did you mean \"echo\"?"][..],
        ),
        (
            "a required input that is not bound",
            flow(&[&[&b], &["{id: a, agent: echo}"]]),
            &[
                "graph.lanes[1].items[0]|9|leaves the input \"text\" of echo without a value|add to its bindings {from_agent_item_id: __CTX__, from_var: text, to_agent_item_id: a, to_var: text}",
            ][..],
        ),
        (
            "a binding to a later lane",
            flow(&[&[&echo("a", "b", "text")], &[&b]]),
            &[
                "graph.lanes[0].items[0].bindings[0].from_agent_item_id|7|\"b\" is in a later lane, 2; lanes run from left to right|move it to lane 1 or before",
            ][..],
        ),
        (
            "a circle in a lane",
            flow(&[&[&echo("a", "b", "text"), &echo("b", "a", "text")]]),
            &[
                "graph.lanes[0].items[0].bindings|7|items of one lane wait for each other: a waits for b waits for a|put one of them into a lane of its own",
            ][..],
        ),
        (
            "an id twice",
            flow(&[&[&a], &[&b, &a]]),
            &[
                "graph.lanes[1].items[1].id|10|\"a\" must be an id of its own; another item has it|write a_2, say, in its bindings too",
            ][..],
        ),
        (
            "a binding of another type",
            flow(&[&[&echo("a", "__CTX__", "n")]]),
            &[
                "graph.lanes[0].items[0].bindings[0]|7|gives an integer, and text takes a string|bind a string, or change one of the types",
            ][..],
        ),
        (
            "a default of another type",
            format!("{ONE}inputs:\n  - name: a\n    type: list\n    default: 1\npython: {{code: x}}\n"),
            &["inputs[0].default|7|must be a list, as its type says, not an integer|"][..],
        ),
        (
            "a type that is none",
            format!("{ONE}inputs:\n  - {{name: a, type: int}}\npython: {{code: x}}\n"),
            &["inputs[0].type|5|\"int\" is not a type|write integer"][..],
        ),
        (
            "a template that is none",
            format!("{ONE}llm:\n  prompt: |\n    Say\n    {{{{ y\n"),
            &[
                "llm.prompt|7|is not a valid template: syntax error: unexpected end of input, expected end of variable block (line 2 of the template)|",
            ][..],
        ),
        (
            "a template that asks for what is not there",
            format!("{ONE}inputs: [{{name: tone}}]\nllm:\n  prompt: |\n    Say\n    {{{{ tune }}}}\n"),
            &[
                "llm.prompt|8|asks for \"tune\", which is not an input or local value of the agent|did you mean \"tone\"?",
            ][..],
        ),
        (
            "a condition that is not a valid expression",
            flow(&[&[&a.replace("bindings", "when: {expr: n >}, bindings")]]),
            &[
                "graph.lanes[0].items[0].when.expr|7|is not a valid expression: syntax error: unexpected end of input, expected expression (line 1 of the template)|write a condition, such as: score > 3 and not done",
            ][..],
        ),
        (
            "an unknown key",
            format!("{ONE}python:\n  code: x\n  timeuot_s: 3\n"),
            &["python.timeuot_s|6|unknown key|did you mean \"timeout_s\"?"][..],
        ),
        (
            "an unknown key that is like none",
            format!("{ONE}python:\n  code: x\n  colour: 3\n"),
            &["python.colour|6|unknown key|there are code, files, timeout_s"][..],
        ),
        (
            "a missing key",
            String::from("name: one\npython: {code: x}\noutputs: [{name: y}]\n"),
            &["kind|1|is missing|"][..],
        ),
        (
            "an atomic agent with lanes",
            String::from("name: one\nkind: atomic\ngraph:\n  lanes: []\n"),
            &[
                "|1|must have exactly one of llm, python, shell, browser, since its kind is atomic|",
                "graph|3|belongs to a composite agent; write kind: composite or leave it out|",
            ][..],
        ),
        (
            "a composite agent with a section",
            format!("{}python: {{code: x}}\n", flow(&[&[&a]])),
            &["python|8|belongs to an atomic agent; write kind: atomic or leave it out|"][..],
        ),
        (
            "a composite agent without lanes",
            String::from("name: one\nkind: composite\n"),
            &["graph|1|is missing; a composite agent has a graph with lanes|"][..],
        ),
        (
            "an atomic agent without a section",
            ONE.to_owned(),
            &["|1|must have exactly one of llm, python, shell, browser, since its kind is atomic|"][..],
        ),
        (
            "two sections",
            format!("{ONE}python: {{code: x}}\nshell: {{command: ls}}\n"),
            &["shell|5|must have exactly one of llm, python, shell, browser, since its kind is atomic|"][..],
        ),
        (
            "a kind that is none",
            ONE.replace("atomic", "automic") + "python: {code: x}\n",
            &["kind|2|must be atomic or composite|did you mean \"atomic\"?"][..],
        ),
        (
            "a name that leaves the folder",
            ONE.replace("one", "../one") + "python: {code: x}\n",
            &["name|1|must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters|"][..],
        ),
        (
            "a name that is a path",
            ONE.replace("one", "/etc/one") + "python: {code: x}\n",
            &["name|1|must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters|"][..],
        ),
        (
            "an agent that is a path",
            flow(&[&["{id: a, agent: ../echo}"]]),
            &["graph.lanes[0].items[0].agent|7|\"../echo\" is not an agent name|"][..],
        ),
        (
            "a folder that leaves its own",
            format!("{ONE}shell:\n  command: ls\n  cwd: ../x\n"),
            &["shell.cwd|6|must be a folder below the agent's own: neither absolute nor with `..`|"][..],
        ),
        (
            "no YAML",
            format!("{ONE}python: {{code: x\n"),
            &["|4|is not valid YAML: unclosed bracket '{'|"][..],
        ),
        (
            "a text that is not closed",
            format!("{ONE}title_en: \"x\n"),
            &["|5|is not valid YAML: invalid indentation in multiline quoted scalar|"][..],
        ),
        (
            "a tab",
            format!("{ONE}python:\n\tcode: x\n"),
            &[
                "|5|is not valid YAML: tabs disallowed within this context (block indentation)|indent with spaces; YAML takes no tabs there",
            ][..],
        ),
        (
            "a key twice",
            format!("{ONE}python: {{code: x}}\ntitle_en: a\nkind: atomic\n"),
            &["kind|6|appears twice; keep one|"][..],
        ),
        (
            "a key twice further in",
            format!("{ONE}python:\n  code: x\n  code: y\n"),
            &["python.code|6|appears twice; keep one|"][..],
        ),
        (
            "an alias of nothing",
            format!("{ONE}python: {{code: x}}\nlocals:\n  - {{name: a, value: *b}}\n"),
            &["|6|is not valid YAML: while parsing node, found unknown anchor|"][..],
        ),
        (
            "two documents",
            format!("{ONE}python: {{code: x}}\n---\n{ONE}"),
            &["|6|has a second document|write one agent a file; `askfirst agents import` takes them apart"][..],
        ),
        (
            "a zero byte",
            format!("{ONE}python: {{code: x}}\ntitle_en: a\0b\n"),
            &["|5|is not valid YAML: unexpected character: `\\u{0}'|"][..],
        ),
        (
            "a list",
            String::from("- name: one\n"),
            &[
                "|1|must be a map with the keys name, title_ua, title_en, description_ua, description_en, kind, inputs, locals, outputs, llm, python, shell, browser, build, graph, limits, durability, idempotent|",
            ][..],
        ),
        (
            "nothing",
            String::new(),
            &[
                "|1|must be a map with the keys name, title_ua, title_en, description_ua, description_en, kind, inputs, locals, outputs, llm, python, shell, browser, build, graph, limits, durability, idempotent|",
            ][..],
        ),
        (
            "a mark of a byte order and returns",
            format!("\u{feff}{ONE}python:\n  cod: x\n").replace('\n', "\r\n"),
            &["python.cod|5|unknown key|did you mean \"code\"?", "python.code|5|is missing|"][..],
        ),
        (
            "JSON",
            String::from(
                "{\"name\": \"one\", \"kind\": \"atomic\",\n \"python\": {\"cod\": \"x\"},\n \"outputs\": [{\"name\": \"y\"}]}",
            ),
            &["python.cod|2|unknown key|did you mean \"code\"?", "python.code|2|is missing|"][..],
        ),
    ] {
        assert_eq!(faults_as_text(&text), expected.join("\n"), "{kind}:\n{text}");
    }
}

/// Files that nobody writes by hand.
fn hostile() -> Vec<(&'static str, String)> {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    let mut doubled = String::from("{name: one, kind: atomic, python: {code: x}, inputs: [&b0 {name: y}");
    for n in 1..40 {
        let before = n - 1;
        laughs.push_str(&format!("a{n}: &a{n} [{}]\n", format!("*a{before}, ").repeat(9)));
        doubled.push_str(&format!(", &b{n} {{name: y, default: [*b{before}, *b{before}]}}"));
    }
    vec![
        (
            "a billion laughs",
            format!(
                "{ONE}python: {{code: x}}\nlocals:\n  - name: a\n    value:\n      {}",
                laughs.replace('\n', "\n      ")
            ),
        ),
        ("a billion laughs in braces", doubled + "]}\n"),
        ("lists in lists", format!("{ONE}python: {{code: {}x", "[".repeat(250_000))),
        (
            "closed lists in lists",
            format!("{ONE}locals: [{{name: a, value: {}{}}}]", "[".repeat(50_000), "]".repeat(50_000)),
        ),
        ("lists in lists in a block", format!("{ONE}locals: \n  {}x", "- ".repeat(100_000))),
        ("maps in maps", format!("{ONE}python: {}x", "{a: ".repeat(100_000))),
        ("keys that are maps", format!("{ONE}{}x", "? ".repeat(100_000))),
        ("5 MB of keys", (0..400_000).map(|n| format!("key_{n}: x\n")).collect()),
        ("5 MB of one text", format!("{ONE}title_en: {}\n", "x ".repeat(2_500_000))),
        ("5 MB of inputs", format!("{ONE}inputs:\n{}", "  - {nam: x}\n".repeat(400_000))),
        ("500 kB of inputs", format!("{ONE}inputs:\n{}", "  - {nam: x}\n".repeat(38_000))),
        ("zero bytes", "\0".repeat(5_000)),
        ("marks of a byte order", "\u{feff}".repeat(5_000)),
        ("returns", "\r".repeat(5_000)),
    ]
}

#[test]
fn absurd_agent_files_are_refused_briefly() {
    for (kind, text) in hostile() {
        let faults = check::examine(&text, None, Some(&Echo)).faults;
        assert!(!faults.is_empty(), "{kind} passes");
        for fault in &faults {
            assert!(fault.line.is_some(), "{kind}: {fault}");
        }
        let words: usize = faults.iter().map(|fault| fault.to_string().len()).sum();
        assert!(faults.len() <= 101 && words < 40_000, "{kind}: {} faults, {words} bytes", faults.len());
    }
}

/// A folder of agents, and a file in it.
fn library() -> (tempfile::TempDir, Library) {
    let home = tempfile::tempdir().unwrap();
    let library = Library::open(&home.path().join("agents")).unwrap();
    (home, library)
}

/// True if the file is an agent or each of its faults has a line.
fn is_agent_or_has_lines(library: &Library, folder: &Path, bytes: &[u8]) -> bool {
    std::fs::write(folder.join("agents/one.yaml"), bytes).unwrap();
    let faults = library.find_faults("one");
    library.get("one").is_some() || (!faults.is_empty() && faults.iter().all(|fault| fault.line.is_some()))
}

#[test]
fn files_that_are_no_text_or_too_long_have_a_line_too() {
    let (home, library) = library();
    assert!(is_agent_or_has_lines(&library, home.path(), b"name: one\nkind: \xff\n"));
    let fault = library.find_faults("one").remove(0);
    assert_eq!((fault.line, fault.message.as_str()), (Some(2), "it is not UTF-8 text"));
    assert!(is_agent_or_has_lines(&library, home.path(), &[b'#'; 5_000_000]));
    let fault = library.find_faults("one").remove(0);
    assert_eq!((fault.line, fault.message.as_str()), (Some(1), "it has more than 512 kB"));
}

/// A file that is one, in today's form or an older one, before something happens to it.
fn sound() -> impl Strategy<Value = String> {
    let mut texts: Vec<String> =
        crate::tidy::source::files(&["agents"], "yaml").into_iter().map(|file| file.text).collect();
    for old in [
        "name: one\ntitle: Один\nexecutor: llm\ninputs: [task]\nprompt: 'Say {task}'\n",
        "name: one\nexecutor: {type: python, code: x}\ninputs: {n: int, m: {type: bool, default: true}, k: }\n",
        "name: one\nsteps:\n  - {id: c, tool: echo, with: {text: '{{ task }}'}, if: '{{ y }}'}\n  - {tool: echo, with: {text: 1}}\n",
        "name: one\nlanes:\n  - [echo, {node: echo, id: b}]\n  - items: [echo]\n",
    ] {
        texts.push(old.to_owned());
    }
    proptest::sample::select(texts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // Any bytes are an agent, or have faults with lines; nothing panics.
    #[test]
    fn any_bytes_are_an_agent_or_have_faults_with_lines(all in vec(vec(any::<u8>(), 0..200), 8)) {
        let (home, library) = library();
        for bytes in all {
            prop_assert!(is_agent_or_has_lines(&library, home.path(), &bytes), "{:?}", bytes);
        }
    }

    // The same of agents that something happened to: pieces gone, doubled, moved, and other bytes put in.
    #[test]
    fn damaged_agent_files_have_faults_with_lines(
        text in sound(),
        cuts in vec((any::<prop::sample::Index>(), 0..40usize, any::<prop::sample::Index>()), 1..6),
        odd in vec(any::<u8>(), 0..4),
    ) {
        let mut bytes = text.into_bytes();
        for (from, length, to) in cuts {
            let start = from.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            let piece: Vec<u8> = if length % 2 == 0 { bytes.drain(start..end).collect() } else { bytes[start..end].to_vec() };
            let at = to.index(bytes.len() + 1);
            bytes.splice(at..at, piece.into_iter().chain(odd.iter().copied().take(length % 5)));
        }
        let (home, library) = library();
        prop_assert!(is_agent_or_has_lines(&library, home.path(), &bytes), "{}", String::from_utf8_lossy(&bytes));
        if let Ok(text) = String::from_utf8(bytes) {
            for fault in check::examine(&text, Some("one"), Some(&Echo)).faults {
                prop_assert!(fault.line.is_some(), "{}\n{}", text, fault);
            }
        }
    }
}

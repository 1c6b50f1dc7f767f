//! Every fault of an agent file: where it is, and what to write instead.

use askfirst::agent_spec::agent_lookup::AgentLookup;
use askfirst::agent_spec::check;
use askfirst::agent_spec::parse::fault::{Severity, SpecFault};
use askfirst::agent_spec::types::spec::AgentSpec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Agents that others may name.
struct Known(BTreeMap<String, Arc<AgentSpec>>);

impl Known {
    fn new() -> Self {
        let texts = [
            "name: classify_task\nkind: atomic\ninputs: [{name: task, type: string}]\n\
             outputs: [{name: is_complex, type: boolean}, {name: why, type: string}]\n\
             llm: {prompt: '{{ task }}', parse_json: true}\n",
            "name: echo\nkind: atomic\ninputs: [{name: text, type: string}]\n\
             outputs: [{name: text, type: string}]\npython: {code: x}\n",
            "name: count\nkind: atomic\ninputs: [{name: n, type: integer, default: 1}, {name: step, required: false}]\n\
             outputs: [{name: n, type: integer}]\npython: {code: x}\n",
            "name: enter\nkind: atomic\ninputs: [{name: key, secret: true}]\npython: {code: x, files: true}\n",
            "name: surf\nkind: atomic\noutputs: [{name: answer, type: string}]\nbrowser: {goal: x}\n",
        ];
        let read = |text: &str| check::parse(text).unwrap();
        Self(texts.map(read).into_iter().map(|spec| (spec.name.clone(), Arc::new(spec))).collect())
    }
}

impl AgentLookup for Known {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.0.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

fn faults(text: &str) -> Vec<SpecFault> {
    check::examine(text, None, Some(&Known::new())).faults
}

fn list_faults(text: &str) -> String {
    faults(text).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const ATOMIC: &str = "name: one\nkind: atomic\noutputs: [{name: y}]\n";

// S0.6 to S0.14, S0.31 to S0.33
#[test]
fn faults_of_one_agent_name_their_line_and_what_to_write() {
    for (text, expected) in [
        // Keys and kinds of values.
        ("python: {code: x}\ntitel_ua: Один", "line 5: `titel_ua` unknown key; did you mean \"title_ua\"?"),
        ("python: {code: x}\ntitl: Один", "`titl` unknown key; did you mean \"title_ua\"?"),
        ("python:\n  cod: x", "line 5: `python.cod` unknown key; did you mean \"code\"?"),
        ("python:\n  cod: x", "line 5: `python.code` is missing"),
        ("python: x", "line 4: `python` must be a map with the keys code, files, timeout_s"),
        ("llm: {prompt: x, parse_json: yes}", "`llm.parse_json` must be true or false; write true or false"),
        ("llm: {prompt: x, vision: sometimes}", "`llm.vision` must be"),
        ("python: {code: x, timeout_s: soon}", "`python.timeout_s` must be a whole number"),
        ("python: {code: x, timeout_s: -1}", "`python.timeout_s` must be at least 0"),
        ("python: {code: x, timeout_s: 1.5}", "`python.timeout_s` must be a whole number"),
        ("python: {code: null}", "`python.code` must be text"),
        ("python: {code: x}\ninputs: text", "line 5: `inputs` must be a list"),
        ("python: {code: x}\ninputs:\n  - {type: string}", "line 6: `inputs[0].name` is missing"),
        ("python: {code: x}\ndurability: forever", "`durability` must be durable or ephemeral"),
        ("python: {code: x}\nkind: atomic", "line 5: `kind` appears twice"),
        // Names, types, defaults.
        (
            "python: {code: x}\ninputs: [{name: a, type: int}]",
            "`inputs[0].type` \"int\" is not a type; write integer",
        ),
        (
            "python: {code: x}\ninputs: [{name: a, type: sting}]",
            "\"sting\" is not a type; did you mean \"string\"?",
        ),
        (
            "python: {code: x}\ninputs:\n  - name: a\n    type: integer\n    default: many",
            "line 8: `inputs[0].default` must be an integer, as its type says, not a string",
        ),
        (
            "python: {code: x}\ninputs: [{name: a}]\nlocals: [{name: a, value: 1}]",
            "line 6: `locals[0].name` \"a\" is an input already",
        ),
        // Sections.
        ("llm: {prompt: ' '}", "`llm.prompt` is empty"),
        ("llm: {prompt: x, temperature: 3}", "`llm.temperature` must be from 0 to 2"),
        ("llm: {prompt: x, uses: [Echo]}", "`llm.uses[0]` \"Echo\" is not an agent name"),
        (
            "llm: {prompt: x, uses: [ecko]}",
            "`llm.uses[0]` there is no agent \"ecko\"; did you mean \"echo\"?",
        ),
        (
            "browser: {uses: [nobody_at_all]}",
            "there is no agent \"nobody_at_all\"; there are classify_task, count, echo, enter, surf",
        ),
        ("python: {code: x, timeout_s: 0}", "`python.timeout_s` must be at least 1 second"),
        // S0.32, S0.33: these parameters, of these types, and no others.
        ("shell: {args: [x]}", "`shell.command` is missing"),
        ("shell: {command: [ls]}", "`shell.command` must be text"),
        ("shell: {command: ls, args: -l}", "`shell.args` must be a list"),
        ("shell: {command: ls, cwd: [a]}", "`shell.cwd` must be text"),
        ("shell: {command: ls, timeout_s: soon}", "`shell.timeout_s` must be a whole number"),
        ("shell: {command: ls, allow_failure: maybe}", "`shell.allow_failure` must be true or false"),
        ("shell: {command: ls, files: all}", "`shell.files` must be true or false or read"),
        ("shell: {command: ls, env: {A: b}}", "`shell.env` must be a list"),
        ("shell: {command: ls, timeout: 5}", "`shell.timeout` unknown key"),
        ("shell: {command: ls, user: root}", "`shell.user` unknown key"),
        // Sandboxing is a matter of the settings, not of the agent file.
        ("shell: {command: ls, sandbox: none}", "`shell.sandbox` unknown key"),
        ("python: {code: x, sandbox: none}", "`python.sandbox` unknown key"),
        ("python: {code: x}\nsandbox: {means: none}", "`sandbox` unknown key"),
        ("shell: {command: ''}", "`shell.command` is empty"),
        ("shell: {command: ls, cwd: /etc}", "`shell.cwd` must be a folder below the agent's own"),
        ("shell: {command: ls, cwd: a/../../b}", "`shell.cwd` must be a folder below"),
        (
            "shell: {command: ls, env: [A=b]}",
            "`shell.env[0]` has `A=b`, which is not a variable name; list names only, without values",
        ),
        (
            "shell: {command: ls, env: [HOME]}",
            "`shell.env[0]` has `HOME`, which the sandbox sets itself; leave it out",
        ),
        (
            "shell: {command: ls, env: [ASKFIRST_SERVER__TOKEN]}",
            "a setting of the service, which never passes",
        ),
        (
            "python: {code: x}\nlocals: [{name: __proto__, value: a}]",
            "`locals[0].name` \"__proto__\" begins with __",
        ),
        // Templates.
        ("llm:\n  prompt: |\n    Hello\n    {{ name }", "line 7: `llm.prompt` is not a valid template: "),
        (
            "llm:\n  prompt: |\n    Hello\n    {{ nmae }}\ninputs: [{name: name}]",
            "line 7: `llm.prompt` asks for \"nmae\", which is not an input or local value of the agent; did you mean \"name\"?",
        ),
        ("llm: {prompt: x, system: '${{ tone }}'}", "`llm.system` asks for \"tone\""),
        ("shell: {command: ls, args: [-l, '{{ dir }}']}", "`shell.args[1]` asks for \"dir\""),
        ("browser: {goal: '{{ what }}'}", "`browser.goal` asks for \"what\""),
        ("browser: {start_url: '{{ where }}'}", "`browser.start_url` asks for \"where\""),
        (
            "browser: {script: [{action: type, target: {role: textbox, name: '{{ field }}'}}]}",
            "`browser.script[0].target.name` asks for \"field\"",
        ),
    ] {
        let text = format!("{ATOMIC}{text}\n");
        let faults = list_faults(&text);
        assert!(faults.contains(expected), "{text}\nsays: {faults}\nnot: {expected}");
    }
}

#[test]
fn sensible_agents_have_no_faults() {
    for text in [
        "llm: {prompt: '{% for i in range(3) %}{{ i }}{{ tone }}{% endfor %}'}\nlocals: [{name: tone, value: 1}]",
        "llm: {prompt: '{% if x is defined %}{{ x }}{% endif %}{{ y | default(1) }}'}",
        "browser: {goal: '{{ text }} {{ locale }}'}",
        "shell: {command: ls, cwd: a/b, args: ['{{ x }}'], env: [LC_ALL, _A1]}\ninputs: [{name: x}]",
        "python: {code: x}\ninputs: [{name: a, type: number, default: 1}, {name: b, type: list, default: null}]",
        "llm: {prompt: x, parse_json: true, uses: [echo, one]}\ntitle_ua: 2024",
    ] {
        assert_eq!(list_faults(&format!("{ATOMIC}{text}\n")), "", "{text}");
    }
}

fn lanes(lanes: &str) -> String {
    format!(
        "name: flow\nkind: composite\ninputs: [{{name: task, type: string}}, {{name: n, type: integer}}]\n\
         locals: [{{name: tone, value: polite}}]\ngraph:\n  lanes:\n{lanes}"
    )
}

fn item(id: &str, agent: &str, rest: &str) -> String {
    format!("        - {{id: {id}, agent: {agent}{rest}}}\n")
}

fn bind(from: &str, var: &str, to: &str, input: &str) -> String {
    format!("{{from_agent_item_id: {from}, from_var: {var}, to_agent_item_id: {to}, to_var: {input}}}")
}

fn bound(bindings: &[String]) -> String {
    format!(", bindings: [{}]", bindings.join(", "))
}

// S0.10 to S0.13, S0.19, S0.24
#[test]
fn faults_of_lanes_name_their_item_and_what_to_write() {
    let text = || bound(&[bind("__CTX__", "task", "b", "text")]);
    let lane = |items: &[String]| format!("    - items:\n{}", items.concat());
    let one = |rest: &str| lanes(&lane(&[item("b", "echo", rest)]));
    for (text, expected) in [
        (
            lanes(&lane(&[item("a", "ecko", "")])),
            "line 8: `graph.lanes[0].items[0].agent` there is no agent \"ecko\"; did you mean \"echo\"?",
        ),
        (
            one(""),
            "line 8: `graph.lanes[0].items[0]` leaves the input \"text\" of echo without a value; add to its \
             bindings {from_agent_item_id: __CTX__, from_var: …, to_agent_item_id: b, to_var: text}",
        ),
        (
            one(&bound(&[bind("__CTX__", "tsak", "b", "text")])),
            "`graph.lanes[0].items[0].bindings[0].from_var` \"tsak\" is not among the context here; did you mean \"task\"?",
        ),
        (
            one(&bound(&[bind("__CTX__", "task", "b", "txet")])),
            "bindings[0].to_var` \"txet\" is not an input of echo; did you mean \"text\"?",
        ),
        (
            one(&bound(&[bind("__CTX__", "n", "b", "text")])),
            "bindings[0]` gives an integer, and text takes a string",
        ),
        (one(&bound(&[bind("b", "text", "b", "text")])), "from_agent_item_id` is the item itself"),
        (one(&bound(&[bind("z", "text", "b", "text")])), "\"z\" is neither __CTX__ nor the id of an item"),
        (
            one(&bound(&[bind("__CTX__", "task", "x", "text")])),
            "to_agent_item_id` must be the item's own id, \"b\"",
        ),
        (
            one(&bound(&[bind("__CTX__", "task", "b", "text"), bind("__CTX__", "tone", "b", "text")])),
            "bindings[1].to_var` \"text\" is bound twice",
        ),
        (
            lanes(
                &(lane(&[item("b", "echo", &bound(&[bind("c", "n", "b", "text")]))])
                    + &lane(&[item("c", "count", "")])),
            ),
            "`graph.lanes[0].items[0].bindings[0].from_agent_item_id` \"c\" is in a later lane, 2; lanes run from left to right; move it to lane 1 or before",
        ),
        (
            lanes(&lane(&[
                item("x", "echo", &bound(&[bind("a", "text", "x", "text")])),
                item("a", "echo", &bound(&[bind("b", "text", "a", "text")])),
                item("b", "echo", &bound(&[bind("c", "text", "b", "text")])),
                item("c", "echo", &bound(&[bind("a", "text", "c", "text")])),
            ])),
            "line 9: `graph.lanes[0].items[1].bindings` items of one lane wait for each other: a waits for b waits for c waits for a",
        ),
        (
            lanes(&(lane(&[item("b", "count", "")]) + &lane(&[item("b", "count", "")]))),
            "line 10: `graph.lanes[1].items[0].id` \"b\" must be an id of its own; another item has it",
        ),
        (
            lanes(&lane(&[item("'a b'", "count", "")])),
            "items[0].id` \"a b\" must be letters, digits, _ and -",
        ),
        (lanes(&lane(&[item("__CTX__", "count", "")])), "items[0].id` \"__CTX__\" must be"),
        (one(&format!("{}, timeout_s: 0", text())), "items[0].timeout_s` must be at least 1 second"),
        (
            one(&format!("{}, on_error: {{retry: {{max: 0}}}}", text())),
            "on_error.retry.max` must be from 1 to 100",
        ),
        (
            one(&format!("{}, on_error: ignore", text())),
            "items[0].on_error` must be fail or continue or a map with the keys retry",
        ),
        (
            one(&format!("{}, on_error: {{retry: 3}}", text())),
            "items[0].on_error.retry` must be a map with the keys max",
        ),
        (one(&format!("{}, when: {{var: n}}", text())), "items[0].when` must be `var` with one of"),
        (
            one(&format!("{}, when: {{expr: 'n >'}}", text())),
            "items[0].when.expr` is not a valid expression: ",
        ),
        (
            one(&format!("{}, when: {{expr: 'm > 1'}}", text())),
            "when.expr` asks for \"m\", which is in no lane before this one; did you mean \"n\"?",
        ),
        (
            one(&format!("{}, when: {{var: n, equals: '3'}}", text())),
            "when.equals` is a string, and n is an integer, so they are never equal; write it without quotes",
        ),
        (
            one(&format!("{}, when: {{var: task, in: [a, 1]}}", text())),
            "when.in[1]` is an integer, and task is a string",
        ),
    ] {
        let faults = list_faults(&text);
        assert!(faults.contains(expected), "{text}\nsays: {faults}\nnot: {expected}");
    }
    let wide = lanes(&lane(&[item("b", "count", "")])) + "  max_parallel: 65\n";
    assert!(
        list_faults(&wide).contains("line 9: `graph.max_parallel` must be from 1 to 64"),
        "{}",
        list_faults(&wide)
    );
    let made = lanes(&lane(&[item("b", "count", "")])) + "outputs: [{name: txet}, {name: n, type: string}]\n";
    let faults = list_faults(&made);
    assert!(
        faults.contains("`outputs[0].name` \"txet\" is made by no item; did you mean \"n\"?")
            || faults.contains("\"txet\" is made by no item"),
        "{faults}"
    );
    assert!(faults.contains("`outputs[1].type` is a string, and its items make an integer"), "{faults}");
}

// S0.13, S0.21, S0.24
#[test]
fn lanes_that_can_be_carried_out_have_no_faults() {
    let text = "name: flow\nkind: composite\ninputs: [{name: task, type: string}]\noutputs: [{name: n, type: number}]\n\
        graph:\n  max_parallel: 64\n  lanes:\n    - items:\n        - id: a\n          agent: classify_task\n          \
        bindings: [{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: a, to_var: task}]\n        \
        - id: b\n          agent: echo\n          \
        bindings: [{from_agent_item_id: a, from_var: why, to_agent_item_id: b, to_var: text}]\n    - items:\n        \
        - id: c\n          agent: count\n          when: {expr: is_complex and a is undefined}\n        \
        - id: d\n          agent: surf\n          when: {var: a.is_complex, equals: false}\n          \
        on_error: {retry: {max: 2}}\n          \
        bindings: [{from_agent_item_id: __CTX__, from_var: a.why, to_agent_item_id: d, to_var: text}]\n        \
        - id: e\n          agent: flow\n          when: {var: is_complex, exists: true}\n          \
        bindings: [{from_agent_item_id: __CTX__, from_var: text, to_agent_item_id: e, to_var: task}]\n";
    assert_eq!(list_faults(text), "");
}

#[test]
fn probable_mistakes_are_warnings() {
    for (text, expected) in [
        (
            lanes("    - items:\n        - {id: a, agent: flow}\n")
                .replace("inputs: [{name: task, type: string}, {name: n, type: integer}]\n", ""),
            "calls the agent itself whatever the variables say, so it ends only at a limit; give the item a `when`",
        ),
        (lanes("    - items: []\n"), "have no items"),
        (
            lanes("    - items:\n        - {id: a, agent: count, when: {var: taks, exists: false}}\n"),
            "when.var` \"taks\" is made by nothing before this lane, so it is null here; did you mean \"task\"?",
        ),
        (String::from("name: one\nkind: atomic\npython: {code: x}\n"), "`python` has no outputs"),
    ] {
        let found = faults(&text);
        assert_eq!(found.len(), 1, "{text}\n{found:?}");
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].to_string().contains(expected), "{}", found[0]);
        assert!(check::read(&text, if text.contains("flow") { "flow" } else { "one" }).is_ok());
    }
}

#[test]
fn all_faults_are_reported_at_once_in_file_order() {
    let text = "name: One\nkind: atom\ntitel_ua: x\nllm:\n  promt: x\nlimits: {tool_steps: many}\n";
    let lines: Vec<u64> = faults(text).iter().filter_map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 3, 5, 5, 6]);
    let text = "name: One\nkind: atomic\nllm: {prompt: '{{ x }}', temperature: 9}\noutputs: [{name: a, type: list}]\n";
    let lines: Vec<u64> = faults(text).iter().filter_map(|fault| fault.line).collect();
    assert_eq!(lines, [1, 3, 3, 4]);
    // An unknown key hides no other fault, and each fault is reported once.
    let text = "name: one\nkind: atomic\nfoo: 1\nllm: {prompt: '{{ x }}', colour: red}\noutputs: [{name: a}, {name: a}]\nlimits: {depth: many}\n";
    let reported: Vec<(u64, String)> =
        faults(text).into_iter().map(|fault| (fault.line.unwrap_or_default(), fault.path)).collect();
    let paths =
        [(3, "foo"), (4, "llm.colour"), (4, "llm.prompt"), (5, "outputs[1].name"), (6, "limits.depth")];
    assert_eq!(reported, paths.map(|(line, path)| (line, path.to_owned())));
}

#[test]
fn hostile_texts_are_refused_in_words_and_in_time() {
    let bomb = {
        let mut text = String::from(
            "name: one\nkind: atomic\npython: {code: x}\ninputs:\n  - name: a\n    default:\n      - &a0 [x,x,x,x,x,x,x,x,x]\n",
        );
        for n in 1..12 {
            let many = format!("*a{},", n - 1).repeat(9);
            text.push_str(&format!("      - &a{n} [{many}]\n"));
        }
        text
    };
    let deep = format!(
        "name: one\nkind: atomic\npython: {{code: x}}\nlocals: [{{name: a, value: {}1{}}}]\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let long_key = format!("{}: x\n", "k".repeat(5000));
    for text in [
        bomb.as_str(),
        &deep,
        &long_key,
        "name: one\nname: two\nkind: atomic\npython: {code: x}\n",
        "name: one\n---\nname: two\n",
        "&a [*a]",
        "name: !!binary aGk=\nkind: [atomic]\n",
        "? {a: b}\n: c\n",
        "\u{0}",
        "\t\tname: one",
        "<<: {name: one}\nkind: atomic\n",
        "- name: one",
        "",
        "null",
        "name: one\nkind: atomic\npython: {code: x}\nlocals: [{name: a, value: *nowhere}]\n",
    ] {
        let faults = check::read(text, "one").unwrap_err();
        let shown: String = text.chars().take(80).collect();
        assert!(!faults.is_empty() && faults.len() < 20, "{shown}: {faults:?}");
        for fault in &faults {
            assert!(fault.line.is_some() && fault.to_string().len() < 400, "{shown}: {fault}");
            assert!(!fault.message.contains('\n'), "{shown}: {fault}");
        }
    }
    // Marks that editors leave in files are no fault.
    let windows = "\u{feff}name: one\r\nkind: atomic\r\noutputs: [{name: y}]\r\npython:\r\n  code: |\r\n    y = 1\r\n    y += 1\r\n";
    let spec = check::read(windows, "one").unwrap();
    assert_eq!(spec.python.unwrap().code, "y = 1\ny += 1\n");
    let anchored = "name: one\nkind: atomic\noutputs: [&v {name: y}]\ninputs: [*v]\npython: {code: x}\n";
    assert_eq!(check::read(anchored, "one").unwrap().inputs[0].name, "y");
}

/// Agent read from an older file, which must be valid and marked as old.
fn converted(text: &str) -> serde_json::Value {
    let examined = check::examine(text, None, Some(&Known::new()));
    let old = "is written in an older form";
    assert!(examined.errors().next().is_none(), "{text}\n{:?}", examined.faults);
    assert!(
        examined.faults.iter().any(|fault| fault.message.starts_with(old)),
        "{text}\n{:?}",
        examined.faults
    );
    serde_json::to_value(examined.spec.unwrap()).unwrap()
}

// S0.16
#[test]
fn older_forms_are_converted_where_their_meaning_is_certain() {
    let same = |old: &str, new: &str| {
        let expected = check::parse(new).unwrap_or_else(|faults| panic!("{new}: {faults:?}"));
        assert_eq!(converted(old), serde_json::to_value(expected).unwrap(), "{old}");
    };
    same(
        "name: one\ntitle: Один\ndescription: In English\nexecutor: llm\ninputs: [task]\noutputs: [text]\nprompt: 'Say {task}'\nsystem_prompt: be kind\n",
        "name: one\ntitle_ua: Один\ndescription_en: In English\nkind: atomic\ninputs: [{name: task}]\noutputs: [{name: text}]\nllm: {prompt: 'Say {{ task }}', system: be kind}\n",
    );
    same(
        "name: one\ntitle: {uk: Один, en: One}\ntype: tool\nexecutor: {type: python, code: 'x = n', timeout: 5}\ninputs: {n: int, m: {type: bool, default: true}, k: }\noutputs: {x: float}\n",
        "name: one\ntitle_ua: Один\ntitle_en: One\nkind: atomic\ninputs: [{name: n, type: integer}, {name: m, type: boolean, default: true}, {name: k}]\noutputs: [{name: x, type: number}]\npython: {code: 'x = n', timeout_s: 5}\n",
    );
    same(
        "name: one\nkind: Atomic\ncommand: ls\nargs: [-l]\noutputs: [stdout]\nlocals: {tone: polite}\n",
        "name: one\nkind: atomic\nlocals: [{name: tone, value: polite}]\noutputs: [{name: stdout}]\nshell: {command: ls, args: [-l]}\n",
    );
    same(
        "name: flow\nkind: workflow\ninputs: [task]\nsteps:\n  - {id: c, tool: classify_task, with: {task: '{{ task }}'}}\n  - {tool: echo, if: '{{ is_complex }}', with: {text: '${{ c.why }}'}}\n  - {tool: echo, with: {text: polite}}\n",
        "name: flow\nkind: composite\ninputs: [{name: task}]\nlocals: [{name: echo_2_text, value: polite}]\ngraph:\n  lanes:\n    - items: [{id: c, agent: classify_task, bindings: [{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: c, to_var: task}]}]\n    - items: [{id: echo, agent: echo, when: {expr: is_complex}, bindings: [{from_agent_item_id: c, from_var: why, to_agent_item_id: echo, to_var: text}]}]\n    - items: [{id: echo_2, agent: echo, bindings: [{from_agent_item_id: __CTX__, from_var: echo_2_text, to_agent_item_id: echo_2, to_var: text}]}]\n",
    );
    same(
        "name: flow\nlanes:\n  - [count, {node: count, id: b}]\n  - items: [count]\n",
        "name: flow\nkind: composite\ngraph:\n  lanes:\n    - items: [{id: count, agent: count}, {id: b, agent: count}]\n    - items: [{id: count_2, agent: count}]\n",
    );
    same(
        "name: flow\nworkflow: {steps: [{agent: count}]}\n",
        "name: flow\nkind: composite\ngraph:\n  lanes:\n    - items: [{id: count, agent: count}]\n",
    );
}

// S0.6: a field that says what the section says is no other form; one that contradicts is refused.
#[test]
fn an_executor_that_agrees_with_its_section_is_taken() {
    let text = "name: one\nkind: atomic\nexecutor: python\noutputs: [{name: x}]\npython: {code: x}\n";
    assert_eq!(list_faults(text), "");
    assert_eq!(check::parse(text).unwrap().executor(), Some("python"));
    let faults = list_faults(&text.replace("executor: python", "executor: llm"));
    assert_eq!(
        faults,
        "line 3: `executor` unsupported legacy format; the file has the section python; leave executor out, or write the section llm"
    );
}

// S0.16
#[test]
fn older_forms_of_uncertain_meaning_are_refused_with_their_location() {
    for (text, line, path, hint) in [
        (
            "name: one\nkind: atomic\nexecutor: perl\ncode: x\n",
            3,
            "executor",
            "write the section: llm, python",
        ),
        ("name: one\nexecutor: python\nprompt: x\n", 2, "executor", "write the section python: {code: …}"),
        ("name: one\nkind: composite\nexecutor: llm\ngraph: {lanes: []}\n", 3, "executor", "leave it out"),
        ("name: one\nprompt: x\ncode: y\n", 2, "prompt", "in the section llm"),
        ("name: one\ntitle: [a]\nllm: {prompt: x}\nkind: atomic\n", 2, "title", "title_ua and title_en"),
        (
            "name: one\nkind: atomic\ninputs:\n  n: 3\npython: {code: x}\n",
            4,
            "inputs.n",
            "write inputs: [{name: n, default: …}]",
        ),
        ("name: one\nkind: atomic\ninputs:\n  n: colour\npython: {code: x}\n", 4, "inputs.n", "type: string"),
        (
            "name: f\nnodes: [{id: a, tool: echo}]\nedges: [[a, b]]\n",
            2,
            "nodes",
            "lanes run from left to right",
        ),
        (
            "name: f\nnodes: [{id: a, tool: echo}]\nedges: [[a, b]]\n",
            3,
            "edges",
            "lanes run from left to right",
        ),
        (
            "name: f\nkind: atomic\nllm: {prompt: x}\ntools: [echo]\n",
            4,
            "tools",
            "write uses: [names of agents]",
        ),
        (
            "name: f\nsteps:\n  - {tool: echo, with: {text: 'a {{ b }}'}}\n",
            3,
            "steps[0]",
            "an agent of its own",
        ),
        ("name: f\nsteps:\n  - {tool: echo, with: [a]}\n", 3, "steps[0]", "write bindings:"),
        ("name: f\nsteps: [do this, then that]\n", 2, "steps", "write graph: {lanes:"),
        ("name: f\ntype: strange\npython: {code: x}\n", 2, "type", "kind: atomic or kind: composite"),
    ] {
        let found = faults(text);
        let fault =
            found.iter().find(|fault| fault.path == path).unwrap_or_else(|| panic!("{text}\n{found:?}"));
        assert_eq!(
            (fault.message.as_str(), fault.line),
            ("unsupported legacy format", Some(line)),
            "{text}\n{fault}"
        );
        assert!(fault.hint.as_deref().unwrap_or_default().contains(hint), "{text}\n{fault}");
    }
    // Faults of what was converted stand where it was written.
    let listed = list_faults(
        "name: flow\nsteps:\n  - {tool: count}\n  - {tool: ecko}\ntitle: x\nlimits: {depth: many}\n",
    );
    assert!(listed.contains("line 6: `limits.depth` must be a whole number"), "{listed}");
}

// A secret reaches no model, no list of arguments and no output, and stays secret in all agents below.
#[test]
fn secrets_go_where_nobody_reads_them() {
    let own = "name: one\nkind: atomic\ninputs: [{name: key, secret: true}, {name: word}]\n";
    for (text, expected) in [
        (
            "outputs: [{name: y}]\nllm:\n  prompt: |\n    say {{ word }}\n    with {{ key }}\n",
            "line 8: `llm.prompt` asks for the secret \"key\", and no secret goes to a model",
        ),
        (
            "outputs: [{name: y}]\nllm: {prompt: x, system: 'with {{ key }}'}\n",
            "`llm.system` asks for the secret",
        ),
        (
            "outputs: [{name: y}]\nshell: {command: x, args: ['{{ word }}', '{{ key }}']}\n",
            "line 5: `shell.args[1]` asks for the secret \"key\", and every program of the machine can read",
        ),
        ("outputs: [{name: key}]\npython: {code: x}\n", "`outputs[0].name` \"key\" is a secret input"),
    ] {
        let text = format!("{own}{text}");
        assert!(list_faults(&text).contains(expected), "{text}\n{}", list_faults(&text));
    }
    let number = "name: one\nkind: atomic\ninputs: [{name: pin, type: integer, secret: true}]\npython: {code: x, files: true}\n";
    assert!(
        list_faults(number).contains("`inputs[0].type` is a secret, which is always a text; write string"),
        "{}",
        list_faults(number)
    );
    let hands = |secret: &str, agent: &str, to: &str| {
        format!(
            "name: two\nkind: composite\ninputs: [{{name: word{secret}}}]\ngraph:\n  lanes:\n    - items:\n        - {{id: a, agent: {agent}, bindings: [{{from_agent_item_id: __CTX__, from_var: word, to_agent_item_id: a, to_var: {to}}}]}}\n"
        )
    };
    let plain = hands("", "enter", "key");
    assert!(
        list_faults(&plain).contains(
            "hands \"word\" on to \"key\" of enter, which is a secret; write secret: true at the input word"
        ),
        "{}",
        list_faults(&plain)
    );
    assert_eq!(faults(&plain)[0].severity, Severity::Warning);
    assert_eq!(list_faults(&hands(", secret: true", "enter", "key")), "");
    let lost = hands(", secret: true", "echo", "text");
    assert!(
        list_faults(&lost).contains("hands the secret \"word\" on to \"text\" of echo, which is none"),
        "{}",
        list_faults(&lost)
    );
    assert_eq!(faults(&lost)[0].severity, Severity::Warning);
}

//! Any agent goes from YAML to types and back unchanged, and from JSON likewise: whole agents with every
//! executor and with lanes, and every text that YAML could take for something else.

use askfirst::agent_spec::check;
use askfirst::agent_spec::comments;
use askfirst::agent_spec::types::conversation_parts::{
    Knowledge, Measured, Mode, Part, Premove, Switch, Thinking, Vision, VisionMode, Word,
};
use askfirst::agent_spec::types::executor::{
    Approve, Browser, FilesAccess, FilesWord, Llm, Make, Plan, PlanRules, PlanWord, Python, Shell,
};
use askfirst::agent_spec::types::graph::{Binding, CONTEXT, Graph, Item, Lane, OnError, Placement, When};
use askfirst::agent_spec::types::limits::Limits;
use askfirst::agent_spec::types::script::{Step, Target};
use askfirst::agent_spec::types::spec::{AgentSpec, Durability, Kind, Local, Variable};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Texts that YAML reads as something else, or that are hard to write.
const ODD: &[&str] = &[
    "",
    " ",
    "  leading",
    "trailing  ",
    "\t",
    "\n",
    "\n\n",
    "a\n",
    "\na",
    "a\n\nb\n",
    "  a\n b\n",
    "a \nb",
    "yes",
    "no",
    "on",
    "Off",
    "true",
    "FALSE",
    "null",
    "~",
    "NULL",
    "1e3",
    "0x1F",
    "0o17",
    "017",
    "1_000",
    "-1",
    "+1",
    "1.0",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "12:30:45",
    "2026-01-31",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#a",
    "&a",
    "*a",
    "!a",
    "!!str a",
    "|",
    ">",
    "|-\n a",
    "%a",
    "@a",
    "`a",
    "'a'",
    "\"a\"",
    "a'b\"c",
    "\\n",
    "a\\",
    "[a]",
    "{a: b}",
    "a, b",
    "]",
    "}",
    "<<",
    "=",
    "{{ x }}",
    "${{ x }}",
    "{% if x %}",
    "\u{7f}",
    "\u{1}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{feff}a",
    "a\r\nb",
    "a\rb",
    "Привіт, світе",
    "日本語",
    "👩‍👩‍👧",
    "e\u{301}",
    "\u{202e}abc",
    "def f(x):\n    return x\n",
    "a\n  b\n    c\n\n\n",
    "\n  indented first\nthen not\n",
    "a\tb\n\tc",
    "key: |\n  text\n",
];

fn text() -> BoxedStrategy<String> {
    let long = "[a-zA-Z0-9 .,:;#'\"-]{60,200}";
    let odd = proptest::sample::select(ODD).prop_map(str::to_owned);
    let two =
        (proptest::sample::select(ODD), proptest::sample::select(ODD)).prop_map(|(a, b)| format!("{a}{b}"));
    let lines = vec("[ a-z#:\\-\t]{0,12}", 0..5).prop_map(|lines| lines.join("\n"));
    prop_oneof![3 => odd, 2 => two, 2 => any::<String>(), 1 => long, 2 => lines].boxed()
}

fn name() -> BoxedStrategy<String> {
    let odd = ["n", "y", "no", "yes", "on", "null", "true", "e1", "x"].map(str::to_owned).to_vec();
    prop_oneof![proptest::sample::select(odd), "[a-z][a-z0-9_]{0,12}"].boxed()
}

/// Numbers as people write them: JSON is exact up to this number of digits.
fn number() -> BoxedStrategy<f64> {
    let digits = (-999_999_999_999_999..=999_999_999_999_999i64, 0..12)
        .prop_map(|(n, places)| n as f64 / 10f64.powi(places));
    prop_oneof![digits, (-9..9i32).prop_map(f64::from), Just(1e-9), Just(-0.0), Just(1e300)].boxed()
}

fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        number().prop_map(Value::from),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// With a key that is there but null, as some fields tell from none.
fn variables() -> BoxedStrategy<Vec<Variable>> {
    let kind =
        proptest::sample::select(vec!["string", "boolean", "integer", "number", "object", "list", "any"]);
    let one = (name(), of(kind), (of(text()), of(text())), of(value()), of(any::<bool>()), any::<bool>())
        .prop_map(|(name, kind, (description, description_ua), default, required, secret)| Variable {
            name,
            of: kind.map(str::to_owned),
            description,
            description_ua,
            default,
            required,
            secret,
        });
    vec(one, 0..4).boxed()
}

fn locals() -> BoxedStrategy<Vec<Local>> {
    vec((name(), value()).prop_map(|(name, value)| Local { name, value }), 0..3).boxed()
}

fn when() -> BoxedStrategy<When> {
    let var = || name().prop_map(Some);
    prop_oneof![
        (var(), value()).prop_map(|(var, value)| When { var, equals: Some(value), ..When::default() }),
        (var(), value()).prop_map(|(var, value)| When { var, not_equals: Some(value), ..When::default() }),
        (var(), vec(value(), 0..3)).prop_map(|(var, values)| When {
            var,
            one_of: Some(values),
            ..When::default()
        }),
        (var(), any::<bool>()).prop_map(|(var, is)| When { var, exists: Some(is), ..When::default() }),
        text().prop_map(|expr| When { expr: Some(expr), ..When::default() }),
    ]
    .boxed()
}

fn item() -> BoxedStrategy<Item> {
    let binding = (prop_oneof![Just(CONTEXT.to_owned()), text()], text(), text(), text()).prop_map(
        |(from_agent_item_id, from_var, to_agent_item_id, to_var)| Binding {
            from_agent_item_id,
            from_var,
            to_agent_item_id,
            to_var,
        },
    );
    let on_error = prop_oneof![
        Just(OnError::Fail),
        Just(OnError::Continue),
        any::<u32>().prop_map(|max| OnError::Retry { max })
    ];
    let ui = (any::<u32>(), any::<u32>(), of(number()), of(number()))
        .prop_map(|(lane_index, order, x, y)| Placement { lane_index, order, x, y });
    (text(), name(), of(when()), vec(binding, 0..3), on_error, of(any::<u64>()), of(ui))
        .prop_map(|(id, agent, when, bindings, on_error, timeout_s, ui)| Item {
            id,
            agent,
            when,
            bindings,
            on_error,
            timeout_s,
            ui,
        })
        .boxed()
}

fn graph() -> BoxedStrategy<Graph> {
    let lane = vec(item(), 0..3).prop_map(|items| Lane { items });
    (of(any::<usize>()), vec(lane, 0..4))
        .prop_map(|(max_parallel, lanes)| Graph { max_parallel, lanes })
        .boxed()
}

fn step() -> BoxedStrategy<Step> {
    let target = (text(), text(), of(text()), of(text())).prop_map(|(role, name, near, frame)| Target {
        role,
        name,
        near,
        frame,
    });
    (of(text()), name(), of(target), vec((text(), value()), 0..3))
        .prop_map(|(note, action, target, params)| Step {
            note,
            action,
            target,
            params: params.into_iter().collect::<Map<String, Value>>(),
            ..Step::default()
        })
        .boxed()
}

/// Every way to say whether a conversation plans.
fn plan() -> BoxedStrategy<Option<Plan>> {
    let make = prop_oneof![Just(Make::Always), Just(Make::Asked), Just(Make::Never)];
    let approve = prop_oneof![Just(Approve::Auto), Just(Approve::Ask)];
    let word = prop_oneof![Just(PlanWord::Off), Just(PlanWord::Auto), Just(PlanWord::Always)];
    of(prop_oneof![
        any::<bool>().prop_map(Plan::Switch),
        word.prop_map(Plan::Word),
        (make, approve).prop_map(|(make, approve)| Plan::Rules(PlanRules { make, approve })),
    ])
    .boxed()
}

/// The sections of an agent: the four executors, or lanes.
#[derive(Clone, Debug)]
enum Section {
    Llm(Box<Llm>),
    Python(Python),
    Shell(Shell),
    Browser(Box<Browser>),
    Graph(Graph),
}

fn part<T: std::fmt::Debug + Clone + 'static>(with: BoxedStrategy<T>) -> BoxedStrategy<Option<Part<T>>> {
    let word = proptest::sample::select(vec![Word::Off, Word::On]).prop_map(Part::Word);
    of(prop_oneof![any::<bool>().prop_map(Part::Switch), word, with.prop_map(Part::With)]).boxed()
}

fn knowledge() -> BoxedStrategy<Knowledge> {
    (of(vec(text(), 0..3)), of(any::<bool>()), of(any::<usize>()), of(any::<usize>()))
        .prop_map(|(relics, shared, passages, characters)| Knowledge { relics, shared, passages, characters })
        .boxed()
}

fn premoves() -> BoxedStrategy<Vec<Premove>> {
    let params = vec((name(), value()), 0..3).prop_map(Map::from_iter);
    let premove = (text(), name(), params, of(any::<u64>()), of(any::<usize>()));
    let premove = premove.prop_map(|(name, agent, params, ttl_s, tokens)| Premove {
        name,
        agent,
        params,
        ttl_s,
        tokens,
    });
    vec(premove, 0..3).boxed()
}

fn switch() -> BoxedStrategy<Option<Switch>> {
    let word = proptest::sample::select(vec![Word::Off, Word::On]);
    of(prop_oneof![any::<bool>().prop_map(Switch::Bool), word.prop_map(Switch::Word)]).boxed()
}

fn thinking() -> BoxedStrategy<Option<Thinking>> {
    let mode = || proptest::sample::select(vec![Mode::Off, Mode::Auto, Mode::Always]);
    let measured = (mode(), of(any::<u64>()))
        .prop_map(|(mode, budget_tokens)| Thinking::With(Measured { mode, budget_tokens }));
    of(prop_oneof![any::<bool>().prop_map(Thinking::Switch), mode().prop_map(Thinking::Mode), measured])
        .boxed()
}

fn vision() -> impl Strategy<Value = Vision> {
    let mode = prop_oneof![Just(VisionMode::Off), Just(VisionMode::Auto), Just(VisionMode::Always)];
    prop_oneof![any::<bool>().prop_map(Vision::Switch), mode.prop_map(Vision::Mode)]
}

fn files_access() -> impl Strategy<Value = FilesAccess> {
    prop_oneof![any::<bool>().prop_map(FilesAccess::Switch), Just(FilesAccess::Word(FilesWord::Read))]
}

fn section() -> BoxedStrategy<Section> {
    let llm = (
        (text(), of(text()), any::<bool>(), of(text()), of(number()), vec(name(), 0..3)),
        (part(knowledge()), part(premoves()), switch(), switch(), plan(), thinking(), vision()),
    );
    let llm = llm.prop_map(|((prompt, system, parse_json, model, temperature, uses), more)| {
        let (knowledge, premoves, compaction, tasks, plan, thinking, vision) = more;
        let llm = Llm {
            prompt,
            system,
            parse_json,
            model,
            temperature,
            uses,
            knowledge,
            premoves,
            compaction,
            tasks,
            plan,
            thinking,
            vision,
        };
        Section::Llm(Box::new(llm))
    });
    let python = (text(), files_access(), of(any::<u64>()))
        .prop_map(|(code, files, timeout_s)| Section::Python(Python { code, files, timeout_s }));
    let shell = (
        text(),
        vec(text(), 0..4),
        of(text()),
        of(any::<u64>()),
        (any::<bool>(), files_access()),
        vec(text(), 0..3),
    )
        .prop_map(|(command, args, cwd, timeout_s, (allow_failure, files), env)| {
            Section::Shell(Shell { command, args, cwd, timeout_s, allow_failure, files, env })
        });
    let browser = (
        (of(text()), of(text()), of(vec(text(), 0..3)), vec(name(), 0..3), plan(), thinking()),
        (
            vision(),
            of(text()),
            of(text()),
            of(vec(step(), 0..3)),
            part(knowledge()),
            part(premoves()),
            switch(),
            switch(),
        ),
    );
    let browser = browser.prop_map(|((goal, start_url, allowed_hosts, uses, plan, thinking), more)| {
        let (vision, profile, language, script, knowledge, premoves, compaction, tasks) = more;
        let browser = Browser {
            goal,
            start_url,
            allowed_hosts,
            uses,
            plan,
            thinking,
            knowledge,
            premoves,
            compaction,
            tasks,
            vision,
            profile,
            language,
            script,
        };
        Section::Browser(Box::new(browser))
    });
    prop_oneof![llm, python, shell, browser, graph().prop_map(Section::Graph)].boxed()
}

fn limits() -> BoxedStrategy<Limits> {
    (of(any::<u64>()), of(any::<u32>()), of(number()), of(any::<usize>()))
        .prop_map(|(total_steps, depth, money, history)| Limits {
            total_steps,
            depth,
            money,
            history,
            ..Limits::default()
        })
        .boxed()
}

fn agent() -> BoxedStrategy<AgentSpec> {
    let about = ((name(), any::<bool>()), text(), of(text()), of(text()), of(text()));
    let durability = proptest::sample::select(vec![Durability::Durable, Durability::Ephemeral]);
    (about, variables(), locals(), variables(), section(), of(limits()), of(durability))
        .prop_map(|(about, inputs, locals, outputs, section, limits, durability)| {
            let ((name, idempotent), title_ua, title_en, description_ua, description_en) = about;
            let mut spec = AgentSpec {
                name,
                title_ua,
                title_en,
                description_ua,
                description_en,
                kind: Kind::Atomic,
                idempotent,
                inputs,
                locals,
                outputs,
                llm: None,
                python: None,
                shell: None,
                browser: None,
                build: None,
                mcp: None,
                graph: None,
                limits,
                durability,
            };
            match section {
                Section::Llm(llm) => spec.llm = Some(*llm),
                Section::Python(python) => spec.python = Some(python),
                Section::Shell(shell) => spec.shell = Some(shell),
                Section::Browser(browser) => spec.browser = Some(*browser),
                Section::Graph(graph) => (spec.kind, spec.graph) = (Kind::Composite, Some(graph)),
            }
            spec
        })
        .boxed()
}

/// The keys of a map, in order, with those of what is below.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.push(key.clone());
            keys(value, found);
        }),
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    // S0.15
    #[test]
    fn any_agent_goes_to_yaml_and_back_unchanged(spec in agent()) {
        let yaml = check::write(&spec).unwrap();
        let read = check::parse(&yaml);
        prop_assert_eq!(read.as_ref(), Ok(&spec), "{}", yaml);
        // Writing again gives the same text, so that repeated saves change nothing.
        prop_assert_eq!(check::write(&read.unwrap()).unwrap(), yaml);
    }

    // S0.15
    #[test]
    fn any_agent_goes_to_json_and_back_unchanged_and_json_is_read_as_a_file_too(spec in agent()) {
        let json = serde_json::to_string(&spec).unwrap();
        prop_assert_eq!(&serde_json::from_str::<AgentSpec>(&json).unwrap(), &spec);
        let yaml = check::write_json(&serde_json::from_str(&json).unwrap()).unwrap();
        let read = check::parse(&yaml);
        prop_assert_eq!(read.as_ref(), Ok(&spec), "{}", yaml);
        let mut ordered = (Vec::new(), Vec::new());
        keys(&serde_json::from_str(&json).unwrap(), &mut ordered.0);
        keys(&serde_json::to_value(check::parse(&yaml).unwrap()).unwrap(), &mut ordered.1);
        prop_assert_eq!(ordered.0, ordered.1);
    }

    // Any agent written over any other reads as the new one, and no lost comment goes unreported.
    #[test]
    fn an_agent_written_over_another_is_that_agent(old in agent(), mut new in agent(), part in 0..4u8) {
        match part {
            0 => new = AgentSpec { inputs: new.inputs, ..old.clone() },
            1 => new = AgentSpec { graph: new.graph, kind: new.kind, ..old.clone() },
            2 => new = AgentSpec { title_ua: new.title_ua, limits: new.limits, ..old.clone() },
            _ => {}
        }
        let mut text = String::new();
        for (line, words) in check::write(&old).unwrap().lines().enumerate() {
            let top = words.starts_with(|c: char| c.is_ascii_lowercase());
            if top {
                text.push_str(&format!("# above {line}\n"));
            }
            text.push_str(words);
            text.push('\n');
        }
        prop_assume!(check::parse(&text).as_ref() == Ok(&old));
        let carried = comments::merge_comments(&text, &new).unwrap();
        let read = check::parse(&carried.text);
        prop_assert_eq!(read.as_ref(), Ok(&new), "{}", carried.text);
        let comments_left = carried.text.lines().filter(|line| line.starts_with("# above ")).count();
        let all = text.lines().filter(|line| line.starts_with("# above ")).count();
        prop_assert!(comments_left + carried.lost.len() >= all, "{}\n---\n{}", text, carried.text);
        if part < 3 {
            prop_assert!(carried.lost.len() < all, "all was lost:\n{}\n---\n{}", text, carried.text);
        }
    }

    #[test]
    fn reading_any_text_never_panics(text in "\\PC{0,200}", odd in vec(proptest::sample::select(ODD), 0..6)) {
        let _ = check::examine(&text, None, None);
        let mixed = format!("name: one\nkind: atomic\npython:\n  code: {}\n", odd.join("\n  "));
        for fault in check::examine(&mixed, None, None).faults {
            prop_assert!(fault.line.is_some());
        }
    }
}

#[test]
fn keys_come_in_the_order_of_the_types() {
    let spec = json!({
        "outputs": [{"required": true, "name": "y"}], "python": {"timeout_s": 5, "code": "y = 1\n"},
        "kind": "atomic", "title_ua": "Один", "name": "one", "limits": {"wall_s": 3, "tool_steps": 2}
    });
    let read = check::parse(&check::write_json(&spec).unwrap()).unwrap();
    let text = "name: one\ntitle_ua: Один\nkind: atomic\noutputs:\n  - name: \"y\"\n    required: true\npython:\n  \
        code: |\n    y = 1\n  timeout_s: 5\nlimits:\n  tool_steps: 2\n  wall_s: 3\n";
    assert_eq!(check::write(&read).unwrap(), text);
}

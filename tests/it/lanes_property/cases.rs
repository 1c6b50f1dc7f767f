//! Random lanes: agents that call each other, with every kind of binding, condition and failure, and
//! the moments at which the process dies. Places are named by indices, so that a case shrinks well.

use askfirst::agent_spec::types::spec::AgentSpec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Steps that a whole run tree may use, whatever its agents say.
pub const TOTAL: u64 = 40;
pub const DEPTH: u32 = 4;

/// Agents without lanes, by what becomes of them (`atoms`).
pub const ATOMS: [(&str, &[&str]); 7] = [
    ("mix", &["x", "y", "flag"]),
    ("need", &["x"]),
    ("moody", &["y"]),
    ("surf", &["x"]),
    ("half", &["x", "y"]),
    ("grim", &["x"]),
    ("partly", &["y"]),
];

const VARS: [&str; 6] = ["x", "y", "flag", "p", "q", "l"];

#[derive(Clone, Debug)]
pub struct Case {
    pub agents: Vec<Composite>,
    /// True if items run one by one, so that every limit strikes at one certain place.
    pub one_by_one: bool,
    pub input: Map<String, Value>,
    pub deaths: Vec<Death>,
    /// Duration of the agents' steps.
    pub pace: u64,
}

/// The process dies at this commit, counted from its start.
#[derive(Clone, Copy, Debug)]
pub struct Death {
    pub at: u16,
    /// The commit is stored, and only nobody hears of it.
    pub stored: bool,
}

#[derive(Clone, Debug)]
pub struct Composite {
    pub lanes: Vec<Vec<Item>>,
    pub max_parallel: Option<usize>,
    pub outputs: Vec<&'static str>,
    pub needs_p: bool,
    pub total_steps: Option<u64>,
    pub depth: Option<u32>,
    /// Items with a position in the file: none, all, some.
    pub placed: u8,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub calls: Calls,
    pub when: Option<When>,
    pub p: Option<Source>,
    pub q: Option<Source>,
    pub on_error: Value,
    pub order: u8,
}

#[derive(Clone, Copy, Debug)]
pub enum Calls {
    Atom(usize),
    Lanes(Index),
    Nobody,
}

#[derive(Clone, Copy, Debug)]
pub enum Source {
    Context(&'static str),
    /// Output of any item but itself: of an earlier, the same or a later lane.
    Item(Index, &'static str),
    /// Output of an item that stands before it in its own lane.
    Neighbour(Index, &'static str),
}

#[derive(Clone, Debug)]
pub enum When {
    Of(&'static str, Value),
    OfItem(Index, &'static str, Value),
    Expression(String),
}

pub fn case() -> impl Strategy<Value = Case> {
    let deaths = prop_oneof![2 => Just(Vec::new()), 3 => prop::collection::vec(death(), 1..4)];
    (prop::collection::vec(composite(), 1..5), any::<bool>(), input(), deaths, 0..5u64).prop_map(
        |(agents, one_by_one, input, deaths, pace)| Case { agents, one_by_one, input, deaths, pace },
    )
}

fn death() -> impl Strategy<Value = Death> {
    (1..25u16, any::<bool>()).prop_map(|(at, stored)| Death { at, stored })
}

fn input() -> impl Strategy<Value = Map<String, Value>> {
    let q = prop::option::of(value());
    let locale = prop::option::weighted(0.2, Just(json!("en")));
    (value(), q, locale).prop_map(|(p, q, locale)| {
        let mut input = Map::from_iter([(String::from("p"), p)]);
        input.extend(q.map(|q| (String::from("q"), q)));
        input.extend(locale.map(|locale| (String::from("locale"), locale)));
        input
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..5i64).prop_map(|n| json!(n)),
        2 => (0..3u8).prop_map(|n| json!(format!("s{n}"))),
        1 => any::<bool>().prop_map(|b| json!(b)),
        1 => Just(Value::Null),
        1 => Just(json!(1.0)),
    ]
}

fn composite() -> impl Strategy<Value = Composite> {
    let lanes = prop::collection::vec(prop::collection::vec(item(), 0..6), 1..5);
    (
        lanes,
        prop_oneof![1 => Just(None), 4 => (1..5usize).prop_map(Some)],
        prop::sample::subsequence(vec!["x", "y", "flag"], 0..=3),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, 1..15u64),
        prop::option::weighted(0.3, 1..4u32),
        0..3u8,
    )
        .prop_map(|(lanes, max_parallel, outputs, needs_p, total_steps, depth, placed)| Composite {
            lanes,
            max_parallel,
            outputs,
            needs_p,
            total_steps,
            depth,
            placed,
        })
}

fn item() -> impl Strategy<Value = Item> {
    let calls = prop_oneof![
        40 => (0..ATOMS.len()).prop_map(Calls::Atom),
        7 => any::<Index>().prop_map(Calls::Lanes),
        1 => Just(Calls::Nobody),
    ];
    let on_error = prop_oneof![
        2 => Just(json!("fail")),
        6 => Just(json!("continue")),
        3 => (1..3u32).prop_map(|max| json!({"retry": {"max": max}})),
    ];
    (
        calls,
        prop::option::weighted(0.35, when()),
        prop::option::weighted(0.7, source()),
        prop::option::weighted(0.4, source()),
        on_error,
        0..9u8,
    )
        .prop_map(|(calls, when, p, q, on_error, order)| Item { calls, when, p, q, on_error, order })
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        4 => select(&VARS[..]).prop_map(Source::Context),
        3 => (any::<Index>(), select(&VARS[..3])).prop_map(|(index, var)| Source::Neighbour(index, var)),
        3 => (any::<Index>(), select(&VARS[..3])).prop_map(|(index, var)| Source::Item(index, var)),
    ]
}

fn when() -> impl Strategy<Value = When> {
    let compared = prop_oneof![
        value().prop_map(|value| json!({"equals": value})),
        value().prop_map(|value| json!({"not_equals": value})),
        prop::collection::vec(value(), 0..3).prop_map(|values| json!({"in": values})),
        any::<bool>().prop_map(|exists| json!({"exists": exists})),
    ];
    prop_oneof![
        3 => (select(&VARS[..]), compared.clone()).prop_map(|(var, compared)| When::Of(var, compared)),
        1 => (any::<Index>(), select(&VARS[..2]), compared)
            .prop_map(|(index, var, compared)| When::OfItem(index, var, compared)),
        2 => expression().prop_map(When::Expression),
    ]
}

/// Expressions of the forms that `naive::true_of` reads.
fn expression() -> impl Strategy<Value = String> {
    let equal =
        (select(&["x", "y", "l"][..]), select(&["==", "!="][..]), select(&["0", "1", "2", "'s1'"][..]))
            .prop_map(|(var, sign, value)| format!("{var} {sign} {value}"));
    let one = prop_oneof![
        4 => equal.clone(),
        1 => equal.clone().prop_map(|equal| format!("not {equal}")),
        2 => select(&["flag", "not flag"][..]).prop_map(str::to_owned),
        2 => equal.prop_map(|equal| format!("{} is defined and {equal}", &equal[..1])),
    ];
    prop_oneof![
        6 => one.clone(),
        1 => Just(String::from("x")),
        2 => (one.clone(), select(&["and", "or"][..]), one).prop_map(|(l, word, r)| format!("{l} {word} {r}")),
    ]
}

impl Case {
    /// The agents as their files would say them; the first one is what is run.
    pub fn specs(&self) -> Vec<AgentSpec> {
        let atoms = ATOMS.iter().map(|(name, outputs)| atom(name, outputs));
        let composites = self.agents.iter().enumerate().map(|(n, agent)| self.composite(n, agent));
        atoms.chain(composites).map(|spec| serde_json::from_value(spec).unwrap()).collect()
    }

    fn composite(&self, n: usize, agent: &Composite) -> Value {
        let ids: Vec<Vec<String>> = agent
            .lanes
            .iter()
            .enumerate()
            .map(|(lane, items)| (0..items.len()).map(|position| format!("i{lane}{position}")).collect())
            .collect();
        let lanes: Vec<Value> = agent
            .lanes
            .iter()
            .enumerate()
            .map(|(lane, items)| {
                let item = |(position, item)| self.item(agent, &ids, (lane, position), item);
                json!({"items": items.iter().enumerate().map(item).collect::<Vec<_>>()})
            })
            .collect();
        // Each item is told its own name, so that runs of it are known by their input.
        let names = ids.iter().flatten().map(|id| json!({"name": format!("tag_{id}"), "value": id}));
        let locals: Vec<Value> = names.chain([json!({"name": "l", "value": 2})]).collect();
        let mut graph = json!({ "lanes": lanes });
        match (self.one_by_one, agent.max_parallel) {
            (true, _) => graph["max_parallel"] = json!(1),
            (false, Some(most)) => graph["max_parallel"] = json!(most),
            (false, None) => {}
        }
        let mut limits = Map::new();
        limits.extend(agent.total_steps.map(|most| (String::from("total_steps"), json!(most))));
        limits.extend(agent.depth.map(|most| (String::from("depth"), json!(most))));
        json!({
            "name": format!("c{n}"), "kind": "composite",
            "inputs": [{"name": "p", "required": agent.needs_p && n > 0}, {"name": "q", "default": 1}],
            "locals": locals, "outputs": named(&agent.outputs), "graph": graph, "limits": limits,
        })
    }

    fn item(&self, agent: &Composite, ids: &[Vec<String>], at: (usize, usize), item: &Item) -> Value {
        let (lane, position) = at;
        let id = &ids[lane][position];
        let all: Vec<&String> = ids.iter().flatten().collect();
        let bound = |source: Source, to: &str| {
            let (from, var) = match source {
                Source::Context(var) => ("__CTX__", var),
                Source::Neighbour(_, var) if position == 0 => ("__CTX__", var),
                Source::Neighbour(index, var) => (ids[lane][index.index(position)].as_str(), var),
                Source::Item(index, var) => (index.get(&all).as_str(), var),
            };
            // An item that would wait for itself takes the value from the context.
            let from = if from == id { "__CTX__" } else { from };
            json!({"from_agent_item_id": from, "from_var": var, "to_agent_item_id": id, "to_var": to})
        };
        let mut bindings = vec![json!({
            "from_agent_item_id": "__CTX__", "from_var": format!("tag_{id}"), "to_agent_item_id": id, "to_var": "tag",
        })];
        bindings.extend(item.p.map(|source| bound(source, "p")));
        bindings.extend(item.q.map(|source| bound(source, "q")));
        let mut whole = json!({
            "id": id, "agent": self.callee(item.calls), "bindings": bindings, "on_error": item.on_error,
        });
        if agent.placed == 1 || (agent.placed == 2 && position % 2 == 0) {
            whole["ui"] = json!({"lane_index": lane, "order": item.order});
        }
        match &item.when {
            None => {}
            Some(When::Expression(text)) => whole["when"] = json!({ "expr": text }),
            Some(When::Of(var, compared)) => whole["when"] = compare(var, compared),
            Some(When::OfItem(index, var, compared)) => {
                whole["when"] = compare(&format!("{}.{var}", index.get(&all)), compared);
            }
        }
        whole
    }

    fn callee(&self, calls: Calls) -> String {
        match calls {
            Calls::Atom(n) => ATOMS[n].0.to_owned(),
            Calls::Lanes(index) => format!("c{}", index.index(self.agents.len())),
            Calls::Nobody => String::from("nobody"),
        }
    }
}

fn compare(var: &str, compared: &Value) -> Value {
    let mut when = compared.clone();
    when["var"] = json!(var);
    when
}

fn named(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({ "name": name })).collect()
}

fn atom(name: &str, outputs: &[&str]) -> Value {
    let q = if name == "need" {
        json!({"name": "q", "type": "integer", "default": 1})
    } else {
        json!({"name": "q", "default": 1})
    };
    json!({
        "name": name, "kind": "atomic", "outputs": named(outputs),
        "inputs": [{"name": "p", "required": name == "need"}, q],
    })
}

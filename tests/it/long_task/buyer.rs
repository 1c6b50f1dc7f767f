//! The model of the long task: it plans, works, claims too early, and looks when it does not know.

use crate::support::model::{Reply, Request, eid_of, turn};
use crate::support::tasks::calls;
use serde_json::{Value, json};

pub const STARTED: &str = "the stock is being counted";
pub const KNOWN: &str = "it is known which lamp is wanted";
pub const SIGNED_IN: &str = "the shop knows who buys";
pub const IN_CART: &str = "the lamp is in the cart";
pub const BY_TELEPHONE: &str = "the order is placed by telephone";
pub const ORDERED: &str = "the order is placed";
pub const WAREHOUSE_GOAL: &str = "the warehouse has the letter";
pub const COUNTED: &str = "the number in stock is known";

fn goal(position: u32, description: &str, on: &[u32], predicates: Value) -> Value {
    json!({
        "position": position, "description": description, "dependencies": on,
        "acceptance_criteria": format!("{description}, as can be seen"), "predicates": predicates,
    })
}

/// Plan of the task. The first one cannot be carried out: the shop has no telephone.
fn plan(replan: bool) -> Reply {
    let arrived = json!([{"check": "text", "value": "Letters received: 1"}]);
    let items = if replan {
        let ordered = json!([{"check": "url", "value": "/thanks"}, {"check": "text", "value": "Thank you!"}]);
        vec![
            goal(1, ORDERED, &[], ordered),
            goal(2, WAREHOUSE_GOAL, &[1], arrived),
            goal(3, COUNTED, &[], json!([])),
        ]
    } else {
        let signed_in = json!([{"check": "text", "value": "Welcome, "}]);
        let cart = json!([{"check": "url", "value": "/demo/cart"}, {"check": "text", "value": "Zoria lamp"}]);
        vec![
            goal(1, STARTED, &[], json!([])),
            goal(2, KNOWN, &[], json!([])),
            goal(3, SIGNED_IN, &[], signed_in),
            goal(4, IN_CART, &[2, 3], cart),
            goal(5, BY_TELEPHONE, &[4], json!([])),
            goal(6, WAREHOUSE_GOAL, &[5], arrived),
        ]
    };
    Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string())
}

fn judgement(request: &Request) -> Reply {
    let prompt = request.last_text();
    let (met, why) = match () {
        () if prompt.contains(BY_TELEPHONE) => (false, "the shop has no telephone"),
        () if prompt.contains(STARTED) => (prompt.contains("running"), "the count has begun"),
        () if prompt.contains(KNOWN) => (prompt.contains("lamp: Zoria lamp"), "the person named it"),
        () => (prompt.contains("\\\"count\\\":7") || prompt.contains("\"count\":7"), "seven are counted"),
    };
    Reply::Text(json!({"met": met, "why": why}).to_string())
}

/// Answers by what the request shows, so that one that is repeated after a death of the service is answered alike.
pub struct Buyer {
    pub shop: String,
    pub form: String,
    pub letters: String,
}

impl Buyer {
    pub fn answers(&self, request: &Request) -> Reply {
        match request.schema_name() {
            "plan" => plan(request.last_text().contains("could not be done")),
            "judgement" => judgement(request),
            _ => self.turn(request),
        }
    }

    fn turn(&self, request: &Request) -> Reply {
        let prompt = request.last_text();
        let Some((_, rest)) = prompt.split_once("Now work at item ") else {
            return Reply::stop("The lamp is ordered, the warehouse knows, seven are left.");
        };
        let step: u32 = rest.split(' ').next().unwrap().parse().unwrap();
        let wanted = rest.lines().next().unwrap().split_once("): ").unwrap().1;
        let claim = || Reply::Turn(claim_turn(step));
        match wanted {
            STARTED if shows(request, "result count ok") => claim(),
            STARTED => count(),
            KNOWN if shows(request, "the person answered a1") => claim(),
            KNOWN => Reply::act(
                "ask_user",
                json!({"question": "Which lamp?", "answer_key": "lamp", "options": []}),
            ),
            SIGNED_IN => self.signs_in(request),
            // The first claim comes too early.
            IN_CART if !shows(request, &done(step)) => claim(),
            IN_CART if page(request).contains("Added to the cart") => click(request, "link", "Cart"),
            IN_CART => click(request, "button", &format!("Add to cart: {}", lamp(request))),
            BY_TELEPHONE => claim(),
            ORDERED => orders(request),
            WAREHOUSE_GOAL => self.writes(request),
            COUNTED if shows(request, "result wait ok") => claim(),
            COUNTED => wait(),
            other => panic!("no such item: {other}"),
        }
    }

    fn signs_in(&self, request: &Request) -> Reply {
        let page = page(request);
        if !page.contains("textbox \"Login\"") {
            return Reply::act("navigate", json!({"url": self.shop}));
        }
        let typed = |name: &str, text: &str| {
            turn("type", json!({"eid": eid_of(&page, "textbox", name), "text": text}))["actions"][0].clone()
        };
        let mut reply = turn("click", json!({"eid": eid_of(&page, "button", "Sign in")}));
        let mut actions = vec![typed("Login", "olena"), typed("Password", "demo-pass-1")];
        actions.push(reply["actions"][0].take());
        actions.iter_mut().zip(1..).for_each(|(action, n)| action["action_id"] = json!(format!("a{n}")));
        reply["actions"] = json!(actions);
        Reply::Turn(reply)
    }

    /// Sends one letter; whoever does not know what came of it looks.
    fn writes(&self, request: &Request) -> Reply {
        let page = page(request);
        if shows(request, "its outcome is unknown") {
            return Reply::act("navigate", json!({"url": self.letters}));
        }
        if !page.contains("textbox \"Letter\"") {
            return Reply::act("navigate", json!({"url": self.form}));
        }
        let eid = eid_of(&page, "textbox", "Letter");
        if page.contains("Send one lamp") {
            return click(request, "button", "Send letter");
        }
        Reply::act("type", json!({"eid": eid, "text": "Send one lamp: ${{ answers.lamp }}"}))
    }
}

/// Entry in the history of an item that was called done.
fn done(step: u32) -> String {
    format!("goal {step} is reached")
}

fn claim_turn(step: u32) -> Value {
    let mut reply = turn("", json!({}));
    reply["thoughts"] = json!([{"type": "RESULT", "content": done(step)}]);
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(step), json!([]));
    reply
}

fn count() -> Reply {
    Reply::Turn(calls(&[("count", "stocktake", json!({"lamp": "all"}), "ASYNC")]))
}

fn wait() -> Reply {
    let params = json!({"operation": "wait", "task_id": "count"});
    Reply::Turn(calls(&[("wait", "task_manager", params, "SYNC")]))
}

fn orders(request: &Request) -> Reply {
    let page = page(request);
    if !page.contains("I agree to the terms") {
        return click(request, "link", "Check out");
    }
    let terms = page.lines().find(|line| line.contains("\"I agree to the terms\"")).unwrap();
    if terms.contains("checked=false") || !terms.contains("checked") {
        return click(request, "checkbox", "I agree to the terms");
    }
    click(request, "button", "Place order")
}

fn click(request: &Request, role: &str, name: &str) -> Reply {
    Reply::act("click", json!({"eid": eid_of(&page(request), role, name)}))
}

fn page(request: &Request) -> String {
    request.page()
}

fn shows(request: &Request, words: &str) -> bool {
    request.body["messages"].to_string().contains(words)
}

/// Answer of the person, as the request contains it.
fn lamp(request: &Request) -> String {
    let prompt = request.last_text();
    let line = prompt.lines().find_map(|line| line.strip_prefix("the person answered before: "));
    let answers: Value = serde_json::from_str(line.expect("the answers are told")).unwrap();
    answers["lamp"].as_str().unwrap().to_owned()
}

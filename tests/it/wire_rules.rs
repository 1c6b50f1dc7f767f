//! Rules of harmless requests (`wire:` in the policy), as a table: a request, what was pressed, and the rule that lets it
//! pass, or that it is asked about. Each rule is hit by a row of either kind.

use askfirst::browser::network::request_judge::{EarlierBody, RequestTiming};
use askfirst::gate::host_kinds::HostContext;
use askfirst::gate::request::{PageRef, ProposedAction};
use askfirst::gate::rules::Rules;
use askfirst::gate::wire_layer::proposed_request::{ProposedRequest, RequestCause};
use askfirst::gate::wire_layer::{RequestJudgement, judge_request};
use askfirst::page::outgoing_request::{OutgoingRequest, RequestKind};
use askfirst::page::target::Target;
use askfirst::turn::action::{Action, PageAction};
use askfirst::turn::page_input::mouse::ClickInput;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A row of `tests/wire_rules.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Rule that lets the request pass; absent if a person is asked.
    pass: Option<String>,
    /// Rule that almost lets it pass, for readers.
    #[serde(default)]
    ask: Option<String>,
    /// Method and address; without a host, of the page's site.
    request: String,
    #[serde(default)]
    json: Option<serde_json::Value>,
    #[serde(default)]
    form: Option<String>,
    #[serde(default)]
    text: Option<String>,
    /// Media type of `text`, or of a body that cannot be read.
    #[serde(default, rename = "type")]
    content_type: String,
    #[serde(default)]
    binary: bool,
    /// Role and name of the pressed element.
    #[serde(default)]
    pressed: Option<String>,
    #[serde(default)]
    typed: Vec<String>,
    /// The page has sent the very same before.
    #[serde(default)]
    repeated: bool,
    /// The document that the request is for, as when a form is sent: of the `page`, or of a `frame`; else a script sends it.
    #[serde(default)]
    document: Option<String>,
    /// Path of the page.
    #[serde(default)]
    page: Option<String>,
    /// The page has stored before what the request deletes.
    #[serde(default)]
    stored_before: bool,
}

const SITE: &str = "https://shop.example";

fn body_of(row: &Row) -> (String, Option<Vec<u8>>) {
    let named = |default: &str| match row.content_type.as_str() {
        "" => default.to_owned(),
        named => named.to_owned(),
    };
    match (&row.json, &row.form, &row.text) {
        (Some(json), _, _) => (named("application/json"), Some(json.to_string().into_bytes())),
        (_, Some(form), _) => (named("application/x-www-form-urlencoded"), Some(form.clone().into_bytes())),
        (_, _, Some(text)) => (named("text/plain"), Some(text.clone().into_bytes())),
        _ if row.binary => (named("application/octet-stream"), Some(vec![0, 0, 0, 0, 9, 8, 200, 1])),
        _ => (row.content_type.clone(), None),
    }
}

fn kind_of(row: &Row) -> RequestKind {
    match row.document.as_deref() {
        None => RequestKind::Fetch,
        Some("page") => RequestKind::Navigation,
        Some("frame") => RequestKind::FrameNavigation,
        Some(other) => panic!("document: page or frame, not {other}"),
    }
}

fn propose(row: &Row) -> ProposedRequest {
    let (method, address) = row.request.split_once(' ').expect("method and address");
    let (content_type, body) = body_of(row);
    let (role, name) =
        row.pressed.as_deref().unwrap_or("button More").split_once(' ').expect("role and name");
    let target = Target { role: role.into(), name: name.into(), tag: "button".into(), ..Target::default() };
    let page =
        PageRef { url: format!("{SITE}{}", row.page.as_deref().unwrap_or("/page")), ..PageRef::default() };
    let action = Action::Page(PageAction::Click { eid: 7, click: ClickInput::once() });
    ProposedRequest {
        request: OutgoingRequest {
            method: method.into(),
            url: if address.starts_with('/') { format!("{SITE}{address}") } else { address.into() },
            document: page.url.clone(),
            page: page.url.clone(),
            kind: kind_of(row),
            content_type,
            size: body.as_ref().map(|body| body.len() as u64),
            body,
        },
        timing: RequestTiming::AfterAction,
        earlier: row
            .repeated
            .then(|| EarlierBody { content_type: body_of(row).0, body: body_of(row).1.unwrap_or_default() }),
        stored_before: row.stored_before,
        to_visited_site: false,
        cause: Arc::new(RequestCause {
            action_id: "a1".into(),
            proposed: ProposedAction { action, target: Some(target), page, context: HostContext::default() },
        }),
        approved: Vec::new(),
        typed: Arc::new(row.typed.clone()),
        context: HostContext::default(),
    }
}

fn rows() -> Vec<Row> {
    let text = include_str!("../wire_rules.yaml");
    serde_saphyr::from_str(text).expect("tests/wire_rules.yaml")
}

#[test]
fn requests_pass_by_the_rule_that_knows_them_or_are_asked_about() {
    let wrong: Vec<String> = rows()
        .iter()
        .filter_map(|row| {
            let seen = match judge_request(Rules::built_in(), &propose(row)) {
                RequestJudgement::Pass { covered_by } => covered_by.trim_start_matches("rule:").to_owned(),
                RequestJudgement::Refuse { rule } => format!("refused by {rule}"),
                RequestJudgement::Ask(_) => String::from("asks"),
            };
            let expected = row.pass.as_deref().unwrap_or("asks");
            (seen != expected).then(|| format!("{}: {seen}, not {expected} ({row:?})", row.request))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows().len(), wrong.join("\n"));
}

#[test]
fn each_rule_has_rows_that_pass_and_rows_that_ask() {
    let rows = rows();
    let passed: BTreeSet<&str> = rows.iter().filter_map(|row| row.pass.as_deref()).collect();
    let asked: BTreeSet<&str> = rows.iter().filter_map(|row| row.ask.as_deref()).collect();
    for rule in Rules::built_in().harmless_requests() {
        assert!(passed.contains(rule.id.as_str()), "no row passes by {}", rule.id);
        assert!(asked.contains(rule.id.as_str()), "no row shows what {} does not cover", rule.id);
    }
}

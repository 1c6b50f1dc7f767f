//! The wire layer: judges each request of a page that may have an effect, before it leaves. Pure.
//!
//! A request passes if an approval covers it (`comparison`), if it is the page's own, if a rule of `wire:` names
//! why it is harmless (`harmless`), or if a grant covers it; else a person is asked (`question`).

pub mod approved_redirect;
pub mod body_changes;
pub mod comparison;
pub mod harmless;
pub mod proposed_request;
pub mod question;
pub mod reading;
pub mod request_class;
pub mod request_covers;
pub mod file_request;

use crate::browser::network::request_judge::RequestTiming;
use crate::gate::rules::Rules;
use crate::gate::verdict::Decision;
use crate::gate::wire_layer::body_changes::BodyChanges;
use crate::gate::wire_layer::comparison::Comparison;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::question::HeldRequestVerdict;
use crate::gate::wire_layer::reading::RequestReading;
use crate::gate::wire_layer::request_class::RequestClass;
use crate::page::request_body::OperationKind;

/// `covered_by` of a request that the page sends by itself.
pub const PAGES_OWN: &str = "page";

/// Judgement of a request by the rules, before grants are looked up.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestJudgement {
    /// It leaves. `covered_by` names the reason: a question's reference, `rule:<id>`, or `page`.
    Pass { covered_by: String },
    /// A rule denies it.
    Refuse { rule: String },
    /// A person must be asked, unless a grant covers it.
    Ask(Box<HeldRequestVerdict>),
}

/// Judges a request by the rules. Pure.
pub fn judge_request(rules: &Rules, proposed: &ProposedRequest) -> RequestJudgement {
    let reading = RequestReading::read(proposed);
    let compared = comparison::compare_with_approvals(proposed, &reading);
    if let Comparison::Same(reference) = compared {
        return RequestJudgement::Pass { covered_by: reference };
    }
    let changed = match compared {
        Comparison::Changed(changed) => changed,
        Comparison::Same(_) | Comparison::Unrelated => Vec::new(),
    };
    if changed.is_empty()
        && let Some(covered_by) = find_harmless_reason(rules, proposed, &reading)
    {
        return RequestJudgement::Pass { covered_by };
    }
    let class = RequestClass::classify(proposed, &reading);
    let rule = rules.first_match(&class.facts);
    match rule.decision {
        Decision::Allow if changed.is_empty() => {
            RequestJudgement::Pass { covered_by: format!("rule:{}", rule.id) }
        }
        Decision::Deny => RequestJudgement::Refuse { rule: rule.id.clone() },
        Decision::Allow | Decision::RequiresConfirmation => {
            RequestJudgement::Ask(Box::new(question::ask_about(rule, proposed, &reading, &class, changed)))
        }
    }
}

/// Returns why the request needs no approval: it is the page's own, it changes nothing, or a rule says so.
fn find_harmless_reason(
    rules: &Rules,
    proposed: &ProposedRequest,
    reading: &RequestReading,
) -> Option<String> {
    if is_pages_own(proposed, reading) {
        return Some(PAGES_OWN.to_owned());
    }
    let fetches = proposed.request.is_safe_method() && !request_class::is_effectful_fetch(proposed, reading);
    if fetches && !reading.carries_typed_elsewhere(proposed) {
        return Some(PAGES_OWN.to_owned());
    }
    let repeats_small = proposed.request.method == "POST" && !question::may_be_state(proposed, reading);
    let is_unchanged =
        |changes: &BodyChanges| changes.are_view_state() && !(changes.0.is_empty() && repeats_small);
    if reading.changes.as_ref().is_some_and(is_unchanged) {
        return Some(String::from("rule:unchanged"));
    }
    harmless::find_rule(rules, proposed, reading).map(|rule| format!("rule:{}", rule.id))
}

/// True if the request carries other values than the last one, although the page sends such requests by itself, too: it
/// may store a state, of which the difference counts. GraphQL queries only read.
fn changes_state(proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    let only_reads =
        !reading.graphql.is_empty() && reading.graphql.iter().all(|call| call.kind == OperationKind::Query);
    !only_reads
        && !reading.is_telemetry
        && BodyChanges::differ_from_last(proposed.earlier.as_ref(), &proposed.request)
}

/// True if the page sends the request by itself: before any action on it, or of a kind that it sent before any.
/// Carrying what the agent typed, it is not its own, nor is one to another site at which the browser may be signed in.
fn is_pages_own(proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    let is_own = match proposed.timing {
        RequestTiming::BeforeAction => {
            reading.is_same_site || reading.is_telemetry || !proposed.to_visited_site
        }
        RequestTiming::OfKnownKind => {
            (reading.is_same_site || reading.is_telemetry) && !changes_state(proposed, reading)
        }
        RequestTiming::AfterAction => false,
    };
    is_own && !proposed.request.kind.is_navigation() && !reading.carries_typed
}

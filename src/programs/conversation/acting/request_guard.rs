//! The judge of the requests that an action causes, made from what the gate knows about the action.

use crate::gate::action_judge::{ActionJudge, CoveredRequest, JudgedAction, RecordCovered};
use crate::gate::request::{PageRef, ProposedAction};
use crate::gate::wire_layer::PAGES_OWN;
use crate::gate::wire_layer::proposed_request::{
    ARGUMENT, ApprovedContent, ApprovedEffect, ApprovedFiles, ApprovedForm, RequestCause,
};
use crate::gate::wire_layer::question::HeldQuestion;
use crate::page::masked_address::mask_address;
use crate::page::target::{Field, Form, Target};
use crate::page::url::strip_fragment;
use crate::programs::conversation::acting::flow_check;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::conversation::{effects, host_context};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::turn::action::{Action, BrowserAction, PageAction, TabOperation};
use crate::turn::page_input::tool_arguments::list_values;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns the judge of the requests that the planned action causes. `filled_action` has the secrets that are typed.
pub fn judge_of_action(
    cx: &VisitContext,
    planned: &TurnProgress,
    action: &Action,
    filled_action: &Action,
) -> Arc<ActionJudge> {
    typed_texts(filled_action).into_iter().for_each(|(_, text)| cx.deps.texts.add_typed(&text));
    let target = cx.working_set.target();
    let options = target.as_ref().map(|target| flow_check::options_typed(filled_action, target));
    options.iter().flatten().for_each(|option| cx.deps.texts.add_typed(option));
    let mut page = cx
        .working_set
        .observation()
        .map(|observed| PageRef::from_observation(&observed.observation))
        .unwrap_or_default();
    if let Some(target) = &target {
        page.url.clone_from(&target.page);
    }
    let context = host_context::hosts(cx);
    let still_holds = |earlier: &ApprovedEffect| holds_on(earlier, action, &page.url);
    cx.deps.approvals.begin_action(still_holds, approved_effect(cx, action, &page.url));
    let proposed = ProposedAction { action: action.clone(), target, page, context: context.clone() };
    let cause = RequestCause { action_id: planned.action_id.clone(), proposed };
    let judged = JudgedAction {
        root: cx.root.clone(),
        uses_grants: !cx.state.has_unknown_effect,
        cause,
        typed: cx.deps.texts.typed(),
        context,
        approved: Arc::clone(&cx.deps.approvals),
        find_flow: flow_check::navigation_check(cx),
    };
    Arc::new(ActionJudge::new(cx.deps.gate.clone(), judged, record_covered(cx, None)))
}

/// Returns the judge for what a page sends after requests were released: the same action has caused it.
/// `reference` is that of the question.
pub fn judge_of_release(cx: &VisitContext, question: &HeldQuestion, reference: &str) -> Arc<ActionJudge> {
    let page =
        PageRef { url: question.page_url.clone(), title: question.page_title.clone(), ..PageRef::default() };
    let context = host_context::hosts(cx);
    let (action, target) = (question.action.clone(), question.target.clone());
    let proposed = ProposedAction { action, target, page, context: context.clone() };
    let cause = RequestCause { action_id: question.caused_by.clone().unwrap_or_default(), proposed };
    let (root, typed) = (cx.root.clone(), cx.deps.texts.typed());
    let judged = JudgedAction {
        root,
        uses_grants: !cx.state.has_unknown_effect,
        cause,
        typed,
        context,
        approved: Arc::clone(&cx.deps.approvals),
        find_flow: flow_check::navigation_check(cx),
    };
    Arc::new(ActionJudge::new(cx.deps.gate.clone(), judged, record_covered(cx, Some(reference.to_owned()))))
}

/// Returns the approval that covers the first request of the action: of its form, or of what the page gave up.
fn approved_effect(cx: &VisitContext, action: &Action, page: &str) -> Option<ApprovedEffect> {
    let approval = cx.state.approval.as_ref().filter(|approval| approval.given);
    // The person may have approved another action since.
    if let Some(approved) = &cx.state.repeat_for
        && (approval.is_none() || cx.state.repeats_action())
    {
        return Some((**approved).clone());
    }
    let approval = approval?;
    let reference = approval.reference.clone();
    if let Action::Browser(
        BrowserAction::Navigate { url }
        | BrowserAction::Tab { operation: TabOperation::New, url: Some(url), .. },
    ) = action
    {
        let content = ApprovedContent::Address(url.clone());
        return Some(ApprovedEffect { reference, content });
    }
    if let Action::Page(PageAction::Upload { files, .. }) = action {
        let stored = effects::list_files(cx);
        let size_of = |name: &String| stored.iter().find(|file| file.name == *name).map(|file| file.size);
        let files = files.iter().map(|name| (name.clone(), size_of(name))).collect();
        let content = ApprovedContent::Files(ApprovedFiles { files, page: page.to_owned() });
        return Some(ApprovedEffect { reference, content });
    }
    let target = approval.target.as_ref()?;
    if let Action::Page(PageAction::Tool { name, arguments }) = action {
        let content = ApprovedContent::Form(Box::new(form_of_arguments(name, arguments, &approval.url)));
        return Some(ApprovedEffect { reference, content });
    }
    let content = match &target.form {
        Some(form) if target.submits || target.sends_itself => {
            let entered = entered_texts(action, target);
            let page = approval.url.clone();
            ApprovedContent::Form(Box::new(ApprovedForm { form: form.clone(), entered, page }))
        }
        Some(_) | None => ApprovedContent::Address(target.destination.clone()?),
    };
    Some(ApprovedEffect { reference, content })
}

/// Returns the arguments of a tool as a form that a script sends in its place: a request to the page's own site that
/// carries nothing else is what was approved.
fn form_of_arguments(name: &str, arguments: &Map<String, Value>, page: &str) -> ApprovedForm {
    let field = |(path, value): (String, String)| Field {
        name: path.clone(),
        label: path,
        kind: String::from(ARGUMENT),
        value,
        filled: true,
        ..Field::default()
    };
    let form = Form {
        action: format!("{}#{name}", strip_fragment(page)),
        method: String::from("post"),
        fields: list_values(arguments).into_iter().map(field).collect(),
        ..Form::default()
    };
    ApprovedForm { form, entered: Vec::new(), page: page.to_owned() }
}

/// Returns the texts that an action enters, with the names of their fields.
fn entered_texts(action: &Action, target: &Target) -> Vec<(String, String)> {
    let name_of = |eid: Option<u32>| {
        let field = eid.and_then(|eid| target.element(eid));
        field.map_or_else(|| target.name.clone(), |field| field.name.clone())
    };
    typed_texts(action).into_iter().map(|(eid, text)| (name_of(eid), text)).collect()
}

/// True if an earlier approval still holds for this action: a form whose press opened a dialog is sent by the answer to
/// it, and a page may send the files that it was given until it goes.
fn holds_on(earlier: &ApprovedEffect, action: &Action, page: &str) -> bool {
    match &earlier.content {
        ApprovedContent::Files(files) => strip_fragment(&files.page) == strip_fragment(page),
        ApprovedContent::Form(_) | ApprovedContent::Requests(_) | ApprovedContent::Address(_) => {
            matches!(action, Action::Page(PageAction::Dialog { accept: true, .. }))
        }
    }
}

/// Returns the texts that an action enters into the page, with their elements.
fn typed_texts(action: &Action) -> Vec<(Option<u32>, String)> {
    match action {
        Action::Page(PageAction::Dialog { text: Some(text), .. }) => vec![(None, text.clone())],
        Action::Page(PageAction::Tool { arguments, .. }) => {
            list_values(arguments).into_iter().map(|(_, value)| (None, value)).collect()
        }
        other => other.typed_texts().into_iter().map(|(eid, text)| (eid, text.to_owned())).collect(),
    }
}

/// Returns the function that reports requests that leave without a question of their own.
/// `answered` is the reference of a question that was just answered.
fn record_covered(cx: &VisitContext, answered: Option<String>) -> RecordCovered {
    let journal = cx.journal.clone();
    let approval = cx.state.approval.as_ref().map(|approval| approval.reference.clone());
    let repeated = cx.state.repeat_for.as_ref().map(|approved| approved.reference.clone());
    let questions: Vec<String> = approval.into_iter().chain(repeated).chain(answered).collect();
    Arc::new(move |mut covered: CoveredRequest| {
        covered.url = mask_address(&covered.url).into_owned();
        let journal = journal.clone();
        let by = if questions.contains(&covered.covered_by) { "approval" } else { "grant" };
        // Nobody decided on requests that a rule lets pass, or that pages send by themselves.
        let is_decided = covered.covered_by != PAGES_OWN && !covered.covered_by.starts_with("rule:");
        let audit: Vec<Value> = is_decided.then(|| audit_row(&covered, by)).into_iter().collect();
        Box::pin(async move {
            if let Err(fault) = journal.store_audited(effect_event(covered), audit).await {
                tracing::warn!(%fault, "a request was not reported");
            }
        })
    })
}

/// Reports a request with an effect that has left: to the viewers of the run, and in the audit log.
pub fn report_effect(cx: &mut VisitContext, covered: CoveredRequest, by: &str) {
    cx.record.audit.push(audit_row(&covered, by));
    cx.push_event(effect_event(covered));
}

/// Returns the row of the audit log about a request that has left. Of an approval it names the question.
fn audit_row(covered: &CoveredRequest, by: &str) -> Value {
    let CoveredRequest { action_id, method, url, covered_by } = covered;
    let origin = origin_of(url);
    let mut row = json!({
        "action_id": action_id, "decision": "allow", "by": by, "covered_by": covered_by, "origin": origin,
        "request": {"method": method, "url": url, "origin": origin},
    });
    if !matches!(by, "grant" | "policy") {
        row["question"] = json!(covered_by);
    }
    row
}

fn origin_of(url: &str) -> String {
    url::Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// Returns the event about a request with an effect that leaves.
fn effect_event(covered: CoveredRequest) -> Fact {
    let CoveredRequest { action_id, method, url, covered_by } = covered;
    let origin = origin_of(&url);
    Fact::Event(Event::Effect { action_id, method, url, origin, covered_by })
}

//! The judge of the requests that one action of an agent causes: hands each request of the browser to the gate.

use crate::browser::network::request_judge::{DownloadFacts, RequestDecision, RequestFacts, RequestJudge};
use crate::clock::Stopwatch;
use crate::gate::actor::{Assess, AssessRequest, PolicyGate, ProposedEffect, RequestAssessment};
use crate::gate::flow::crossing::Flow;
use crate::gate::held_effects::download::ask_about_download;
use crate::gate::held_effects::navigation::{ask_about_navigation, leaving_address};
use crate::gate::host_kinds::HostContext;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::verdict::Decision;
use crate::gate::wire_layer::PAGES_OWN;
use crate::gate::wire_layer::approved_redirect::ApprovedSending;
use crate::gate::wire_layer::proposed_request::{
    ApprovedContent, ApprovedEffect, ProposedRequest, RequestCause,
};
use crate::gate::wire_layer::question::HeldQuestion;
use crate::ids::RunId;
use crate::page::outgoing_request::{MESSAGE, OutgoingRequest};
use crate::protocol::Remember;
use actix::Addr;
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Most approved requests whose redirects are known.
const MOST_SENDINGS: usize = 20;

/// A request with an effect that leaves because something covers it.
#[derive(Clone, Debug)]
pub struct CoveredRequest {
    pub action_id: String,
    pub method: String,
    pub url: String,
    pub covered_by: String,
}

/// Records a covered request before it leaves.
pub type RecordCovered = Arc<dyn Fn(CoveredRequest) -> BoxFuture<'static, ()> + Send + Sync>;

/// Finds typed text in an address that would go to another site unasked.
pub type FindFlow = Arc<dyn Fn(&Url) -> Option<Flow> + Send + Sync>;

/// Judge for the requests after one action.
pub struct ActionJudge {
    gate: Addr<PolicyGate>,
    root: RunId,
    uses_grants: bool,
    cause: Arc<RequestCause>,
    typed: Arc<Vec<String>>,
    context: HostContext,
    approved: Arc<OpenApprovals>,
    find_flow: FindFlow,
    record: RecordCovered,
}

/// An action, with what its judge needs.
pub struct JudgedAction {
    pub root: RunId,
    /// False if grants cover none of the requests.
    pub uses_grants: bool,
    pub cause: RequestCause,
    /// Texts that the agent has typed in this run.
    pub typed: Vec<String>,
    pub context: HostContext,
    /// Approvals that the requests may use.
    pub approved: Arc<OpenApprovals>,
    pub find_flow: FindFlow,
}

impl ActionJudge {
    pub fn new(gate: Addr<PolicyGate>, action: JudgedAction, record: RecordCovered) -> Self {
        let JudgedAction { root, uses_grants, cause, typed, context, approved, find_flow } = action;
        let (cause, typed) = (Arc::new(cause), Arc::new(typed));
        Self { gate, root, uses_grants, cause, typed, context, approved, find_flow, record }
    }

    /// Reports whether a request has left because of this approval.
    pub fn has_used_approval(&self, reference: &str) -> bool {
        self.approved.has_used(reference)
    }

    fn propose(&self, facts: RequestFacts) -> ProposedRequest {
        let RequestFacts { request, timing, earlier, stored_before, to_visited_site, .. } = facts;
        ProposedRequest {
            request,
            timing,
            earlier,
            stored_before,
            to_visited_site,
            cause: Arc::clone(&self.cause),
            approved: self.approved.list(),
            typed: Arc::clone(&self.typed),
            context: self.context.clone(),
        }
    }
}

impl RequestJudge for ActionJudge {
    fn judge_request(&self, facts: RequestFacts) -> BoxFuture<'static, RequestDecision> {
        if self.approved.leads_to(&facts.network_id, &facts.request) {
            return Box::pin(ready(RequestDecision::Pass));
        }
        let network_id = facts.network_id.clone();
        let proposed = self.propose(facts);
        let (find_flow, navigation) = (Arc::clone(&self.find_flow), leaving_address(&proposed));
        let navigation = navigation.map(|url| (url, proposed.clone()));
        let (gate, grants_of) = (self.gate.clone(), self.uses_grants.then(|| self.root.clone()));
        let approved = Arc::clone(&self.approved);
        let (record, action_id) = (Arc::clone(&self.record), self.cause.action_id.clone());
        let (method, url) = (proposed.request.method.clone(), proposed.request.url.clone());
        let (is_safe, is_message) = (proposed.request.is_safe_method(), method == MESSAGE);
        let covered = move |covered_by| CoveredRequest { action_id, method, url, covered_by };
        let sending = ApprovedSending::of_approved(&network_id, &proposed);
        Box::pin(async move {
            match assess_once_approved(&gate, grants_of, proposed, &approved).await {
                Some(RequestAssessment::Pass { covered_by }) => {
                    // Requests to the site of their page are no flow; of others, the rules have judged typed text already.
                    if covered_by == PAGES_OWN
                        && let Some(question) = ask_about_flow(navigation, &find_flow)
                    {
                        return RequestDecision::Hold { question };
                    }
                    let is_approved = !covered_by.starts_with("rule:");
                    if is_approved && covered_by != PAGES_OWN {
                        approved.note_sent(sending);
                    }
                    if (is_approved || !is_safe) && is_reported(is_message, &covered_by) {
                        record(covered(covered_by)).await;
                    }
                    RequestDecision::Pass
                }
                Some(RequestAssessment::Ask(question)) => {
                    pass_rest_or_hold(&question, &approved, |covered_by| record(covered(covered_by))).await
                }
                Some(RequestAssessment::Refuse { rule }) => refuse_by_policy(&rule),
                // Nothing leaves that could not be judged.
                None => RequestDecision::Refuse,
            }
        })
    }

    fn judge_download(&self, facts: DownloadFacts) -> BoxFuture<'static, RequestDecision> {
        let (gate, root, cause) = (self.gate.clone(), self.root.clone(), Arc::clone(&self.cause));
        Box::pin(async move {
            let assessed = gate.send(Assess { proposed: ProposedEffect::ProgramDownload, root }).await;
            let Ok(Ok(assessment)) = assessed else { return RequestDecision::Refuse };
            match assessment.decision() {
                Decision::Allow => RequestDecision::Pass,
                Decision::Deny => RequestDecision::Refuse,
                Decision::RequiresConfirmation => {
                    let question = ask_about_download(&cause, &facts, &assessment.verdict);
                    RequestDecision::Hold { question: json!(question) }
                }
            }
        })
    }
}

/// Returns the question about text that an address would take to another site; `None` if it takes none.
fn ask_about_flow(navigation: Option<(Url, ProposedRequest)>, find_flow: &FindFlow) -> Option<Value> {
    let (url, proposed) = navigation?;
    find_flow(&url).map(|flow| json!(ask_about_navigation(&proposed, flow)))
}

/// Lets a request pass that belongs to the rest of an approved action, and holds all others.
async fn pass_rest_or_hold(
    question: &HeldQuestion,
    approved: &OpenApprovals,
    record: impl FnOnce(String) -> BoxFuture<'static, ()>,
) -> RequestDecision {
    let Some(covered_by) = approved.covers_rest(question) else {
        return RequestDecision::Hold { question: json!(question) };
    };
    record(covered_by).await;
    RequestDecision::Pass
}

fn refuse_by_policy(rule: &str) -> RequestDecision {
    tracing::info!(rule, "request refused by the policy");
    RequestDecision::Refuse
}

/// Assesses a request. An approval covers one request: if another has used it meanwhile, the request is assessed
/// without it. `None` if it cannot be assessed.
async fn assess_once_approved(
    gate: &Addr<PolicyGate>,
    grants_of: Option<RunId>,
    proposed: ProposedRequest,
    approved: &OpenApprovals,
) -> Option<RequestAssessment> {
    // Bodies are large, and most actions have no approval.
    let without_approvals =
        (!proposed.approved.is_empty()).then(|| ProposedRequest { approved: Vec::new(), ..proposed.clone() });
    let references: Vec<String> = proposed.approved.iter().map(|effect| effect.reference.clone()).collect();
    let first = assess(gate, grants_of.as_ref(), proposed).await?;
    match &first {
        RequestAssessment::Pass { covered_by } if references.contains(covered_by) => {
            match without_approvals.filter(|_| !approved.use_up(covered_by)) {
                Some(unapproved) => assess(gate, grants_of.as_ref(), unapproved).await,
                None => Some(first),
            }
        }
        RequestAssessment::Pass { .. } | RequestAssessment::Refuse { .. } | RequestAssessment::Ask(_) => {
            Some(first)
        }
    }
}

async fn assess(
    gate: &Addr<PolicyGate>,
    grants_of: Option<&RunId>,
    proposed: ProposedRequest,
) -> Option<RequestAssessment> {
    match gate.send(AssessRequest { proposed: Box::new(proposed), grants_of: grants_of.cloned() }).await {
        Ok(Ok(assessment)) => Some(assessment),
        Ok(Err(fault)) => {
            tracing::error!(%fault, "request refused: it could not be judged");
            None
        }
        Err(_) => None,
    }
}

/// True if the person is told of a request that nobody was asked about: not of what pages send by themselves, nor of
/// harmless messages of sockets, of which there may be many in a second.
fn is_reported(is_message: bool, covered_by: &str) -> bool {
    let is_harmless_message = is_message && covered_by.starts_with("rule:");
    covered_by != PAGES_OWN && covered_by != "rule:telemetry" && !is_harmless_message
}

/// Approvals of one run's actions, oldest first. In memory only: after a restart people are asked again. The mutex is
/// never held across an await.
#[derive(Debug, Default)]
pub struct OpenApprovals(Mutex<ApprovalsState>);

#[derive(Debug, Default)]
struct ApprovalsState {
    /// Approvals that no request has used yet.
    open: Vec<ApprovedEffect>,
    /// References of those that one has used.
    used: Vec<String>,
    /// Last requests that left for an approval, whose answers may lead to a page.
    sent: VecDeque<ApprovedSending>,
    /// The action whose request was approved last, and for which place.
    asked: Option<AskedPlace>,
    /// The action of which the person has approved the rest.
    rest: Option<ApprovedRest>,
}

/// Approval of what else an action stores at one place. It lasts for a while: a page may send at any time.
#[derive(Debug)]
struct ApprovedRest {
    place: AskedPlace,
    /// Reference of the question.
    reference: String,
    given: Stopwatch,
    /// Number of requests that it still covers.
    left: u32,
}

/// Longest time for which an approval covers the rest of an action, in seconds, and the most requests that it covers.
const REST_SECONDS: f64 = 60.0;
const MOST_OF_REST: u32 = 50;

/// The requests of one action that one rule asks about at one site.
#[derive(Clone, Debug, PartialEq)]
struct AskedPlace {
    action_id: String,
    origin: String,
    rule: String,
}

impl AskedPlace {
    /// Returns the place of a question about a script's readable request that only stores something, and whose approval may
    /// be remembered; `None` for all others, which are asked about one by one.
    fn read(question: &HeldQuestion) -> Option<Self> {
        let only_stores = question.effect == EffectClass::Submit.as_str()
            && !question.together.is_empty()
            && question.remember.contains(&Remember::Run)
            && question.changed.is_empty()
            && question.flow.is_none();
        let action_id = question.caused_by.clone().filter(|id| only_stores && !id.is_empty())?;
        let (origin, rule) = (question.origin.clone(), question.rule.clone());
        (!origin.is_empty()).then_some(Self { action_id, origin, rule })
    }
}

impl OpenApprovals {
    /// Begins an action: keeps the earlier approvals that still hold for it, and adds its own, unless a request has
    /// used it before.
    pub fn begin_action(
        &self,
        still_holds: impl FnMut(&ApprovedEffect) -> bool,
        approved: Option<ApprovedEffect>,
    ) {
        self.end_rest();
        let mut state = self.lock();
        state.open.retain(still_holds);
        let Some(approved) = approved else { return };
        let is_known = state.open.iter().any(|open| open.reference == approved.reference);
        if !is_known && !state.used.contains(&approved.reference) {
            state.open.push(approved);
        }
    }

    /// Returns the approvals that a request may use.
    pub fn list(&self) -> Vec<ApprovedEffect> {
        self.lock().open.clone()
    }

    /// Uses an approval up. Returns false if another request has used it already. A file may be sent in parts, so its
    /// approval stays.
    pub fn use_up(&self, reference: &str) -> bool {
        let mut state = self.lock();
        let Some(place) = state.open.iter().position(|approved| approved.reference == reference) else {
            return false;
        };
        if !matches!(state.open[place].content, ApprovedContent::Files(_)) {
            state.open.remove(place);
            state.used.push(reference.to_owned());
        }
        true
    }

    /// Notes a request that leaves for an approval.
    fn note_sent(&self, sending: Option<ApprovedSending>) {
        let Some(sent) = sending else { return };
        let mut state = self.lock();
        state.sent.push_back(sent);
        if state.sent.len() > MOST_SENDINGS {
            state.sent.pop_front();
        }
    }

    /// True if the answer to an approved request leads to this page.
    fn leads_to(&self, network_id: &str, request: &OutgoingRequest) -> bool {
        self.lock().sent.iter().any(|sent| sent.leads_to(network_id, request))
    }

    /// True if the person has approved a request of the same action, place and rule before: what else the action stores
    /// there may be approved at once.
    pub fn may_approve_rest<'a>(&self, questions: impl IntoIterator<Item = &'a HeldQuestion>) -> bool {
        let asked = self.lock().asked.clone();
        asked.is_some() && questions.into_iter().all(|question| AskedPlace::read(question) == asked)
    }

    /// Notes an approved question. `covers_rest` is true if the person has approved what else its action stores there.
    pub fn note_approved(&self, question: &HeldQuestion, reference: &str, covers_rest: bool) {
        // A request that is asked about by itself ends no approval.
        let Some(place) = AskedPlace::read(question) else { return };
        let mut state = self.lock();
        if covers_rest {
            let reference = reference.to_owned();
            let (place, given) = (place.clone(), Stopwatch::start());
            state.rest = Some(ApprovedRest { place, reference, given, left: MOST_OF_REST });
        }
        state.asked = Some(place);
    }

    /// Ends the approval of the rest of an action: another begins, its page is gone, or the person has declined something
    /// of it. Names of actions are those of one turn, and come again.
    pub fn end_rest(&self) {
        let mut state = self.lock();
        (state.asked, state.rest) = (None, None);
    }

    /// Returns the reference of the approval that covers the rest of an action, if it covers this request.
    fn covers_rest(&self, question: &HeldQuestion) -> Option<String> {
        let mut state = self.lock();
        let rest = state.rest.as_mut()?;
        let lasts = rest.left > 0 && rest.given.seconds() < REST_SECONDS;
        if !lasts || AskedPlace::read(question).as_ref() != Some(&rest.place) {
            return None;
        }
        rest.left -= 1;
        Some(rest.reference.clone())
    }

    fn has_used(&self, reference: &str) -> bool {
        self.lock().used.iter().any(|used| used == reference)
    }

    fn lock(&self) -> MutexGuard<'_, ApprovalsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::grants::covers::Covers;
    use crate::gate::wire_layer::proposed_request::ApprovedFiles;
    use crate::turn::action::{Action, BrowserAction};

    #[test]
    fn an_approval_is_used_once_and_that_of_files_stays() {
        let open = OpenApprovals::default();
        let effect = |reference: &str, content| ApprovedEffect { reference: reference.into(), content };
        open.begin_action(|_| true, Some(effect("q1", ApprovedContent::Address("https://a.test/".into()))));
        open.begin_action(|_| true, Some(effect("q2", ApprovedContent::Files(ApprovedFiles::default()))));
        assert_eq!(open.list().len(), 2);
        assert!(open.use_up("q1") && !open.use_up("q1") && open.has_used("q1"));
        open.begin_action(|_| true, Some(effect("q1", ApprovedContent::Address("https://a.test/".into()))));
        assert_eq!(open.list().len(), 1, "an approval covers one request");
        assert!(open.use_up("q2") && open.use_up("q2"));
        open.begin_action(|_| false, None);
        assert!(open.list().is_empty() && !open.use_up("q2"));
    }

    fn stores(origin: &str, effect: &str) -> HeldQuestion {
        serde_json::from_value(json!({
            "caused_by": "a1", "action": Action::Browser(BrowserAction::Reload), "target": null, "page_url": origin, "page_title": "",
            "sentence": {"uk": "", "en": ""}, "reason": {"uk": "", "en": ""}, "rule": "submit", "risk": "medium",
            "effect": effect, "remember": ["once", "run"], "origin": origin, "values": [], "changed": [],
            "request": {"method": "POST", "url": origin, "origin": origin, "content_type": "", "size": null},
            "covers": Covers::default(), "subject": "", "together": "cells",
            "approved": {"method": "POST", "url": origin, "values": [], "digest": ""}
        }))
        .expect("a question")
    }

    // It covers what the same action stores at the same place, up to a number, and ends with the action or a refusal.
    #[test]
    fn the_approval_of_the_rest_of_an_action_ends() {
        let open = OpenApprovals::default();
        let (here, elsewhere) = (stores("https://a.test", "submit"), stores("https://b.test", "submit"));
        open.note_approved(&here, "q1", false);
        assert_eq!(open.covers_rest(&here), None, "approved once");
        assert!(open.may_approve_rest([&here]) && !open.may_approve_rest([&here, &elsewhere]));
        open.note_approved(&here, "q2", true);
        assert_eq!(open.covers_rest(&elsewhere), None);
        assert_eq!(open.covers_rest(&stores("https://a.test", "delete")), None);
        let covered = (0..2 * MOST_OF_REST).filter(|_| open.covers_rest(&here).is_some()).count();
        assert_eq!(covered, MOST_OF_REST as usize);
        let ends: [fn(&OpenApprovals); 2] =
            [|open| open.begin_action(|_| true, None), OpenApprovals::end_rest];
        for end in ends {
            open.note_approved(&here, "q3", true);
            assert_eq!(open.covers_rest(&here).as_deref(), Some("q3"));
            end(&open);
            assert_eq!(open.covers_rest(&here), None);
            assert!(!open.may_approve_rest([&here]));
        }
    }
}

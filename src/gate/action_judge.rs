//! The judge of the requests that one action of an agent causes: hands each request of the browser to the gate.

use crate::browser::network::request_judge::{RequestDecision, RequestFacts, RequestJudge};
use crate::gate::actor::{AssessRequest, PolicyGate, RequestAssessment};
use crate::gate::host_kinds::HostContext;
use crate::gate::open_approvals::OpenApprovals;
use crate::gate::wire_layer::PAGES_OWN;
use crate::gate::wire_layer::proposed_request::{ProposedRequest, RequestCause};
use crate::ids::RunId;
use crate::page::outgoing_request::MESSAGE;
use actix::Addr;
use futures_util::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;

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

/// Judge for the requests after one action.
pub struct ActionJudge {
    gate: Addr<PolicyGate>,
    root: RunId,
    cause: Arc<RequestCause>,
    typed: Arc<Vec<String>>,
    context: HostContext,
    approved: Arc<OpenApprovals>,
    record: RecordCovered,
}

/// An action, with what its judge needs.
pub struct JudgedAction {
    pub root: RunId,
    pub cause: RequestCause,
    /// Texts that the agent has typed in this run.
    pub typed: Vec<String>,
    pub context: HostContext,
    /// Approvals that the requests may use.
    pub approved: Arc<OpenApprovals>,
}

impl ActionJudge {
    pub fn new(gate: Addr<PolicyGate>, action: JudgedAction, record: RecordCovered) -> Self {
        let JudgedAction { root, cause, typed, context, approved } = action;
        let (cause, typed) = (Arc::new(cause), Arc::new(typed));
        Self { gate, root, cause, typed, context, approved, record }
    }

    fn propose(&self, facts: RequestFacts) -> ProposedRequest {
        let RequestFacts { request, timing, earlier } = facts;
        ProposedRequest {
            request,
            timing,
            earlier,
            cause: Arc::clone(&self.cause),
            approved: self.approved.list(),
            typed: Arc::clone(&self.typed),
            context: self.context.clone(),
        }
    }
}

impl RequestJudge for ActionJudge {
    fn judge_request(&self, facts: RequestFacts) -> BoxFuture<'static, RequestDecision> {
        let proposed = self.propose(facts);
        let (gate, root, approved) = (self.gate.clone(), self.root.clone(), Arc::clone(&self.approved));
        let (record, action_id) = (Arc::clone(&self.record), self.cause.action_id.clone());
        let (is_safe, method) = (proposed.request.is_safe_method(), proposed.request.method.clone());
        let url = proposed.request.url.clone();
        Box::pin(async move {
            match assess_once_approved(&gate, root, proposed, &approved).await {
                Some(RequestAssessment::Pass { covered_by }) => {
                    if !is_safe && tells(&method, &covered_by) {
                        record(CoveredRequest { action_id, method, url, covered_by }).await;
                    }
                    RequestDecision::Pass
                }
                Some(RequestAssessment::Ask(question)) => RequestDecision::Hold { question: json!(question) },
                Some(RequestAssessment::Refuse { rule }) => {
                    tracing::info!(rule, "request refused by the policy");
                    RequestDecision::Refuse
                }
                // Nothing leaves that could not be judged.
                None => RequestDecision::Refuse,
            }
        })
    }
}

/// Assesses a request. An approval covers one request: if another has used it meanwhile, the request is assessed
/// without it. `None` if it cannot be assessed.
async fn assess_once_approved(
    gate: &Addr<PolicyGate>,
    root: RunId,
    proposed: ProposedRequest,
    approved: &OpenApprovals,
) -> Option<RequestAssessment> {
    // Bodies are large, and most actions have no approval.
    let without_approvals =
        (!proposed.approved.is_empty()).then(|| ProposedRequest { approved: Vec::new(), ..proposed.clone() });
    let references: Vec<String> = proposed.approved.iter().map(|effect| effect.reference.clone()).collect();
    let first = assess(gate, &root, proposed).await?;
    match &first {
        RequestAssessment::Pass { covered_by } if references.contains(covered_by) => {
            match without_approvals.filter(|_| !approved.use_up(covered_by)) {
                Some(unapproved) => assess(gate, &root, unapproved).await,
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
    root: &RunId,
    proposed: ProposedRequest,
) -> Option<RequestAssessment> {
    match gate.send(AssessRequest { proposed: Box::new(proposed), root: root.clone() }).await {
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
fn tells(method: &str, covered_by: &str) -> bool {
    let is_harmless_message = method == MESSAGE && covered_by.starts_with("rule:");
    covered_by != PAGES_OWN && covered_by != "rule:telemetry" && !is_harmless_message
}

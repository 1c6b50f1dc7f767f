//! The judge of the requests that one action of an agent causes: hands each request of the browser to the gate.

use crate::browser::network::request_judge::{RequestDecision, RequestFacts, RequestJudge};
use crate::gate::actor::{AssessRequest, PolicyGate, RequestAssessment};
use crate::gate::host_kinds::HostContext;
use crate::gate::wire_layer::PAGES_OWN;
use crate::gate::wire_layer::proposed_request::{ApprovedEffect, ProposedRequest, RequestCause};
use crate::ids::RunId;
use actix::Addr;
use futures_util::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Approval of the action. It covers one request, which the gate sees to.
    approved: Option<ApprovedEffect>,
    /// True once a request has used it.
    has_used_approval: Arc<AtomicBool>,
    record: RecordCovered,
}

/// An action, with what its judge needs.
pub struct JudgedAction {
    pub root: RunId,
    pub cause: RequestCause,
    /// Texts that the agent has typed in this run.
    pub typed: Vec<String>,
    pub context: HostContext,
    pub approved: Option<ApprovedEffect>,
}

impl ActionJudge {
    pub fn new(gate: Addr<PolicyGate>, action: JudgedAction, record: RecordCovered) -> Self {
        let JudgedAction { root, cause, typed, context, approved } = action;
        let (cause, typed) = (Arc::new(cause), Arc::new(typed));
        let has_used_approval = Arc::default();
        Self { gate, root, cause, typed, context, approved, has_used_approval, record }
    }

    /// Reports whether a request has left because of the approval of the action.
    pub fn has_used_approval(&self) -> bool {
        self.has_used_approval.load(Ordering::Relaxed)
    }

    fn propose(&self, facts: RequestFacts) -> ProposedRequest {
        let RequestFacts { request, timing, earlier } = facts;
        ProposedRequest {
            request,
            timing,
            earlier,
            cause: Arc::clone(&self.cause),
            approved: self.approved.clone(),
            typed: Arc::clone(&self.typed),
            context: self.context.clone(),
        }
    }
}

impl RequestJudge for ActionJudge {
    fn judge_request(&self, facts: RequestFacts) -> BoxFuture<'static, RequestDecision> {
        let proposed = self.propose(facts);
        let (gate, root) = (self.gate.clone(), self.root.clone());
        let (record, action_id) = (Arc::clone(&self.record), self.cause.action_id.clone());
        let (is_safe, method) = (proposed.request.is_safe_method(), proposed.request.method.clone());
        let url = proposed.request.url.clone();
        let reference = proposed.approved.as_ref().map(|approved| approved.reference.clone());
        let has_used_approval = Arc::clone(&self.has_used_approval);
        Box::pin(async move {
            match assess(&gate, root, proposed).await {
                Some(RequestAssessment::Pass { covered_by }) => {
                    if Some(&covered_by) == reference.as_ref() {
                        has_used_approval.store(true, Ordering::Relaxed);
                    }
                    if !is_safe && tells(&covered_by) {
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

/// Assesses a request. `None` if it cannot be assessed.
async fn assess(
    gate: &Addr<PolicyGate>,
    root: RunId,
    proposed: ProposedRequest,
) -> Option<RequestAssessment> {
    match gate.send(AssessRequest { proposed: Box::new(proposed), root }).await {
        Ok(Ok(assessment)) => Some(assessment),
        Ok(Err(fault)) => {
            tracing::error!(%fault, "request refused: it could not be judged");
            None
        }
        Err(_) => None,
    }
}

/// True if the person is told of a request that nobody was asked about: not of what pages send by themselves.
fn tells(covered_by: &str) -> bool {
    covered_by != PAGES_OWN && covered_by != "rule:telemetry"
}

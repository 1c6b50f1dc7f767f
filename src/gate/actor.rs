//! The policy gate as an actor. It owns the rules, which it reloads when the policy file changes, and looks
//! up, lists and revokes grants. Programs send it what they are about to do, and receive the verdict.
//!
//! The store keeps the grants: each is written in the commit of the approval that it comes from, and is looked
//! up only for a verdict that would ask.

use crate::clock::{Moment, Stopwatch};
use crate::config::mcp::ToolPermission;
use crate::gate::assessment::Assessment;
use crate::gate::decide_by_rules;
use crate::gate::effect::classify;
use crate::gate::grants::covers::Covers;
use crate::gate::grants::{self, Grant};
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass, EffectTrait};
use crate::gate::policy_file::{PolicyFile, PolicyFileError};
use crate::gate::request::{AssessmentRequest, ProposedAction};
use crate::gate::rules::Rules;
use crate::gate::verdict::{Decision, Verdict};
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::question::HeldQuestion;
use crate::gate::wire_layer::{RequestJudgement, judge_request};
use crate::ids::{GrantId, RunId};
use crate::protocol::Remember;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::GrantRow;
use actix::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Shortest interval between checks of the policy file. A check is made before an assessment, so that an idle
/// service does not wake.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The gate of one service.
pub struct PolicyGate {
    rules: Arc<Rules>,
    file: PolicyFile,
    check_interval: Duration,
    since_check: Stopwatch,
    store: Arc<dyn Store>,
}

/// Asks for the verdict on an effect before it happens.
#[derive(Debug, Message)]
#[rtype(result = "Result<Assessment, StoreError>")]
pub struct Assess {
    pub proposed: ProposedEffect,
    /// Root of the run tree, to which grants for a run are bound.
    pub root: RunId,
}

/// An effect that a program is about to cause.
#[derive(Debug)]
pub enum ProposedEffect {
    /// An action on a page.
    Page(Box<ProposedAction>),
    /// Code, a command or a tool call, with the owner's setting for the tool.
    Execution { effect: EffectClass, setting: Option<ToolPermission> },
    /// A download that turned out to be a program when it arrived.
    ProgramDownload,
}

/// Asks whether a request of a page may leave.
#[derive(Debug, Message)]
#[rtype(result = "Result<RequestAssessment, StoreError>")]
pub struct AssessRequest {
    pub proposed: Box<ProposedRequest>,
    /// Root of the run tree, to which grants for a run are bound; `None` if no grant covers the request.
    pub grants_of: Option<RunId>,
}

/// Answer about a request.
#[derive(Debug)]
pub enum RequestAssessment {
    /// `covered_by` names why: a question's reference, a grant's id, `rule:<id>`, or `page`.
    Pass { covered_by: String },
    /// A rule denies it.
    Refuse { rule: String },
    /// A person must be asked.
    Ask(Box<HeldQuestion>),
}

/// Lists the grants that are in force, oldest first.
#[derive(Debug, Message)]
#[rtype(result = "Result<Vec<GrantRow>, StoreError>")]
pub struct ListGrants;

/// Revokes a grant. Replies false if it did not exist or was revoked already.
#[derive(Debug, Message)]
#[rtype(result = "Result<bool, StoreError>")]
pub struct RevokeGrant(pub GrantId);

impl PolicyGate {
    /// Opens the gate with the rules of the file, or with the built-in rules if the file does not exist. The file is
    /// checked for changes at most once in `check_interval`.
    pub fn open(
        policy: &Path,
        check_interval: Duration,
        store: Arc<dyn Store>,
    ) -> Result<Self, PolicyFileError> {
        let (file, rules) = PolicyFile::open(policy)?;
        let since_check = Stopwatch::start();
        Ok(Self { rules: Arc::new(rules), file, check_interval, since_check, store })
    }

    /// Reloads the rules on the blocking thread pool if a check is due. Assessments that arrive meanwhile use
    /// the earlier rules.
    fn reload_rules(&mut self) -> ResponseActFuture<Self, ()> {
        if self.since_check.seconds() < self.check_interval.as_secs_f64() {
            return Box::pin(actix::fut::ready(()));
        }
        self.since_check = Stopwatch::start();
        let mut file = self.file.clone();
        let reloaded = tokio::task::spawn_blocking(move || {
            let rules = file.reload_if_changed();
            (file, rules)
        });
        Box::pin(reloaded.into_actor(self).map(|reloaded, gate, _| match reloaded {
            Ok((file, rules)) => {
                gate.file = file;
                if let Some(rules) = rules {
                    gate.rules = Arc::new(rules);
                }
            }
            Err(fault) => tracing::error!(%fault, "policy not checked; the earlier rules stay"),
        }))
    }
}

/// Returns the verdict of the rules on an effect, and what remembering its approval would cover. Pure.
fn judge(rules: &Rules, proposed: &ProposedEffect) -> (Verdict, Covers) {
    match proposed {
        ProposedEffect::Page(page) => {
            let request = AssessmentRequest::from(&**page);
            let facts = classify::classify(&request);
            let covers = Covers::of_action(&facts, &request);
            (decide_by_rules(rules, &facts, Some(&request)), covers)
        }
        ProposedEffect::Execution { effect, setting } => {
            let mut verdict = decide_by_rules(rules, &ActionProperties::without_page(*effect), None);
            setting.iter().for_each(|setting| verdict.apply_setting(*setting));
            (verdict, Covers::default())
        }
        ProposedEffect::ProgramDownload => {
            let effect_trait = Some(EffectTrait::Executable);
            let facts =
                ActionProperties { effect_trait, ..ActionProperties::without_page(EffectClass::Download) };
            (decide_by_rules(rules, &facts, None), Covers::default())
        }
    }
}

/// Finds out whether a grant permits the verdict. Reads none if no approval of such an effect is remembered.
async fn find_grant(
    store: Arc<dyn Store>,
    verdict: &Verdict,
    covers: &Covers,
    root: RunId,
) -> Result<Option<GrantId>, StoreError> {
    let is_remembered = verdict.remember.iter().any(|choice| *choice != Remember::Once);
    if verdict.decision != Decision::RequiresConfirmation || !is_remembered {
        return Ok(None);
    }
    let now = Moment::now();
    let rows = store.grants(now).await?;
    let permits = |grant: &Grant| grants::permits(grant, verdict, covers, &root, now);
    Ok(rows.iter().filter_map(Grant::from_row).find(permits).map(|grant| grant.id))
}

impl Actor for PolicyGate {
    type Context = Context<Self>;
}

impl Handler<Assess> for PolicyGate {
    type Result = ResponseActFuture<Self, Result<Assessment, StoreError>>;

    fn handle(&mut self, Assess { proposed, root }: Assess, _: &mut Self::Context) -> Self::Result {
        Box::pin(self.reload_rules().then(move |(), gate, _| {
            let (verdict, covers) = judge(&gate.rules, &proposed);
            let store = Arc::clone(&gate.store);
            let assessed = async move {
                let granted = find_grant(store, &verdict, &covers, root).await?;
                Ok(Assessment { verdict, covers, granted })
            };
            assessed.into_actor(gate)
        }))
    }
}

impl Handler<AssessRequest> for PolicyGate {
    type Result = ResponseActFuture<Self, Result<RequestAssessment, StoreError>>;

    fn handle(
        &mut self,
        AssessRequest { proposed, grants_of }: AssessRequest,
        _: &mut Self::Context,
    ) -> Self::Result {
        Box::pin(self.reload_rules().then(move |(), gate, _| {
            let judgement = judge_request(&gate.rules, &proposed);
            let store = Arc::clone(&gate.store);
            let assessed = async move {
                let held = match judgement {
                    RequestJudgement::Pass { covered_by } => {
                        return Ok(RequestAssessment::Pass { covered_by });
                    }
                    RequestJudgement::Refuse { rule } => return Ok(RequestAssessment::Refuse { rule }),
                    RequestJudgement::Ask(held) => held,
                };
                let is_changed = !held.question.changed.is_empty();
                let granted = match grants_of {
                    Some(root) => find_grant(store, &held.verdict, &held.covers, root).await?,
                    None => None,
                };
                Ok(match granted.filter(|_| !is_changed) {
                    Some(grant) => RequestAssessment::Pass { covered_by: grant.to_string() },
                    None => RequestAssessment::Ask(Box::new(held.question)),
                })
            };
            assessed.into_actor(gate)
        }))
    }
}

impl Handler<ListGrants> for PolicyGate {
    type Result = ResponseFuture<Result<Vec<GrantRow>, StoreError>>;

    fn handle(&mut self, _: ListGrants, _: &mut Self::Context) -> Self::Result {
        Box::pin(self.store.grants(Moment::now()))
    }
}

impl Handler<RevokeGrant> for PolicyGate {
    type Result = ResponseFuture<Result<bool, StoreError>>;

    fn handle(&mut self, RevokeGrant(id): RevokeGrant, _: &mut Self::Context) -> Self::Result {
        Box::pin(self.store.revoke(id))
    }
}

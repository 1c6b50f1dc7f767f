//! The transitions of the conversation graph: which node follows which outcome. No state and no I/O.
//! `tests/golden/graph.mmd` and the diagram in docs/graphs.md are drawn from this table.

use crate::programs::conversation::nodes::questions::{
    approve_plan, budget, confirm, flow_consent, held_request, manual, question,
};
use crate::programs::conversation::nodes::waits::{await_calls, resting, run_premoves};
use crate::programs::conversation::nodes::{
    check_acceptance, execute_action, finalize, ingest_user_input, make_plan, maybe_observe,
    maybe_stop_or_continue, plan_action, policy_gate, validate_action,
};
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::outcome::graph_outcomes;
use crate::protocol::Status;

graph_outcomes! {
    /// The outcome of a node, tagged with the node.
    pub enum ConversationOutcome {
        Ingest(ingest_user_input),
        Observe(maybe_observe),
        MakePlan(make_plan),
        ApprovePlan(approve_plan),
        Plan(plan_action),
        Premoves(run_premoves),
        Validate(validate_action),
        Gate(policy_gate),
        Confirm(confirm),
        Flow(flow_consent),
        Held(held_request),
        Manual(manual),
        Question(question),
        Execute(execute_action),
        Calls(await_calls),
        Continue(maybe_stop_or_continue),
        Check(check_acceptance),
        Budget(budget),
        Rest(resting),
        Finalize(finalize),
    }
}

impl ConversationOutcome {
    /// Returns the node that has the outcome.
    pub fn node(self) -> ConversationNode {
        match self {
            Self::Ingest(_) => ConversationNode::IngestUserInput,
            Self::Observe(_) => ConversationNode::MaybeObserve,
            Self::MakePlan(_) => ConversationNode::MakePlan,
            Self::ApprovePlan(_) => ConversationNode::ApprovePlan,
            Self::Plan(_) => ConversationNode::PlanAction,
            Self::Premoves(_) => ConversationNode::RunPremoves,
            Self::Validate(_) => ConversationNode::ValidateAction,
            Self::Gate(_) => ConversationNode::PolicyGate,
            Self::Confirm(_) => ConversationNode::Confirm,
            Self::Flow(_) => ConversationNode::FlowConsent,
            Self::Held(_) => ConversationNode::HeldRequest,
            Self::Manual(_) => ConversationNode::Manual,
            Self::Question(_) => ConversationNode::Question,
            Self::Execute(_) => ConversationNode::ExecuteAction,
            Self::Calls(_) => ConversationNode::AwaitCalls,
            Self::Continue(_) => ConversationNode::MaybeStopOrContinue,
            Self::Check(_) => ConversationNode::CheckAcceptance,
            Self::Budget(_) => ConversationNode::Budget,
            Self::Rest(_) => ConversationNode::Resting,
            Self::Finalize(finalize::Done) => ConversationNode::FinalizeDone,
            Self::Finalize(finalize::Partial) => ConversationNode::FinalizePartial,
            Self::Finalize(finalize::Denied) => ConversationNode::FinalizeDenied,
            Self::Finalize(finalize::Cancelled) => ConversationNode::FinalizeCancelled,
            Self::Finalize(finalize::Blocked) => ConversationNode::FinalizeBlocked,
            Self::Finalize(finalize::Limit) => ConversationNode::FinalizeLimit,
        }
    }
}

/// The continuation after an outcome. `Ask` is an interrupt: the run waits for a person and continues at the
/// given node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationEdge {
    Go(ConversationNode),
    Ask(ConversationNode),
    /// The run waits for agents that it has called, and continues at the given node.
    Await(ConversationNode),
    /// The run waits without a question for the person or a task.
    Rest(ConversationNode),
    End(Status),
}

/// The transition table, one arrow per line.
#[rustfmt::skip]
pub fn route(done: ConversationOutcome) -> ConversationEdge {
    use {ConversationEdge::*, ConversationNode::*};
    match done {
        ConversationOutcome::Ingest(ingest_user_input::Received)         => Go(MaybeObserve),

        ConversationOutcome::Observe(maybe_observe::Seen)             => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Fresh)            => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Unseen)           => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Stands)           => Go(ValidateAction),
        ConversationOutcome::Observe(maybe_observe::RequestHeld)      => Ask(HeldRequest),

        ConversationOutcome::MakePlan(make_plan::Made)                => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::NotNeeded)           => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::Unmade)              => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::NeedsApproval)       => Ask(ApprovePlan),
        ConversationOutcome::MakePlan(make_plan::OutOfIterations)     => Go(FinalizeLimit),

        ConversationOutcome::ApprovePlan(approve_plan::Approved)      => Go(MaybeObserve),
        ConversationOutcome::ApprovePlan(approve_plan::Redirected)    => Go(MakePlan),
        ConversationOutcome::ApprovePlan(approve_plan::Declined)      => Go(FinalizeCancelled),

        ConversationOutcome::Plan(plan_action::NeedsPlan)             => Go(MakePlan),
        ConversationOutcome::Plan(plan_action::NeedsPremoves)         => Go(RunPremoves),
        ConversationOutcome::Plan(plan_action::Thought)               => Go(PlanAction),
        ConversationOutcome::Plan(plan_action::MovedOn)               => Go(CheckAcceptance),
        ConversationOutcome::Plan(plan_action::Claimed)               => Go(CheckAcceptance),
        ConversationOutcome::Plan(plan_action::NothingActionable)     => Go(FinalizeBlocked),
        ConversationOutcome::Plan(plan_action::NeedsBudget)           => Ask(Budget),
        ConversationOutcome::Plan(plan_action::Planned)               => Go(ValidateAction),
        ConversationOutcome::Plan(plan_action::Unreadable)            => Go(ValidateAction),
        ConversationOutcome::Plan(plan_action::OutOfIterations)       => Go(FinalizeLimit),

        ConversationOutcome::Premoves(run_premoves::Begun)            => Await(RunPremoves),
        ConversationOutcome::Premoves(run_premoves::AtWork)           => Await(RunPremoves),
        ConversationOutcome::Premoves(run_premoves::UpToDate)           => Go(PlanAction),

        ConversationOutcome::Validate(validate_action::Valid)         => Go(PolicyGate),
        ConversationOutcome::Validate(validate_action::Invalid)       => Go(PlanAction),
        ConversationOutcome::Validate(validate_action::TooManyInvalid) => Go(FinalizeBlocked),
        ConversationOutcome::Validate(validate_action::NotYet)        => Await(AwaitCalls),
        ConversationOutcome::Validate(validate_action::Never)         => Go(MaybeStopOrContinue),

        ConversationOutcome::Gate(policy_gate::Allowed)               => Go(ExecuteAction),
        ConversationOutcome::Gate(policy_gate::NeedsConfirmation)     => Ask(Confirm),
        ConversationOutcome::Gate(policy_gate::NeedsPerson)            => Ask(Manual),
        ConversationOutcome::Gate(policy_gate::NeedsAnswer)           => Ask(Question),
        ConversationOutcome::Gate(policy_gate::NeedsFlowConsent)      => Ask(FlowConsent),
        ConversationOutcome::Gate(policy_gate::Gone)                  => Go(MaybeObserve),
        ConversationOutcome::Gate(policy_gate::Denied)                => Go(FinalizeDenied),

        ConversationOutcome::Confirm(confirm::Approved)               => Go(ExecuteAction),
        ConversationOutcome::Confirm(confirm::Redirected)             => Go(MaybeObserve),
        ConversationOutcome::Confirm(confirm::Declined)               => Go(FinalizeCancelled),

        ConversationOutcome::Flow(flow_consent::Approved)             => Go(PolicyGate),
        ConversationOutcome::Flow(flow_consent::Redirected)           => Go(MaybeObserve),
        ConversationOutcome::Flow(flow_consent::Declined)             => Go(FinalizeCancelled),

        ConversationOutcome::Held(held_request::Released)             => Go(MaybeStopOrContinue),
        ConversationOutcome::Held(held_request::Failed)               => Go(MaybeStopOrContinue),
        ConversationOutcome::Held(held_request::HeldAgain)            => Ask(HeldRequest),
        ConversationOutcome::Held(held_request::GivenUp)              => Go(PolicyGate),
        ConversationOutcome::Held(held_request::Void)                 => Go(MaybeObserve),
        ConversationOutcome::Held(held_request::Redirected)           => Go(MaybeObserve),
        ConversationOutcome::Held(held_request::Declined)             => Go(FinalizeCancelled),

        ConversationOutcome::Manual(manual::HandedBack)               => Go(MaybeObserve),
        ConversationOutcome::Question(question::Answered)             => Go(MaybeObserve),
        ConversationOutcome::Question(question::Ended)                => Go(FinalizePartial),

        ConversationOutcome::Execute(execute_action::Executed)        => Go(MaybeStopOrContinue),
        ConversationOutcome::Execute(execute_action::Failed)          => Go(MaybeStopOrContinue),
        ConversationOutcome::Execute(execute_action::Void)            => Go(MaybeObserve),
        ConversationOutcome::Execute(execute_action::Held)            => Ask(HeldRequest),
        ConversationOutcome::Execute(execute_action::Called)          => Await(AwaitCalls),

        ConversationOutcome::Calls(await_calls::AtWork)               => Await(AwaitCalls),
        ConversationOutcome::Calls(await_calls::Ended)                => Go(MaybeStopOrContinue),
        ConversationOutcome::Calls(await_calls::Due)                  => Go(ValidateAction),

        ConversationOutcome::Continue(maybe_stop_or_continue::Stop)     => Go(FinalizeDone),
        ConversationOutcome::Continue(maybe_stop_or_continue::GaveUp)   => Go(FinalizeBlocked),
        ConversationOutcome::Continue(maybe_stop_or_continue::Limit)    => Go(FinalizeLimit),
        ConversationOutcome::Continue(maybe_stop_or_continue::OutOfSteps) => Ask(Budget),
        ConversationOutcome::Continue(maybe_stop_or_continue::Claims)   => Go(CheckAcceptance),
        ConversationOutcome::Continue(maybe_stop_or_continue::Stuck)    => Ask(Question),
        ConversationOutcome::Continue(maybe_stop_or_continue::RequestHeld) => Ask(HeldRequest),
        ConversationOutcome::Continue(maybe_stop_or_continue::Continue) => Go(MaybeObserve),
        ConversationOutcome::Continue(maybe_stop_or_continue::TasksGoOn) => Rest(Resting),

        ConversationOutcome::Rest(resting::Spoken)                    => Go(IngestUserInput),
        ConversationOutcome::Rest(resting::Quiet)                     => Rest(Resting),

        ConversationOutcome::Check(check_acceptance::Accepted)        => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::AcceptedOn)      => Go(ValidateAction),
        ConversationOutcome::Check(check_acceptance::AcceptedNext)    => Go(CheckAcceptance),
        ConversationOutcome::Check(check_acceptance::Finished)        => Go(FinalizeDone),
        ConversationOutcome::Check(check_acceptance::Rejected)        => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::NotYet)          => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::NeedsPlan)       => Go(MakePlan),
        ConversationOutcome::Check(check_acceptance::NeedsAnswer)     => Ask(Question),
        ConversationOutcome::Check(check_acceptance::Partly)          => Go(FinalizePartial),

        ConversationOutcome::Budget(budget::Extended)                 => Go(PlanAction),
        ConversationOutcome::Budget(budget::MoreSteps)                => Go(MaybeObserve),
        ConversationOutcome::Budget(budget::Declined)                 => Go(FinalizeLimit),

        ConversationOutcome::Finalize(finalize::Done)                 => End(Status::Succeeded),
        ConversationOutcome::Finalize(finalize::Partial)              => End(Status::Partial),
        ConversationOutcome::Finalize(finalize::Denied)               => End(Status::Denied),
        ConversationOutcome::Finalize(finalize::Cancelled)            => End(Status::Cancelled),
        ConversationOutcome::Finalize(finalize::Blocked)              => End(Status::Blocked),
        ConversationOutcome::Finalize(finalize::Limit)                => End(Status::Exhausted),
    }
}

/// Sends a run with too many visits to its end, whatever the table says (S1.10, S1.36).
pub fn limit_visits(edge: ConversationEdge, visits: u32, limit: u32) -> ConversationEdge {
    match edge {
        ConversationEdge::Go(node) | ConversationEdge::Ask(node) | ConversationEdge::Await(node)
            if visits >= limit && !node.is_final() =>
        {
            ConversationEdge::Go(ConversationNode::FinalizeLimit)
        }
        ConversationEdge::Go(_)
        | ConversationEdge::Ask(_)
        | ConversationEdge::Await(_)
        | ConversationEdge::Rest(_)
        | ConversationEdge::End(_) => edge,
    }
}
